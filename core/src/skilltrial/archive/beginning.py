"""Folders in which archives are begun, beside their places: each is its process's own, however that process ends."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path


class Begun:
    """A new folder that is held by this process until `leave` is called; nobody else takes it away meanwhile.

    Raises OSError. It has its name once it is held: what has such a name and is not held was left by a killed process.
    """

    def __init__(self, place: Path) -> None:
        token = secrets.token_hex(4)
        new, self.path = (place.with_name(f".{place.name}.{token}.{end}") for end in ("new", "begun"))
        new.mkdir(mode=0o700, parents=True)
        self._descriptor: int | None = os.open(new, os.O_RDONLY)
        try:
            _hold(self._descriptor)
            new.rename(self.path)
        except OSError:
            self.leave()
            shutil.rmtree(new, ignore_errors=True)
            raise

    def leave(self) -> None:
        """Hold it no longer."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def clear_left(place: Path) -> None:
    """Take away what killed processes began for this place."""
    for left in place.parent.glob(f".{glob.escape(place.name)}.*.begun"):
        with suppress(OSError):
            descriptor = os.open(left, os.O_RDONLY)
            try:
                if _hold(descriptor):
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(descriptor)


def _hold(descriptor: int) -> bool:
    """Whether the folder is ours now; no where another process holds it, or where the disk knows no locks."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
