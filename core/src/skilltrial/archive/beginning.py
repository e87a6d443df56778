"""Folders in which archives are begun, beside their places: each is its process's own, however that process ends."""

from __future__ import annotations

import glob
import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

_NAME = re.compile(r"\.(?P<process>[0-9]+)-[0-9a-f]+\.begun")


class Begun:
    """A new folder that is held by this process until `leave` is called; nobody else takes it away meanwhile.

    Its name says whose it is, for the moment before it is held. Raises OSError.
    """

    def __init__(self, place: Path) -> None:
        self.path = place.with_name(f".{place.name}.{os.getpid()}-{secrets.token_hex(4)}.begun")
        self.path.mkdir(mode=0o700, parents=True)
        self._descriptor: int | None = os.open(self.path, os.O_RDONLY)
        _hold(self._descriptor)

    def leave(self) -> None:
        """Hold it no longer."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def clear_left(place: Path) -> None:
    """Take away what killed processes began for this place."""
    for left in place.parent.glob(f".{glob.escape(place.name)}.*.begun"):
        named = _NAME.fullmatch(left.name.removeprefix(f".{place.name}"))
        if named is None or _lives(int(named["process"])):
            continue
        with suppress(OSError):
            descriptor = os.open(left, os.O_RDONLY)
            try:
                if _hold(descriptor):
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(descriptor)


def _lives(process: int) -> bool:
    """Whether another process of this number is there: it may be about to hold its folder."""
    if process == os.getpid():
        return False  # of an earlier process: ours are held
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _hold(descriptor: int) -> bool:
    """Whether the folder is ours now; no where another process holds it, or where the disk knows no locks."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
