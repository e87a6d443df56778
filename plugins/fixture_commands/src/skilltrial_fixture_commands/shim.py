"""A program that asks what it is to do: its arguments go out in a file, and an answer comes back in another.

A copy of this file runs in the place of a trial, by itself: it imports the standard library only, as little as it can,
and talks through files, since an agent's sandbox may have no network.

    python -I -S THIS SPOOL PROGRAM READS_STDIN ARGUMENT...
"""

# ruff: noqa: PTH100, PTH103, PTH108, PTH109, PTH110, PTH118, PTH120, PTH123
# pathlib would be the slowest part of a program that runs each time an agent says `git`.

from __future__ import annotations

import json
import os
import sys
import time

TYPING = False
if TYPING:
    from typing import Any

MOST = 8 * 1024 * 1024
"""Bytes of standard input that are taken, and of a real program's output that are told."""


def main(spool: str, program: str, reads: str, argv: list[str]) -> int:
    """Ask, do what is answered, and return the exit code."""
    number = os.urandom(8).hex()
    given = sys.stdin.buffer.read(MOST).decode("utf-8", "replace") if reads == "1" and not os.isatty(0) else None
    words = [os.fsencode(word).decode("utf-8", "replace") for word in argv]
    cwd = os.fsencode(os.getcwd()).decode("utf-8", "replace")
    answer = ask(spool, number, {"program": program, "argv": words, "cwd": cwd, "stdin": given})
    time.sleep(answer["delay"])
    if answer["fault"] == "hang":
        while True:
            time.sleep(3600)
    if answer["fault"] == "crash":
        os.kill(os.getpid(), 9)
    if answer["because"] == "forwarded":
        return forward(spool, number, program, argv, given)
    for path, text in answer["files"].items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    say(1, answer["stdout"].encode("utf-8", "surrogatepass"))
    say(2, answer["stderr"].encode("utf-8", "surrogatepass"))
    return int(answer["exit"])


def forward(spool: str, number: str, program: str, argv: list[str], given: str | None) -> int:
    """Run the real program, tell what it did, then print it."""
    import shutil
    import subprocess

    ours = os.path.dirname(os.path.abspath(sys.argv[0]))
    path = os.pathsep.join(one for one in os.environ.get("PATH", os.defpath).split(os.pathsep) if one != f"{ours}/bin")
    found = shutil.which(program, path=path)
    if found is None:
        code, out, err = 127, b"", f"sh: {program}: command not found\n".encode()
    else:
        typed = None if given is None else given.encode()
        ran = subprocess.run([found, *argv], input=typed, capture_output=True, check=False)
        code, out, err = ran.returncode, ran.stdout, ran.stderr
    told = {
        "exit": code,
        "stdout": out[:MOST].decode("utf-8", "replace"),
        "stderr": err[:MOST].decode("utf-8", "replace"),
        "cut": max(len(out), len(err)) > MOST,
    }
    ask(spool, number + "-done", told)
    say(1, out)
    say(2, err)
    return code if code >= 0 else 128 - code


def ask(spool: str, number: str, question: dict[str, object]) -> dict[str, Any]:
    """Lay down a question, ring, and wait for the answer."""
    base = os.path.join(spool, number)
    with open(base + ".asked", "w", encoding="utf-8") as file:
        json.dump(question, file)
    bell = os.open(os.path.join(spool, "bell"), os.O_WRONLY | os.O_NONBLOCK)
    os.write(bell, number.encode() + b"\n")
    os.close(bell)
    wait = 0.001
    while True:
        try:
            with open(base + ".answered", encoding="utf-8") as file:
                answer: dict[str, Any] = json.load(file)
            os.unlink(base + ".answered")
            return answer
        except FileNotFoundError:
            time.sleep(wait)
            wait = min(wait * 1.5, 0.05)
        if not os.path.exists(os.path.join(spool, "bell")):
            raise OSError("nobody is there to answer")


def say(descriptor: int, data: bytes) -> None:
    """Print all of it."""
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    try:
        CODE = main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
    except OSError as error:
        sys.stderr.write(f"{sys.argv[2]}: can't do this here: {error.strerror or error}\n")
        CODE = 126
    os._exit(CODE)
