"""What the tests start in place of Node and ZCode, and turns held with it through the real bridge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import (
    Declared,
    Event,
    Exited,
    PluginPlaced,
    Record,
    SessionEnded,
    SkillPlaced,
    Source,
    Spawned,
    TurnSent,
    Unrecognized,
    as_raw,
)
from skilltrial.testing.normalizers import renumbered
from skilltrial_host_zcode.job import Job
from skilltrial_host_zcode.normalizer import ZcodeNormalizer

DATA = Path(__file__).parent / "data"
TABLE = DATA / "standin/provider/zcode-builtin.json"
DIGEST = "0" * 64


def launcher(folder: Path, name: str, script: Path) -> Path:
    """A program that runs a script by this very Python: what `python3` on PATH is may change PATH itself."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """Plays Node around the contract kit's program."""
    (tmp_path / "bin").mkdir(exist_ok=True)
    return launcher(tmp_path / "bin", "node", DATA / "node.py")


@pytest.fixture
def standin(tmp_path: Path) -> Path:
    """The stand-in for ZCode."""
    (tmp_path / "bin").mkdir(exist_ok=True)
    return launcher(tmp_path / "bin", "zcode", DATA / "standin/zcode.py")


@pytest.fixture
def table() -> Path:
    """Its table of providers."""
    return TABLE


@dataclass
class Held:
    """Turns that were held, each by the bridge with a process of the stand-in."""

    records: tuple[Record, ...]
    project: Path

    @property
    def events(self) -> tuple[Event, ...]:
        """What the normalizer makes of them."""
        return tuple(ZcodeNormalizer().normalize(self.records))

    def of(self, kind: type) -> list[Any]:
        """The events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def end(self) -> tuple[str, str | None, str | None]:
        """How it ended: ending, cause, owner."""
        (ended,) = self.of(SessionEnded)
        return str(ended.ending), ended.cause and str(ended.cause), ended.owner and str(ended.owner)

    @property
    def codes(self) -> set[str]:
        """The codes of what was not recognized."""
        return {event.why for event in self.of(Unrecognized)}

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What stands on standard output."""
        return [json.loads(record.raw) for record in self.records if record.source is Source.STDOUT]


Hold = Callable[..., Held]


@pytest.fixture
def hold(standin: Path, table: Path, tmp_path: Path) -> Hold:
    """`hold(switches, ...)`: one turn for each of the switches, through the real bridge."""
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()

    def talk(*turns: dict[str, Any], job: Job | None = None, skills: Iterable[str] = (), plugin: Any = None) -> Held:
        made: list[tuple[Source, int, str]] = []
        servers = {one.name: ["look_up", "remember"] for one in (job.servers if job else ())}
        value: Any = {"servers": servers, "project": str(project), "version": "0.16.9"}
        made.append((Source.RUNNER, 0, as_raw(Declared(name="zcode", value=value))))
        if isinstance(plugin, PluginPlaced):
            made.append((Source.RUNNER, 0, as_raw(plugin)))
        for skill in skills:
            note = SkillPlaced(skill=skill, path=f".agents/skills/{skill}", sha256=DIGEST, body_sha256=DIGEST)
            made.append((Source.RUNNER, 0, as_raw(note)))
        session = None
        for turn, switches in enumerate(turns, 1):
            given = replace(job or Job(prompt="Go.", patience=5.0), session=session)
            done = subprocess.run(
                [sys.executable, "-m", "skilltrial_host_zcode.bridge", str(standin), "app-server", "--stdio"],
                input=given.write().decode("ascii"),
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(home),
                    "ZCODE_DATA_BASE_DIR": str(home),
                    "ZCODE_BUILTIN_PROVIDER_CONFIG_FILE": str(table),
                    "ZCODE_PERSONAL_PROVIDER_CONFIG_FILE": str(home / "provider_config.json"),
                    "ZCODE_STANDIN": json.dumps(switches),
                },
                cwd=project,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            made.append((Source.RUNNER, turn, as_raw(TurnSent(turn=turn, prompt_sha256=DIGEST))))
            made.append((Source.RUNNER, turn, as_raw(Spawned(argv=("python",)))))
            made += [(Source.STDERR, turn, line) for line in done.stderr.splitlines()]
            made += [(Source.STDOUT, turn, line) for line in done.stdout.splitlines()]
            made.append((Source.RUNNER, turn, as_raw(Exited(code=done.returncode))))
            session = _session(done.stdout)
        return Held(renumbered([Record(0, 0.0, source, turn, raw) for source, turn, raw in made]), project)

    return talk


def _session(printed: str) -> str | None:
    """The session that was opened."""
    for line in printed.splitlines():
        told = json.loads(line).get("result", {}) if line.startswith('{"id"') else {}
        if isinstance(told, dict) and "session" in told:
            return str(told["session"]["sessionId"])
    return None
