"""A place with a launcher that plays, a recorder that keeps, and records as a trial would have left them."""

import hashlib
import json
from dataclasses import dataclass, field

import pytest

from skilltrial.api import (
    Exited,
    Finished,
    Limits,
    Place,
    Record,
    SkillPlaced,
    Source,
    Spawned,
    Trial,
    TrialKey,
    TurnSent,
    as_raw,
)

DIGEST = hashlib.sha256(b"x").hexdigest()
BODY = hashlib.sha256(b"body").hexdigest()


@dataclass
class Launcher:
    """Plays programs: each run prints the next of `outputs` and ends with the next of `endings` (else with 0)."""

    outputs: list = field(default_factory=list)
    endings: list = field(default_factory=list)
    commands: list = field(default_factory=list)

    def run(self, command, recorder, on_line=None):
        self.commands.append(command)
        for line in self.outputs.pop(0) if self.outputs else []:
            recorder.record(Source.STDOUT, line)
            if on_line:
                on_line(line)
        ending = self.endings.pop(0) if self.endings else Exited(code=0)
        recorder.note(ending)
        return Finished(ending)


@dataclass
class Recorder:
    """Keeps what it is given as records."""

    turn: int = 1
    records: list = field(default_factory=list)

    def record(self, source, *lines):
        for raw in lines:
            self.records.append(Record(len(self.records) + 1, 0.0, source, self.turn, raw))

    def note(self, note):
        self.record(Source.RUNNER, as_raw(note))


@pytest.fixture
def launcher():
    return Launcher()


@pytest.fixture
def recorder():
    return Recorder()


@pytest.fixture
def place(tmp_path, launcher):
    """A place; `place.project` and the rest exist."""
    for name in ("project", "home", "tmp"):
        (tmp_path / name).mkdir()
    return Place(
        project=tmp_path / "project",
        home=tmp_path / "home",
        tmp=tmp_path / "tmp",
        environment={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home")},
        launcher=launcher,
    )


@pytest.fixture
def trial():
    return Trial(TrialKey(case="a", arm="with_skill", label="1"), ("Work.", "Go on."), Limits())


class Story:
    """`story(*turns)`: the records of a trial. A turn: lines (text, or an event as a dict) and an ending."""

    digest = DIGEST
    body = BODY

    def __call__(self, *turns, placed=".agents/skills/notes", exits=True):
        recorder = Recorder(turn=0)
        if placed:
            recorder.note(SkillPlaced(skill="notes", path=placed, sha256=DIGEST, body_sha256=BODY))
        for number, (lines, ending) in enumerate(turns, start=1):
            recorder.turn = number
            recorder.note(TurnSent(turn=number, prompt_sha256=DIGEST))
            recorder.note(Spawned(argv=("agent",)))
            for line in lines:
                recorder.record(Source.STDOUT, line if isinstance(line, str) else json.dumps(line))
            if exits and ending is not None:
                recorder.note(Exited(code=ending) if isinstance(ending, int) else ending)
        return tuple(recorder.records)


@pytest.fixture
def story():
    return Story()
