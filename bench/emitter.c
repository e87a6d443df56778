/* Prints so many megabytes of lines (first argument), 64 KiB at a time, as fast as they are taken.
   cc -O2 -static -o emitter emitter.c */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
    static char block[1 << 16];
    const size_t line = 1024;
    long left = count > 1 ? atol(words[1]) * 1000000L : 0;
    memset(block, 'x', sizeof block);
    for (size_t at = line - 1; at < sizeof block; at += line)
        block[at] = '\n';
    while (left > 0) {
        size_t size = left < (long)sizeof block ? (size_t)left : sizeof block;
        ssize_t put = write(STDOUT_FILENO, block, size);
        if (put < 0)
            return 1;
        left -= put;
    }
    return 0;
}
