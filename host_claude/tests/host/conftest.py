"""A place for a session, with a program in it that is played."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from skilltrial.api import (
    Command,
    Exited,
    Finished,
    LimitHit,
    Limits,
    Place,
    Recorder,
    Source,
    Trial,
    TrialKey,
)
from skilltrial.testing import HostFacade, MemoryRecorder, bind
from skilltrial_host_claude.host import ClaudeHost

HELP = "  --effort <level>  Effort level for the current session\n                    (low, medium, high, xhigh, max)\n"
INIT = {"type": "system", "subtype": "init", "session_id": "s-1"}


def result(text: str = "Done.", **more: object) -> dict[str, object]:
    return {"type": "result", "subtype": "success", "is_error": False, "result": text, "session_id": "s-1", **more}


@dataclass
class Program:
    """A launcher that plays a program: what it prints, what it adds to its session log, how it exits."""

    lines: list[object] = field(default_factory=lambda: [INIT, result()])
    rows: list[object] = field(default_factory=list)
    code: int | None = 0
    started: list[Command] = field(default_factory=list)

    def run(self, command: Command, recorder: Recorder, on_line: Callable[[str], None] | None = None) -> Finished:
        self.started.append(command)
        log = Path(command.env["CLAUDE_CONFIG_DIR"]) / "projects" / "-place" / "s-1.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(row, separators=(',', ':'))}\n" for row in self.rows)
        for line in self.lines:
            raw = line if isinstance(line, str) else json.dumps(line)
            recorder.record(Source.STDOUT, raw)
            if on_line is not None:
                on_line(raw)
        return Finished(LimitHit(limit="seconds", value=1) if self.code is None else Exited(code=self.code))


@dataclass
class Stage:
    """A place with a program in it, and a host."""

    place: Place
    program: Program
    recorder: MemoryRecorder = field(default_factory=MemoryRecorder)

    def lent(self, variables: dict[str, str], *, live: bool = True) -> Stage:
        """The same stage with further variables in its place."""
        environment = {**self.place.environment, **variables}
        return replace(self, place=replace(self.place, environment=environment, live=live))

    def open(self, *, offers=(), endpoint=None, allow=(), skills=(), **options):
        host = bind(HostFacade, "claude", ClaudeHost(**options))
        trial = Trial(TrialKey(case="c", arm="a", label="1"), ("Do it",), Limits(), allow, skills)
        return host.open_session(trial, self.place, offers, endpoint, self.recorder)

    def command(self, **asked) -> Command:
        """The first command of a session with these."""
        with self.open(**asked) as session:
            session.send("Do it")
        return self.program.started[0]


@pytest.fixture
def binary(tmp_path, monkeypatch):
    """A program called `claude` on PATH, which knows its version and its options."""
    folder = tmp_path / "bin"
    folder.mkdir()
    path = folder / "claude"
    path.write_text(f"#!/bin/sh\ncase $1 in --version) echo '2.1.332 (Claude Code)';; --help) echo '{HELP}';; esac\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return path


@pytest.fixture
def stage(tmp_path, binary):
    for name in ("project", "home", "tmp"):
        (tmp_path / name).mkdir()
    program = Program()
    environment = {"PATH": "/usr/bin", "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}
    place = Place(tmp_path / "project", tmp_path / "home", tmp_path / "tmp", environment, program)
    return Stage(place, program)
