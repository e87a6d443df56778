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

    descriptor = os.open(root / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SourceUnusable(f"{root} is being written by another runner; wait for it, or end it") from error
        yield
        (root / LOCK).unlink(missing_ok=True)
    finally:
        os.close(descriptor)
