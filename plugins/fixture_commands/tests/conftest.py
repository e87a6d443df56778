"""Doubles in the place of a trial, called as an agent's commands would call them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import Launcher, Limits, Offer, Place, RunInfo, Trial, TrialKey
from skilltrial.testing import FixtureFacade, MemoryRecorder, bind
from skilltrial_fixture_commands.fixture import CommandsFixture

PROGRAMS = ("git", "gh", "npm")


class NoLauncher(Launcher):
    def run(self, command: Any, recorder: Any, on_line: Any = None) -> Any:
        raise AssertionError("a fixture starts no program of a trial")


@dataclass
class Shell:
    """The commands of one trial, and what was recorded of them."""

    offer: Offer
    place: Place
    recorder: MemoryRecorder

    @property
    def environment(self) -> Mapping[str, str]:
        path = f"{self.offer.programs}{os.pathsep}{self.place.environment['PATH']}"
        return {**self.place.environment, "PATH": path}

    @property
    def notes(self) -> list[dict[str, Any]]:
        return [json.loads(record.raw) for record in self.recorder.records]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [note for note in self.notes if note["wire"] == kind]

    def __call__(self, *argv: str, stdin: str | None = None, cwd: str = ".") -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        given: Any = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
        ran = subprocess.run(
            argv,
            env=self.environment,
            cwd=self.place.project / cwd,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            **given,
        )
        return ran.returncode, ran.stdout, ran.stderr

    def begin(self, *argv: str) -> subprocess.Popen[bytes]:
        """Start a command and leave it."""
        return subprocess.Popen(
            argv,
            env=self.environment,
            cwd=self.place.project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


@contextmanager
def trial_in(folder: Path, rules: str, recorder: MemoryRecorder | None = None, **options: Any) -> Iterator[Shell]:
    """A trial whose script has these rules."""
    case = options.pop("case", {})
    fixture = bind(FixtureFacade, "commands", CommandsFixture(programs=PROGRAMS, replies="r.yaml", **options))
    replies = rules if rules.startswith("scripts:") else f"scripts: {{one: {{rules: [{rules}]}}}}"
    parts = {name: folder / name for name in ("project", "home", "tmp")}
    for part in parts.values():
        part.mkdir(parents=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(parts["home"])}
    place = Place(parts["project"], parts["home"], parts["tmp"], environment, NoLauncher())
    kept = recorder or MemoryRecorder()
    kept.turn = 1
    trial = Trial(TrialKey(case="case", arm="arm", label="1"), ("Do it.",), Limits())
    with (
        fixture.open_fixtures(RunInfo("run"), {"r.yaml": replies.encode()}) as run,
        run.start(trial, case, place, kept) as offer,
    ):
        yield Shell(offer, place, kept)


@pytest.fixture
def in_trial(tmp_path: Path) -> Any:
    """`in_trial(rules, **options)` is the context of a trial of its own."""
    return lambda rules, **options: trial_in(tmp_path / os.urandom(4).hex(), rules, **options)


@pytest.fixture
def shell(in_trial: Any) -> Iterator[Any]:
    """`shell(rules, **options)` gives the commands of a trial that lasts as long as the test."""
    with ExitStack() as stack:
        yield lambda rules, **options: stack.enter_context(in_trial(rules, **options))
