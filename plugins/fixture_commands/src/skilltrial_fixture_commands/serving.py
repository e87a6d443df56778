"""The doubles of all trials of a run: in each trial's place, programs and the folder through which they ask."""

from __future__ import annotations

import hashlib
import itertools
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from skilltrial.api import InvalidRequest, Offer, Place, Recorder, Trial
from skilltrial.replies.scripts import choice_fault, chosen, first_state

from .playing import Play
from .preparing import prepare
from .spool import Spool


class Made(NamedTuple):
    """The programs that are made, and those of them that read their standard input."""

    programs: tuple[str, ...]
    stdin: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Doubles:
    """What a run plays: a FixtureRun."""

    made: Made
    plays: Mapping[str, Play]
    seed: bytes

    @contextmanager
    def start(
        self, trial: Trial, options: Mapping[str, JsonValue], place: Place, recorder: Recorder
    ) -> Iterator[Offer]:
        """See FixtureRun. When the context is left nobody answers any more; what broke meanwhile is raised then."""
        fault = choice_fault(self.plays, options)
        if fault is not None:
            raise InvalidRequest(fault)
        play = self.plays[chosen(self.plays, options)]
        spool = Spool(
            folder=_nameless(place.tmp, self.seed),
            project=place.project,
            play=play,
            state=first_state(play.state, options),
            programs=self.made.programs,
            recorder=recorder,
        )
        spool.open()
        try:
            yield Offer("", tools=self.made.programs, programs=self._placed(place.home, spool.folder))
        finally:
            spool.close()

    def _placed(self, home: Path, spool: Path) -> Path:
        """Write the programs, and return their folder. Their names and places tell an agent nothing."""
        ours = _nameless(home / ".local", self.seed)
        folder = ours / "bin"
        folder.mkdir(parents=True)
        asking = ours / "run"
        asking.write_bytes(files(__package__).joinpath("shim.py").read_bytes())
        # The interpreter itself, not the link to it in an environment that bears a telling name.
        python = Path(sys.executable).resolve()
        for name in self.made.programs:
            reads = "1" if name in self.made.stdin else "0"
            words = shlex.join([str(python), "-I", "-S", str(asking), str(spool), name, reads])
            program = folder / name
            program.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding="utf-8")
            program.chmod(0o755)
        return folder


def _nameless(folder: Path, seed: bytes) -> Path:
    """A path in `folder` whose name tells an agent nothing, and is the same in every arm."""
    names = (hashlib.sha256(b"%d " % n + seed).hexdigest()[:12] for n in itertools.count())
    return next(path for name in names if not (path := folder / name).exists())


@contextmanager
def open_commands(made: Made, name: str, replies: bytes) -> Iterator[Doubles]:
    """Read the replies, a file of this name. Raises InvalidRequest for a faulty one."""
    plays, faults = prepare(made.programs, name, replies)
    if faults:
        raise InvalidRequest("\n".join(faults))
    yield Doubles(made, plays, replies)
