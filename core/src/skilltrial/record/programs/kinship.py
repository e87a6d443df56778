"""Whose an orphan is. Not safe from several threads: the reaper holds its lock around every call."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress

from . import family, linux
from .family import Process
from .running import Running

Name = tuple[int, int]


class Kinship:
    """The programs that run, and the processes that came to us as orphans.

    `adopted` says that orphans become our children; else none is ever seen.
    """

    def __init__(self, adopted: bool) -> None:
        self.live: list[Running] = []
        self._adopted = adopted
        self._since = family.now()
        self._owners: dict[Name, list[Running]] = {}
        self._rows: dict[int, Process] = {}
        self._read = 0.0
        self._parted: set[int] = set()

    def rows(self, asked: float) -> dict[int, Process]:
        """The table of processes, read later than `asked`. Many that wait for the lock share one reading."""
        if self._read < asked:
            self._read = time.monotonic()
            self._rows = family.table()
            self._parted.clear()
            names = {row.name for row in self._rows.values()}
            self._owners = {name: owners for name, owners in self._owners.items() if name in names}
        return self._rows

    def mains(self) -> set[int]:
        """The programs themselves."""
        return {one.process.pid for one in self.live}

    def part(self, running: Running) -> None:
        """A program has ended, and all that it left behind."""
        self.live.remove(running)
        if self._rows:
            self._parted.add(running.process.pid)

    def orphans(self, rows: Mapping[int, Process]) -> list[Process]:
        """Those that came to us because their parents died; dead ones among them are reaped on the way."""
        if not self._adopted:
            return []
        us, ours = os.getpid(), os.getsid(0)
        # The table may still show programs that have ended since it was read.
        mains = self.mains() | self._parted
        found = [
            row
            for row in rows.values()
            if row.parent == us and row.session != ours and row.pid not in mains and row.born >= self._since
        ]
        for row in found:
            if not row.alive:
                with suppress(ChildProcessError):
                    os.waitid(os.P_PID, row.pid, os.WEXITED | os.WNOHANG)
        return [row for row in found if row.alive]

    def owners(self, orphan: Process, rows: Mapping[int, Process]) -> list[Running]:
        """Those that an orphan may descend from, by the strongest sign that there is.

        Told once for each orphan, and at the latest when its program ends: later that one would be missing.
        """
        if orphan.name not in self._owners:
            owners = self._ask(orphan)
            for pid in family.descendants(rows, [orphan.pid]):
                # A child of an orphan in doubt stays in doubt when it is orphaned itself.
                self._owners.setdefault(rows[pid].name, owners)
        return self._owners[orphan.name]

    def _ask(self, orphan: Process) -> list[Running]:
        traces = family.traces(orphan.pid) if linux.HERE else b""
        for sign in (Running.marked, Running.housed, Running.older):
            owners = [one for one in self.live if sign(one, orphan, traces)]
            if owners:
                return owners
        return []
