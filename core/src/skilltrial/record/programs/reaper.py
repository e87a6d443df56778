"""Ends programs, and all that they leave behind.

On Linux we are a child subreaper while a run lasts: whatever a program's descendants do to hide (another session, a
scrubbed environment, a double fork), in the end they are our children. Whose they are is told by what they show
(the trial's mark, its folders, its sessions), by ancestry seen while the trial ran, and by who ran when they were
born.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from skilltrial.model.notes import Leftovers
from skilltrial.model.trial import Command

from . import family, linux
from .family import Process
from .kinship import Kinship
from .running import Running

MARK = "SESSION_MARK"
"""The variable by which a program's descendants are known; its name and value mean nothing to them."""
GRACE = 0.75
"""Seconds between TERM and KILL."""
_PATIENCE = 3.0
"""Seconds after which a process that survives KILL is called unstopped."""
_LOOK = 0.2
"""Seconds between two looks at who descends from whom; longer where a look is slow."""


class Reaper:
    """Knows every program that a run has started. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subreaper = linux.become_subreaper()
        self._kin = Kinship(adopted=self._subreaper)
        self._looked = time.monotonic()
        self._pause = _LOOK

    def close(self) -> None:
        """End every orphan that is left, now that no trial can need it."""
        if not self._subreaper:
            return
        for _ in range(50):
            with self._lock:
                rows = self._kin.rows(time.monotonic())
                left = family.descendants(rows, [row.pid for row in self._kin.orphans(rows)])
            for pid in left:
                family.send(rows[pid], signal.SIGKILL)
            if not left:
                break
            time.sleep(0.01)
        linux.become_subreaper(False)

    def start(self, command: Command, files: tuple[int, int, int], mark: str, folders: Iterable[Path]) -> Running:
        """Start a program in a session of its own. Raises OSError or ValueError where it can't be started.

        `files` are its stdin, stdout and stderr; a process that shows `mark` or one of `folders` descends from it.
        """
        # Under the lock, so that nobody takes a child for an orphan before it is known.
        with self._lock:
            born = family.now()
            process = subprocess.Popen(
                command.argv,
                cwd=command.cwd,
                env={**command.env, MARK: mark},
                stdin=files[0],
                stdout=files[1],
                stderr=files[2],
                start_new_session=True,
            )
            running = Running(
                mark.encode(), tuple(folders), process, born, family.watch(process.pid), sessions={process.pid}
            )
            self._kin.live.append(running)
        return running

    def look(self) -> None:
        """Remember who descends from whom, now and then, where it will be needed to tell whose an orphan is."""
        if self._subreaper and len(self._kin.live) < 2:
            return
        began = time.monotonic()
        if began - self._looked < self._pause or not self._lock.acquire(blocking=False):
            return
        try:
            rows = self._kin.rows(began)
            for running in self._kin.live:
                running.remember(rows, [running.process.pid])
            self._looked = time.monotonic()
            self._pause = max(_LOOK, 50 * (self._looked - began))
        finally:
            self._lock.release()

    def end(self, running: Running, grace: float) -> Leftovers | None:
        """End a program and all that descends from it: TERM, `grace` seconds, KILL. None where nothing was left."""
        # From here on it starts nothing that others would have to wait for.
        running.ending = True
        try:
            return None if self._alone(running) else self._end_tree(running, grace)
        finally:
            with self._lock:
                running.process.poll()
                self._kin.part(running)
            if running.watch is not None:
                os.close(running.watch)

    def _alone(self, running: Running) -> bool:
        if not running.exited():
            return False
        if self._subreaper:
            with self._lock:
                return not family.children() - self._kin.mains()
        try:
            os.killpg(running.process.pid, 0)
        except OSError:
            return not running.seen
        return False

    def _end_tree(self, running: Running, grace: float) -> Leftovers | None:
        began = time.monotonic()
        told: set[tuple[int, int]] = set()
        counted: set[tuple[int, int]] = set()
        attributed = True
        pause = 0.002
        while True:
            exited = running.exited()
            left, certain = self._left(running)
            attributed = attributed and certain
            here = {row.name for row in left}
            passed = time.monotonic() - began
            if exited:
                counted |= here
                if not left:
                    return None if attributed and not counted else Leftovers(ended=len(counted), attributed=attributed)
            if passed > grace + _PATIENCE:
                unstopped = len(left) + (not exited)
                return Leftovers(ended=len(counted - here), unstopped=unstopped, attributed=attributed)
            kill = passed >= grace
            number = signal.SIGKILL if kill else signal.SIGTERM
            if not exited and (kill or not told):
                running.send(number)
            for row in left:
                if kill or row.name not in told:
                    family.send(row, number)
            told |= here | {(running.process.pid, running.born)}
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)

    def _left(self, running: Running) -> tuple[list[Process], bool]:
        """What still runs and is this program's to end, itself left out; and whether all is surely attributed."""
        asked = time.monotonic()
        with self._lock:
            rows = self._kin.rows(asked)
            roots = [] if running.exited() else [running.process.pid]
            doubtful: list[int] = []
            certain = True
            for orphan in self._kin.orphans(rows):
                owners = self._kin.owners(orphan, rows)
                trials = {one.mark for one in owners}
                if trials == {running.mark}:
                    roots.append(orphan.pid)
                elif running.mark in trials:
                    certain = False
                    if all(one.ending for one in owners):
                        doubtful.append(orphan.pid)
            if not self._subreaper:
                group = running.process.pid
                roots += [row.pid for row in rows.values() if row.group == group or row.name in running.seen]
            pids = running.remember(rows, roots) | family.descendants(rows, doubtful)
        return [rows[pid] for pid in pids if pid != running.process.pid and rows[pid].alive], certain
