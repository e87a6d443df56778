"""What a killed runner leaves: places with copies of logins in them, and agents that still run.

A run writes the folders of its places into a file of the user's state folder, and holds a lock on that file. A file
that nobody holds any more belongs to a runner that was killed: the next run ends what still works in those places,
and removes them.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from skilltrial.record.workspace import remove

from . import family, linux

_PLACE = re.compile(r"[0-9a-f]{12}")
_GRACE = 0.5
"""Seconds between TERM and KILL."""


def state_folder() -> Path:
    """Where the files are: below the user's state folder, which no place ever is."""
    base = os.environ.get("XDG_STATE_HOME") or Path("~/.local/state").expanduser()
    return Path(base) / "skilltrial" / "running"


class Register:
    """The places of one run. Without a file (a state folder that can't be written) it notes nothing."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def begin(self, place: Path) -> None:
        """A place is being made."""
        self._write("place", place)

    def end(self, place: Path) -> None:
        """A place is gone."""
        self._write("gone", place)

    def _write(self, what: str, place: Path) -> None:
        if self._descriptor is not None:
            with suppress(OSError):
                os.write(self._descriptor, (json.dumps({what: str(place)}) + "\n").encode("ascii"))


@contextmanager
def register(folder: Path | None = None) -> Iterator[Register]:
    """Clean up after runners that were killed, then note the places of this run while inside."""
    import fcntl

    folder = state_folder() if folder is None else folder
    path = folder / f"{os.getpid()}-{secrets.token_hex(4)}.jsonl"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        clean_up(folder)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        yield Register(None)
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Register(descriptor)
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def clean_up(folder: Path) -> int:
    """End and remove what killed runners left; return how many places that were."""
    import fcntl

    cleaned = 0
    for path in sorted(folder.glob("*.jsonl")):
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError:
            continue
        try:
            with suppress(BlockingIOError):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                places = _places(path)
                _end_processes(places)
                for place in places:
                    remove(place)
                    cleaned += 1
                path.unlink(missing_ok=True)
        finally:
            os.close(descriptor)
    return cleaned


def _places(path: Path) -> list[Path]:
    """The places that a file names and does not call gone. Only folders that look like ours count."""
    open_places: dict[str, None] = {}
    for line in path.read_bytes().split(b"\n")[:-1]:
        with suppress(ValueError, AttributeError):
            for what, place in json.loads(line).items():
                open_places.pop(str(place), None)
                if what == "place":
                    open_places[str(place)] = None
    found = [Path(place) for place in open_places]
    return [place for place in found if _PLACE.fullmatch(place.name) and _ours(place)]


def _ours(place: Path) -> bool:
    try:
        return place.is_dir() and not place.is_symlink() and place.stat().st_uid == os.getuid()
    except OSError:
        return False


def _end_processes(places: list[Path]) -> None:
    """End every process that works in one of the places, and its descendants."""
    if not places or not linux.HERE:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        targets = list(_inhabitants(places))
        for target in targets:
            family.send(target, number)
        until = time.monotonic() + _GRACE
        while targets and time.monotonic() < until:
            time.sleep(0.02)
            targets = [
                one for one in targets if (now := family.process(one.pid)) and now.alive and now.name == one.name
            ]


def _inhabitants(places: list[Path]) -> Iterator[family.Process]:
    rows = family.table()
    signs = [os.fsencode(place) + end for place in places for end in (b"\0", b"/", b":")]
    own = os.getpid()
    roots = [
        pid for pid, row in rows.items() if pid != own and row.alive and any(s in family.traces(pid) for s in signs)
    ]
    for pid in family.descendants(rows, roots):
        if pid != own:
            yield rows[pid]
