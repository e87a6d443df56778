/* An agent that costs next to nothing: reads the prompt, waits so many milliseconds (first argument), writes
   answer.txt, says so on one line.  cc -O2 -static -o agent agent.c */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **words)
{
    static char block[1 << 16];
    long wait = count > 1 ? atol(words[1]) : 0, size = 0;
    ssize_t got;
    while ((got = read(STDIN_FILENO, block, sizeof block)) > 0)
        size += got;
    if (wait > 0) {
        struct timespec time = { wait / 1000, wait % 1000 * 1000000L };
        nanosleep(&time, NULL);
    }
    int file = open("answer.txt", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || write(file, "the answer is 42\n", 17) != 17)
        return 1;
    close(file);
    printf("{\"read\": %ld, \"wrote\": \"answer.txt\"}\n", size);
    return 0;
}
