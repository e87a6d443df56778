"""Files that a user names: a pipe or a device may have no end, or nobody who writes, and is no input."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_input(path: Path, most: int) -> bytes:
    """The bytes of the file: of one that has more than `most`, one byte more. Raises OSError, with words for people."""
    try:
        # Opening a pipe would wait for somebody who writes into it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError:
        raise OSError(errno.EINVAL, "that is no path") from None
    with os.fdopen(descriptor, "rb") as file:
        kind = os.fstat(file.fileno()).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        if not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "it is no regular file")
        return file.read(most + 1)
