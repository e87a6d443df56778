"""The processes of this machine as a table, and how to end one of them without hitting another.

Linux: `/proc`. Elsewhere: `ps`, where a session and an environment can't be seen.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import linux

_GONE = (FileNotFoundError, ProcessLookupError, PermissionError)


@dataclass(frozen=True, slots=True)
class Process:
    """One row. `born` is in clock ticks since boot (Linux) or in seconds; `pid` and `born` name it for ever."""

    pid: int
    parent: int
    group: int
    session: int
    born: int
    alive: bool = True

    @property
    def name(self) -> tuple[int, int]:
        """What no other process ever has."""
        return self.pid, self.born


def now() -> int:
    """The present moment on the scale of `Process.born`."""
    if linux.HERE:
        return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
    return int(time.time())


def watch(pid: int) -> int | None:
    """A descriptor that is readable when this process of ours has ended; None where there is no such thing."""
    if not linux.HERE:
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # an old kernel, or no descriptor left: then it is asked again and again
        return None


def table() -> dict[int, Process]:
    """Every process that can be seen, by pid."""
    if linux.HERE:
        rows = (process(int(name)) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208 - speed
        return {row.pid: row for row in rows if row is not None}
    return _table_of_ps()


def process(pid: int) -> Process | None:
    """The row of one process (Linux), None where there is none."""
    try:
        descriptor = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except _GONE:
        return None
    try:
        # The name of a program may hold anything, blanks and brackets too; nothing after it does.
        fields = os.read(descriptor, 4096).rpartition(b") ")[2].split()
    except _GONE:
        return None
    finally:
        os.close(descriptor)
    return Process(pid, int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]), fields[0] not in b"ZX")


def children() -> frozenset[int]:
    """Our children of the main thread, to which orphans come, and of the calling one (Linux)."""
    found: set[int] = set()
    for thread in {os.getpid(), threading.get_native_id()}:
        try:
            descriptor = os.open(f"/proc/self/task/{thread}/children", os.O_RDONLY)
        except FileNotFoundError:  # a kernel without that file
            return frozenset(row.pid for row in table().values() if row.parent == os.getpid())
        try:
            while block := os.read(descriptor, 1 << 16):
                found.update(map(int, block.split()))
        finally:
            os.close(descriptor)
    return frozenset(found)


def descendants(rows: Mapping[int, Process], roots: Iterable[int]) -> set[int]:
    """The roots and all below them."""
    below: dict[int, list[int]] = {}
    for row in rows.values():
        below.setdefault(row.parent, []).append(row.pid)
    found: set[int] = set()
    ahead = list(roots)
    while ahead:
        pid = ahead.pop()
        if pid not in found:
            found.add(pid)
            ahead += below.get(pid, ())
    return found


def traces(pid: int) -> bytes:
    """What tells where a process came from (Linux): its environment, folder and first files, each ended by a NUL."""
    parts = []
    with suppress(OSError):
        parts.append(Path(f"/proc/{pid}/environ").read_bytes())
    for link in ("cwd", "fd/0", "fd/1", "fd/2"):
        with suppress(OSError):
            parts.append(os.fsencode(Path(f"/proc/{pid}/{link}").readlink()))
    return b"\0".join(parts) + b"\0"


def send(target: Process, number: signal.Signals) -> None:
    """Signal exactly this process: a pid that was given to another one since is left alone."""
    with suppress(OSError):
        if not linux.HERE:
            os.kill(target.pid, number)
            return
        descriptor = os.pidfd_open(target.pid)
        try:
            row = process(target.pid)
            if row is not None and row.name == target.name:
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)


def _table_of_ps() -> dict[int, Process]:
    columns = ["ps", "-A", "-o", "pid=,ppid=,pgid=,stat=,lstart="]
    listing = subprocess.run(columns, stdin=subprocess.DEVNULL, capture_output=True, check=False, env={"LC_ALL": "C"})
    rows = {}
    for line in listing.stdout.decode("ascii", "replace").splitlines():
        pid, parent, group, state, *started = line.split()
        born = int(time.mktime(time.strptime(" ".join(started), "%a %b %d %H:%M:%S %Y")))
        rows[int(pid)] = Process(int(pid), int(parent), int(group), 0, born, not state.startswith("Z"))
    return rows
