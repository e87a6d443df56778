"""A program that runs, and how to tell whether a process descends from it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from . import family, linux
from .family import Process


@dataclass(eq=False, slots=True)
class Running:
    """A program that was started, and what is known of its descendants."""

    mark: bytes
    """The trial's; programs of one trial have it in common."""
    folders: tuple[Path, ...]
    process: subprocess.Popen[bytes]
    born: int
    watch: int | None
    """A pidfd, where there is such a thing."""
    ending: bool = False
    sessions: set[int] = field(default_factory=set)
    seen: set[tuple[int, int]] = field(default_factory=set)

    def exited(self) -> bool:
        """The program itself has ended. Where there are pidfds its pid stays taken until `Supervisor.end`."""
        if self.watch is None or not linux.HERE:
            return self.process.poll() is not None
        return os.waitid(os.P_PIDFD, self.watch, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def send(self, number: signal.Signals) -> None:
        """Signal the program itself, if it still runs."""
        if self.watch is None:
            self.process.send_signal(number)
            return
        # Not by `Popen.send_signal`: it would take the exit code away before `exited` has seen it.
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.watch, number)

    def marked(self, row: Process, traces: bytes) -> bool:
        """A process shows the trial's mark, or was seen to descend from this program."""
        return row.name in self.seen or row.session in self.sessions or self.mark in traces

    def housed(self, _row: Process, traces: bytes) -> bool:
        """A process works in the trial's folders, or was told of them."""
        return any(os.fsencode(folder) + end in traces for folder in self.folders for end in (b"\0", b"/", b":"))

    def older(self, row: Process, _traces: bytes) -> bool:
        """A process is younger than this program."""
        return self.born <= row.born

    def remember(self, rows: Mapping[int, Process], roots: list[int]) -> set[int]:
        """The roots and all below them; they are this program's from now on, whatever becomes of their parents."""
        pids = family.descendants(rows, [pid for pid in roots if pid in rows])
        self.seen |= {rows[pid].name for pid in pids}
        self.sessions |= {rows[pid].session for pid in pids} - {0}
        return pids
