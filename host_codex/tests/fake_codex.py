"""Stands in for the program: notes how it was started, answers, and keeps a session log as the program does."""

import json
import os
import sys
from pathlib import Path

THREAD = "01a22be9-681c-7fa0-9e6c-1171cd5970da"
CHILD = "11111111-681c-7fa0-9e6c-1171cd5970da"
HOME = Path(os.environ.get("CODEX_HOME", ""))
NOTES = Path(sys.argv[0]).parent / "starts.jsonl"


def main() -> int:
    if sys.argv[1:] == ["--version"]:
        print("codex-cli 0.171.0")
        return 0
    if sys.argv[1:2] == ["debug"]:
        levels = [{"effort": effort} for effort in ("low", "high", "max")]
        print(json.dumps({"models": [{"slug": "m", "supported_reasoning_levels": levels}]}))
        return 0
    if sys.argv[1:] == ["login", "status"]:
        return login_status()
    prompt = sys.stdin.read()
    note(prompt)
    return 3 if "crash" in prompt else turn(prompt)


def login_status() -> int:
    """As the program tells it, on standard error; a file beside it stands for the system's credential store."""
    store = Path(sys.argv[0]).parent / "credential-store"
    auth = HOME / "auth.json"
    value = json.loads(auth.read_text()) if auth.exists() else None
    if value is not None and value.get("OPENAI_API_KEY"):
        said, code = "API key configured - sk-12***89", 0
    elif value is not None or store.exists():
        said, code = "Logged in using ChatGPT", 0
    else:
        said, code = "Not logged in", 1
    print("WARNING: proceeding all the same", said, sep="\n", file=sys.stderr)
    return code


def note(prompt: str) -> None:
    auth = HOME / "auth.json"
    start = {
        "argv": sys.argv[1:],
        "cwd": os.getcwd(),  # noqa: PTH109
        "env": dict(os.environ),
        "prompt": prompt,
        "config": (HOME / "config.toml").read_text(),
        "auth": auth.read_text() if auth.exists() else None,
        "mode": oct(auth.stat().st_mode & 0o777) if auth.exists() else None,
    }
    with NOTES.open("a") as notes:
        notes.write(json.dumps(start) + "\n")


def turn(prompt: str) -> int:
    say(type="thread.started", thread_id=THREAD)
    say(type="turn.started")
    rows(THREAD, {"id": THREAD})
    if "child" in prompt:
        rows(CHILD, {"id": CHILD, "parent_thread_id": THREAD})
    if "fail" in prompt:
        say(type="turn.failed", error={"message": "unexpected status 401 Unauthorized: no"})
        return 1
    if "leak" in prompt:
        answer((HOME / "auth.json").read_text())
    answer("You said: " + prompt)
    say(type="turn.completed", usage={"input_tokens": 1})
    return 0


def rows(thread: str, meta: dict[str, str]) -> None:
    """Add to the log of a conversation, which goes on counting. A child's file sorts before its parent's."""
    folder = HOME / "sessions" / "2026" / "11" / "30"
    folder.mkdir(parents=True, exist_ok=True)
    hour = "10" if thread == THREAD else "09"
    file = folder / f"rollout-2026-11-30T{hour}-00-00-{thread}.jsonl"
    old = file.read_text().count("\n") if file.exists() else 0
    new = [{"type": "session_meta", "payload": meta}] if not old else []
    new.append({"type": "event_msg", "payload": {"type": "task_complete"}})
    with file.open("a") as log:
        for number, row in enumerate(new, old):
            log.write(json.dumps({"ordinal": number, **row}) + "\n")


def answer(text: str) -> None:
    say(type="item.completed", item={"id": "item_1", "type": "agent_message", "text": text})


def say(**line: object) -> None:
    print(json.dumps(line), flush=True)


sys.exit(main())
