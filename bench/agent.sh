#!/bin/sh
# agent.c for machines without a C compiler. Starting a shell costs more than agent.c: the table says which one ran.
size=$(wc -c)
case ${1:-0} in 0) ;; *) sleep "$(($1 / 1000))" ;; esac
echo 'the answer is 42' > answer.txt || exit 1
echo "{\"read\": $size, \"wrote\": \"answer.txt\"}"
