"""Programs run to their ends: what they took in wall time, CPU and memory; and two of them in turn, for ratios."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

SMAPS = "/proc/{}/smaps_rollup"
HAS_PSS = Path(SMAPS.format("self")).exists()
"""Linux: memory can be told fairly, pages that are shared counted by shares."""
_EVERY = 0.03
"""Seconds between two looks at memory."""


class MeasurementFailed(Exception):
    """A program that was to be measured did not end as it should."""


@dataclass(frozen=True, slots=True)
class Cost:
    """`wall` and `cpu` are seconds; `cpu` includes all waited-for descendants. `pss` is the peak in MiB, if asked."""

    wall: float
    cpu: float
    pss: float = 0.0


def run(
    argv: Sequence[str | Path], env: Mapping[str, str], *, memory: bool = False, codes: Sequence[int] = (0,)
) -> Cost:
    """Run a program to its end. Raises MeasurementFailed where its exit code is not one of `codes`."""
    with tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        process = subprocess.Popen(
            [os.fspath(word) for word in argv],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        watch = _Memory(process.pid) if memory else None
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        pss = watch.peak() if watch else 0.0
        if process.returncode not in codes:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").strip().splitlines()
            raise MeasurementFailed(f"{argv[0]} ended with {process.returncode}: {said[-1] if said else 'no word'}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, pss)


def pairs(count: int, floor: Callable[[], T], ours: Callable[[], T]) -> tuple[list[T], list[T]]:
    """Measure both in turn, `count` times, the first of each pair changing: drift of the machine cancels out.

    Returns what the floor and what ours gave, pair by pair.
    """
    floors: list[T] = []
    others: list[T] = []
    for number in range(count):
        if number % 2:
            others.append(ours())
            floors.append(floor())
        else:
            floors.append(floor())
            others.append(ours())
    return floors, others


class _Memory:
    """Looks at a process's memory until it is gone. Descendants are not counted: they are the agents."""

    def __init__(self, pid: int) -> None:
        self._file = SMAPS.format(pid)
        self._peak = 0
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._stop = threading.Event()
        self._thread.start()

    def peak(self) -> float:
        """The most that was seen, in MiB."""
        self._stop.set()
        self._thread.join()
        return self._peak / 1024

    def _look(self) -> None:
        while not self._stop.is_set():
            try:
                with Path(self._file).open("rb") as lines:
                    found = next((line for line in lines if line.startswith(b"Pss:")), b"Pss: 0 kB")
            except OSError:  # it has ended
                return
            self._peak = max(self._peak, int(found.split()[1]))
            self._stop.wait(_EVERY)
