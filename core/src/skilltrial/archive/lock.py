"""One runner at a time on an archive: a lock that the system takes back when its process dies, however it dies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skilltrial.model.errors import SourceUnusable

from .layout import LOCK


class Held(Exception):
    """Somebody else holds the lock. `by` is what the holder wrote there; None where it has ended in this moment."""

    def __init__(self, by: str | None) -> None:
        super().__init__(by)
        self.by = by


@contextmanager
def locked(root: Path) -> Iterator[None]:
    """Hold the lock of the archive in `root`. Raises SourceUnusable where another runner holds it."""
    try:
        with hold(root / LOCK):
            yield
    except Held as error:
        if error.by is None:
            raise SourceUnusable(f"{root} was being written by another runner until now; try again") from error
        raise SourceUnusable(f"{root} is being written by another runner; wait for it, or end it") from error


@contextmanager
def hold(path: Path, told: str = "") -> Iterator[None]:
    """Hold the lock at `path`, and write there who holds it. Raises Held, SourceUnusable."""
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SourceUnusable(f"{path.parent} can't be written: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Held(os.read(descriptor, _MOST).decode("utf-8", "replace")) from error
        if not _named(descriptor, path):
            # Its holder ended, and took the file away, between our two calls.
            raise Held(None)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, told.encode())
        yield
        path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


_MOST = 4096
"""Bytes that a holder may write."""


def _named(descriptor: int, path: Path) -> bool:
    """Whether the open file is the one that has this name: only then would another runner meet our lock."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
