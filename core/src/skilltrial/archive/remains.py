"""What the calls of a run left on real servers, for whoever cleans up. A list, and no evidence: it is read as it lies.

A trial that is not sealed is forgotten, what it did to a real server is not: that is kept in a file of its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.records import Record
from skilltrial.model.wire import left_behind

from . import layout
from .records import RecordFile


@dataclass(frozen=True, slots=True)
class Remain:
    """One thing: in which trial (its folder in the archive), behind which fixture, and what it is, in words."""

    trial: str
    fixture: str
    what: str

    def __str__(self) -> str:
        return f"{self.trial.removeprefix(f'{layout.TRIALS}/')}: {self.fixture}: {self.what}"


def remains(root: Path) -> tuple[Remain, ...]:
    """Everything that the run in `root` left, whether it ended, was interrupted or still runs."""
    found: list[Remain] = []
    for top in (layout.TRIALS, layout.EARLIER, layout.UNSEALED):
        for path in sorted((root / top).rglob(f"{layout.FIXTURE_RECORDS}*.jsonl")):
            found += _of_file(path, _trial(path.parent.relative_to(root)))
    return (*found, *_kept(root))


def keep_remains(root: Path, folder: Path) -> None:
    """Keep what the trial in `folder`, which is about to be forgotten, left behind. Raises OSError."""
    trial = _trial(folder.relative_to(root))
    lines = [
        json.dumps({"trial": one.trial, "fixture": one.fixture, "what": one.what}, sort_keys=True) + "\n"
        for path in sorted(folder.rglob(f"{layout.FIXTURE_RECORDS}*.jsonl"))
        for one in _of_file(path, trial)
    ]
    if not lines:
        return
    descriptor = os.open(root / layout.LEFT, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, "".join(lines).encode("ascii"))
    finally:
        os.close(descriptor)


def keep_all_remains(root: Path) -> None:
    """Keep what every trial left that is not sealed. Raises OSError."""
    unsealed = root / layout.UNSEALED
    for folder in sorted(unsealed.iterdir()) if unsealed.is_dir() else ():
        if folder.is_dir():
            keep_remains(root, folder)


def _of_file(path: Path, trial: str) -> Iterator[Remain]:
    fixture = path.name.removeprefix(layout.FIXTURE_RECORDS).removesuffix(".jsonl")
    yield from (Remain(trial, fixture, what) for what in left_behind(_whole(path)))


def _whole(path: Path) -> Iterator[Record]:
    """The records of a file up to a line that is none: the last one of a runner that was killed may be torn."""
    with suppress(ArchiveRefused):
        yield from RecordFile(path)


def _trial(folder: Path) -> str:
    """A trial by the folder that holds its records, or will hold them."""
    parts = folder.as_posix().split("/")
    return parts[1].replace("~", "/") if parts[0] in (layout.EARLIER, layout.UNSEALED) else "/".join(parts[:4])


def _kept(root: Path) -> Iterator[Remain]:
    path = root / layout.LEFT
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        with suppress(ValueError, KeyError, TypeError):
            one = json.loads(line)
            yield Remain(str(one["trial"]), str(one["fixture"]), str(one["what"]))
