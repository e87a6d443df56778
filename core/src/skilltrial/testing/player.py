"""The fake program itself: plays the steps in `script.json` beside it. Copied there; imports nothing of ours."""

import json
import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = json.loads((HERE / "script.json").read_text("utf-8"))
MOST = 65536
"""Bytes of each file of the home that are noted."""


def main() -> int:
    """Answer a question about the program, or take a prompt and play the next turn."""
    for reply in SCRIPT["replies"]:
        if sys.argv[1 : len(reply["argv"]) + 1] == reply["argv"]:
            write(1, reply["out"])
            write(2, reply["err"])
            return int(reply["code"])
    talker = HERE / "talker.py"
    if talker.exists():
        return int(runpy.run_path(str(talker))["talk"](take, play))
    for step in take(sys.stdin.buffer.read().decode("utf-8", "surrogateescape")):
        code = play(*step)
        if code is not None:
            return code
    return 0


def take(prompt: str, told: "tuple[str, ...]" = ()) -> "list[list[str]]":
    """A prompt has come, and before it what was `told`: the steps of its turn."""
    turn, turns = note(prompt, told), SCRIPT["turns"]
    return list(turns[min(turn, len(turns) - 1)])


def note(prompt: str, told: "tuple[str, ...]") -> int:
    """Keep how this start was made; the number of earlier starts in the same folder."""
    home = Path(os.environ.get("HOME") or "/nonexistent")
    files = {}
    for path in sorted(home.rglob("*")) if home.is_dir() else []:
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                files[str(path.relative_to(home))] = file.read(MOST).decode("utf-8", "replace")
    start = {
        "argv": sys.argv[1:],
        "cwd": str(Path.cwd()),
        "env": dict(os.environ),
        "prompt": prompt,
        "told": told,
        "home": files,
    }
    notes = HERE / "starts.jsonl"
    before = [json.loads(line) for line in notes.read_text("ascii").splitlines()] if notes.exists() else []
    with notes.open("a", encoding="ascii") as file:
        file.write(json.dumps(start) + "\n")
    return sum(one["cwd"] == start["cwd"] for one in before)


def play(verb: str, *words: str) -> "int | None":
    """Do one step; the exit code where it is the last."""
    if verb in ("out", "err"):
        write(1 if verb == "out" else 2, words[0])
    elif verb == "append":
        path = Path(os.path.expandvars(words[0]))
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(words[1])
    elif verb == "child":
        leave_child(*words)
    elif verb == "hang":
        time.sleep(600)
    elif verb == "flood":
        while True:
            write(1, words[0] * 100)
    elif verb == "exit":
        return int(words[0])
    return None


def leave_child(path: str, session: str) -> None:
    """Start a child that outlives this program, in a session of its own where asked; it writes `path` late."""
    # It says that it is there by the pipe's end: a child that is killed before it began would show nothing.
    reader, writer = os.pipe()
    code = (
        f"import os, sys, time; os.write({writer}, b'x'); time.sleep(2.5); open(sys.argv[1], 'w').write('late')"
        "; time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-IS", "-c", code, path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(writer,),
        start_new_session=session == "own",
    )
    os.read(reader, 1)
    with (HERE / "children.txt").open("a") as file:
        file.write(f"{child.pid}\n")
    child.returncode = 0  # it is left alone on purpose


def write(descriptor: int, text: str) -> None:
    """Write all of it at once, odd bytes too."""
    data = text.encode("utf-8", "surrogateescape")
    while data:
        data = data[os.write(descriptor, data) :]


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
