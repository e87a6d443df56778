"""One runner at a time on an archive: a lock that the system takes back when its process dies, however it dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skilltrial.model.errors import SourceUnusable

from .layout import LOCK


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the lock of the archive in `root`. Raises SourceUnusable where another runner holds it."""
    import fcntl

    try:
        descriptor = os.open(root / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SourceUnusable(f"{root} can't be written: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SourceUnusable(f"{root} is being written by another runner; wait for it, or end it") from error
        if not _named(descriptor, root / LOCK):
            # Its holder ended, and took the file away, between our two calls.
            raise SourceUnusable(f"{root} was being written by another runner until now; try again")
        yield
        (root / LOCK).unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _named(descriptor: int, path: Path) -> bool:
    """Whether the open file is the one that has this name: only then would another runner meet our lock."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
