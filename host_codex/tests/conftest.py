"""Recordings of the real program as the records of a trial."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import (
    Command,
    Event,
    Exited,
    Finished,
    LimitHit,
    Part,
    Place,
    Record,
    Recorder,
    SkillPlaced,
    Source,
    Spawned,
    TurnSent,
    as_raw,
)
from skilltrial_host_codex.normalizer import CodexNormalizer

RECORDINGS = Path(__file__).parent / "recordings"
PLACE = "/place"
SKILL = "invoice-format"
FOLDER = f".agents/skills/{SKILL}"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Tape:
    """Records as a trial's recorder would have numbered them."""

    records: list[Record] = field(default_factory=list)
    turn: int = 0

    def add(self, source: Source, raw: str) -> None:
        self.records.append(Record(len(self.records) + 1, len(self.records) / 100, source, self.turn, raw))

    def note(self, note: Part) -> None:
        self.add(Source.RUNNER, as_raw(note))

    def lines(self, source: Source, text: str) -> None:
        for line in text.replace("{RUN}", PLACE).splitlines():
            self.add(source, line)


def tape_of(
    name: str, *, body: str | None = None, turns: int = 9, log: bool = True, skill: bool = True
) -> list[Record]:
    """The records of the recording `MODE/SCENARIO`, of its first so many processes."""
    folder = RECORDINGS / name
    runs = json.loads((folder / "runs.json").read_text("utf-8"))[:turns]
    tape = Tape()
    if skill:
        text = body if body is not None else _body(folder)
        tape.note(SkillPlaced(skill=SKILL, path=FOLDER, sha256="0" * 64, body_sha256=sha256(text)))
    rows = _rows(folder) if log else []
    for number, run in enumerate(runs, 1):
        tape.turn = number
        tape.note(TurnSent(turn=number, prompt_sha256=sha256(f"prompt {number}")))
        tape.note(Spawned(argv=("codex", *run["argv"])))
        tape.lines(Source.STDOUT, (folder / f"stdout.{number}.jsonl").read_text("utf-8"))
        errors = folder / f"stderr.{number}.txt"
        tape.lines(Source.STDERR, errors.read_text("utf-8") if errors.exists() else "")
        if run["killed"] == "timeout":
            tape.note(LimitHit(limit="seconds", value=20))
        else:
            tape.note(Exited(code=run["exit"]))
        for row in rows[number - 1] if number <= len(rows) else []:
            tape.lines(Source.SESSION_LOG, row)
    return tape.records


def _rows(folder: Path) -> list[list[str]]:
    """The lines of the session log by turn; logs of subagents belong to the first."""
    turns: list[list[str]] = []
    for file in sorted(folder.glob("rollout*.jsonl"), key=lambda each: (len(each.name), each.name)):
        at = -1
        for line in file.read_text("utf-8").splitlines():
            payload = json.loads(line)["payload"]
            at += payload.get("type") == "task_started"
            while len(turns) <= max(at, 0):
                turns.append([])
            turns[max(at, 0)].append(line)
    return turns


def _body(folder: Path) -> str:
    for file in folder.glob("rollout*.jsonl"):
        for line in file.read_text("utf-8").splitlines():
            payload = json.loads(line)["payload"]
            output = payload.get("item", {}).get("aggregated_output") or ""
            if output.startswith("---\nname: "):
                return output
            for part in payload.get("content") or ():
                found = part.get("text", "") if isinstance(part, dict) else ""
                if found.startswith("<skill>"):
                    return found.partition("</path>\n")[2].removesuffix("\n</skill>")
    return "no body was shown"


@pytest.fixture(scope="session")
def names() -> tuple[str, ...]:
    """All recordings, `MODE/SCENARIO`."""
    return tuple(sorted(f"{each.parent.parent.name}/{each.parent.name}" for each in RECORDINGS.glob("*/*/runs.json")))


@pytest.fixture(scope="session")
def recorded() -> Callable[..., list[Record]]:
    """`recorded("classic/edit")`: the records of a recording."""
    return tape_of


@pytest.fixture(scope="session")
def normalize() -> Callable[[Sequence[Record]], tuple[Event, ...]]:
    return lambda records: tuple(CodexNormalizer().normalize(records))


@pytest.fixture
def tape() -> Tape:
    """An empty tape, to write a session by hand."""
    return Tape()


@pytest.fixture(scope="session")
def renumbered() -> Callable[[Sequence[Record]], list[Record]]:
    """Records after some were taken out or put in: numbered anew."""
    return lambda records: [replace(record, seq=number) for number, record in enumerate(records, 1)]


@pytest.fixture(scope="session", name="sha256")
def _sha256() -> Callable[[str], str]:
    return sha256


class DirectLauncher:
    """Starts a program as the core's launcher does, without limits."""

    def run(self, command: Command, recorder: Recorder, on_line: Callable[[str], None] | None = None) -> Finished:
        recorder.note(Spawned(argv=command.argv))
        done = subprocess.run(
            command.argv, cwd=command.cwd, env=dict(command.env), input=command.stdin, capture_output=True, check=False
        )
        for line in done.stdout.decode("utf-8", "surrogateescape").splitlines():
            recorder.record(Source.STDOUT, line)
            if on_line is not None:
                on_line(line)
        for line in done.stderr.decode("utf-8", "replace").splitlines():
            recorder.record(Source.STDERR, line)
        ended = Exited(code=done.returncode)
        recorder.note(ended)
        return Finished(ended)


@dataclass
class FakeCodex:
    """The program's stand-in and what it noted."""

    path: Path
    log: Path

    @property
    def starts(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text("utf-8").splitlines()] if self.log.exists() else []


@pytest.fixture
def fake(tmp_path: Path) -> FakeCodex:
    path = tmp_path / "bin" / "codex"
    path.parent.mkdir()
    program = (Path(__file__).parent / "fake_codex.py").read_text("utf-8")
    # By way of env, since a `#!` line can name no Python whose path has a blank in it.
    path.write_text(f'#!/usr/bin/env -S "{sys.executable}"\n{program}', "utf-8")
    path.chmod(0o755)
    return FakeCodex(path, path.parent / "starts.jsonl")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folders = {name: tmp_path / "place" / name for name in ("project", "home", "tmp")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folders["home"]),
        "TMPDIR": str(folders["tmp"]),
        "LANG": "C.UTF-8",
    }
    project, home, tmp = folders.values()
    return Place(project, home, tmp, environment=environment, launcher=DirectLauncher(), live=False)


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The operator's own CODEX_HOME, empty; nothing else of this machine's is looked at."""
    home = tmp_path / "operator"
    home.mkdir()
    monkeypatch.setenv("CODEX_HOME", str(home))
    monkeypatch.setenv("HOME", str(home.parent / "nobody"))
    for name in ("OPENAI_API_KEY", "CODEX_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return home
