"""The zoo: starts badly behaved agents, and looks after each test for what outlived them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest

from skilltrial.model.notes import Leftovers
from skilltrial.model.part import Part
from skilltrial.model.suite import Limits
from skilltrial.model.trial import Command, Finished
from skilltrial.model.words import Source
from skilltrial.record.programs import family
from skilltrial.record.programs.supervisor import Supervisor
from skilltrial.record.workspace import Folders, make_folders, name_folders, remove

ANIMAL = Path(__file__).parent / "animal.py"
MOST = Limits(seconds=20, stdout=20_000_000, stderr=1_000_000)


@dataclass
class Kept:
    """A recorder that keeps everything in memory."""

    turn: int = 0
    lines: list[tuple[Source, str]] = field(default_factory=list)
    notes: list[Part] = field(default_factory=list)

    def record(self, source: Source, *lines: str) -> None:
        self.lines.extend((source, line) for line in lines)

    def note(self, note: Part) -> None:
        self.notes.append(note)

    def of(self, source: Source) -> list[str]:
        return [line for one, line in self.lines if one is source]

    @property
    def leftovers(self) -> Leftovers | None:
        return next((note for note in self.notes if isinstance(note, Leftovers)), None)


@dataclass
class Zoo:
    """Runs animals in one place under one supervisor."""

    supervisor: Supervisor
    folders: Folders
    marker: str

    def run(
        self,
        animal: str,
        argument: str = "",
        *,
        limits: Limits = MOST,
        stdin: bytes = b"",
        recorder: Kept | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> tuple[Finished, Kept]:
        argv = (sys.executable, "-S", str(ANIMAL), animal, self.marker, argument)
        return self.start(argv, limits=limits, stdin=stdin, recorder=recorder, on_line=on_line)

    def start(
        self,
        argv: tuple[str, ...],
        *,
        limits: Limits = MOST,
        stdin: bytes = b"",
        recorder: Kept | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> tuple[Finished, Kept]:
        kept = recorder or Kept()
        command = Command(argv, self.folders.project, {"PATH": os.environ["PATH"]}, stdin)
        finished = self.supervisor.launcher(limits, self.folders).run(command, kept, on_line)
        return finished, kept

    @contextmanager
    def elsewhere(self) -> Iterator[Zoo]:
        """The same zoo in another place."""
        folders = make_folders(name_folders())
        try:
            yield Zoo(self.supervisor, folders, self.marker)
        finally:
            remove(folders.root)

    def kept(self) -> Kept:
        """A new recorder."""
        return Kept()

    def survivors(self) -> list[int]:
        """Processes that show the marker on their command line."""
        found = []
        for row in family.table().values():
            try:
                line = Path(f"/proc/{row.pid}/cmdline").read_bytes()
            except OSError:
                continue
            if self.marker.encode() in line and row.alive:
                found.append(row.pid)
        return found


@contextmanager
def opened() -> Iterator[Zoo]:
    """A zoo in a fresh place under a fresh supervisor."""
    folders = make_folders(name_folders())
    try:
        with Supervisor() as supervisor:
            yield Zoo(supervisor, folders, f"zoo-{uuid4().hex}")
    finally:
        remove(folders.root)


@pytest.fixture
def zoo() -> Iterator[Zoo]:
    """Checks after each test that nothing survived, no zombie is ours, no descriptor leaked, and a run still works."""
    if sys.platform != "linux":
        pytest.skip("looks for survivors in /proc")
    before = set(Path("/proc/self/fd").iterdir())
    with opened() as zoo:
        yield zoo
        assert zoo.survivors() == []
        if not zoo.supervisor.cancelled:
            finished, kept = zoo.start(("/bin/sh", "-c", "echo unharmed"))
            assert (finished.code, kept.lines) == (0, [(Source.STDOUT, "unharmed")])
    with pytest.raises(ChildProcessError):
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    assert set(Path("/proc/self/fd").iterdir()) == before
