"""What only Linux offers and Python does not wrap. Elsewhere each function says False or does nothing."""

from __future__ import annotations

import os
import sys

HERE = sys.platform == "linux"
"""This is Linux."""
_SET_SUBREAPER = 36
_KEEP_SIZE, _PUNCH_HOLE = 1, 2


def become_subreaper(wanted: bool = True) -> bool:
    """Let orphans of our descendants become our children. Says whether it worked."""
    if not HERE:
        return False
    import ctypes

    return bool(ctypes.CDLL(None).prctl(_SET_SUBREAPER, int(wanted), 0, 0, 0) == 0)


def append_only(descriptor: int) -> None:
    """Let every write through `descriptor` go to the end, and let nobody make a memfd shorter."""
    if os.name == "nt":
        return
    import fcntl

    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
    if HERE:
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)


def give_back(descriptor: int, start: int, length: int) -> None:
    """Free the memory of a part of a memfd that nobody will read again; its size stays. A failure costs memory only."""
    if not HERE:
        return
    import ctypes

    fallocate = ctypes.CDLL(None).fallocate
    fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    fallocate(descriptor, _PUNCH_HOLE | _KEEP_SIZE, start, length)
