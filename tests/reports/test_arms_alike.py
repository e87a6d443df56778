"""An isolation flag reaches every arm, as it was really started (`test_rNN`: our list of reports)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")
MARK = re.compile(r"(?<=SESSION_MARK=)\w+")
SHOWS_ITSELF = """\
#!/bin/sh
cat > /dev/null
for word in "$0" "$@"; do printf 'argument %s\\n' "$word"; done > greeting.txt
env | sort >> greeting.txt
echo hello >> greeting.txt
"""
"""An agent that writes down what it was started with."""


@pytest.mark.parametrize(
    "flags",
    [("--no-user-config",), ("--isolated", "--config", "settings of mine"), ("--home={project}", "-x", "--", "-x")],
    ids=["one flag", "a flag with a value", "words that look like others"],
)
def test_r18_an_isolation_flag_reaches_all_arms_alike(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, flags: tuple[str, ...]
) -> None:
    suite = greeter(SHOWS_ITSELF)

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *AGENT, *flags)

    assert ran.code == 0, ran.err
    recorded, effective = {}, {}
    for arm in ("with_skill", "without_skill"):
        trial = tmp_path / "run" / "trials" / "greet" / arm / "1"
        notes = [json.loads(json.loads(line)["raw"]) for line in (trial / "host.jsonl").read_text().splitlines()]
        recorded[arm] = [note["argv"] for note in notes if note.get("note") == "spawned"]
        (kept,) = (trial / "changed").iterdir()
        lines = kept.read_text()
        (project,) = (line.removeprefix("PWD=") for line in lines.splitlines() if line.startswith("PWD="))
        # What is a session's own: its place, and the mark by which its processes are found.
        effective[arm] = MARK.sub("", lines.replace(str(Path(project).parent), "PLACE"))
    assert recorded["with_skill"] == recorded["without_skill"]
    assert [argv[1:] for argv in recorded["with_skill"]] == [list(flags)]
    assert effective["with_skill"] == effective["without_skill"]
    assert [line for line in effective["with_skill"].splitlines() if line.startswith("argument ")][1:] == [
        f"argument {flag}" for flag in flags
    ]
