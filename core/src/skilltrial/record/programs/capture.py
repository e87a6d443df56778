"""One stream of a program: kept in a file without a name, read while it grows.

A file and not a pipe, because many programs exit before a pipe is drained. On Linux it is a memfd, so that nothing
raw touches a disk, and it can't be made shorter: `echo x > /dev/stderr` in a program takes nothing back.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from . import linux

BLOCK = 1 << 18
"""Bytes read at once; also what a stream may hold in memory beyond its longest line."""
_KEEP = 1 << 23
"""What was read is given back to the system in pieces of this size."""


def nameless(name: str) -> int:
    """A descriptor of an empty file that has no name on any disk. `name` shows in /proc only."""
    if linux.HERE:
        return os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    descriptor, path = tempfile.mkstemp()
    os.unlink(path)  # noqa: PTH108 - a name that lived for a moment
    return descriptor


def prompt_file(name: str, content: bytes) -> int:
    """A descriptor from which a program reads `content`, then the end."""
    descriptor = nameless(name)
    try:
        written = 0
        while written < len(content):
            # pwrite leaves the offset, which the program inherits, at the start.
            written += os.pwrite(descriptor, memoryview(content)[written:], written)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


class Capture:
    """What a program prints on one stream, at most `limit` bytes of it. `over` says that there was more.

    The first `limit` bytes are always read, whatever ended the program, so that a limit loses nothing before it.
    """

    def __init__(self, name: str, limit: int) -> None:
        self.taken = 0
        self.over = False
        self.behind = False
        self._limit = limit
        self._rest: list[bytes] = []
        self._released = 0
        self.descriptor = nameless(name)
        linux.append_only(self.descriptor)

    def read(self) -> list[str]:
        """The lines that a block of new bytes completes. `behind` then says whether more is waiting."""
        room = self._limit - self.taken
        block = b"" if self.over else os.pread(self.descriptor, min(BLOCK, room + 1), self.taken)
        self.behind = len(block) == BLOCK
        if len(block) > room:
            self.over = True
            block = block[:room]
        self.taken += len(block)
        if self.taken - self._released >= _KEEP:
            linux.give_back(self.descriptor, self._released, self.taken - self._released)
            self._released = self.taken
        return self._lines(block)

    def drain(self) -> Iterator[str]:
        """All lines that are there, and at last one without a newline. To be called when nothing prints any more."""
        before = -1
        while before < self.taken:
            before = self.taken
            yield from self.read()
        if self._rest:
            last, self._rest = b"".join(self._rest), []
            yield _text(last)

    def _lines(self, block: bytes) -> list[str]:
        whole, newline, rest = block.rpartition(b"\n")
        if not newline:
            self._rest += [rest] if rest else []
            return []
        if self._rest:
            whole = b"".join((*self._rest, whole))
        self._rest = [rest] if rest else []
        return _text(whole).split("\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
