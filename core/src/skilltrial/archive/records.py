"""The records of one file: a few are held, many are read anew each time they are gone through."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.records import Record

LARGE = 8 << 20
"""A file of so many bytes is not held."""
_BLOCK = 1 << 18


class RecordFile(Sequence[Record]):
    """The records of a file, in order. Nothing of them is held but where each begins.

    With a `digest` every time that the file is gone through it is compared with it, so that a file that was changed
    behind our back is refused: ArchiveRefused is raised by what reads, also for a line that is no record.
    """

    def __init__(self, path: Path, digest: str | None = None) -> None:
        self.path = path
        self._digest = digest
        self._begins: array[int] | None = None
        self._block = (0, b"")

    def __iter__(self) -> Iterator[Record]:
        """Read them, one line at a time."""
        running = hashlib.sha256()
        for line in self._lines():
            running.update(line)
            if line != b"\n":
                yield self._record(line)
        if self._digest is not None and running.hexdigest() != self._digest:
            raise self._refusal("changed while it was read")

    def __len__(self) -> int:
        """How many there are."""
        return len(self._index()) - 1

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        """Read one, or some."""
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        begins = self._index()
        place = at if at >= 0 else len(self) + at
        if not 0 <= place < len(self):
            raise IndexError(at)
        return self._record(self._bytes(begins[place], begins[place + 1]))

    def _index(self) -> array[int]:
        if self._begins is None:
            begins, place = array("Q"), 0
            for line in self._lines():
                if line != b"\n":
                    begins.append(place)
                place += len(line)
            begins.append(place)
            self._begins = begins
        return self._begins

    def _bytes(self, begin: int, end: int) -> bytes:
        """Those of one line; its neighbours are kept, since they are asked for next."""
        first, block = self._block
        if not first <= begin <= end <= first + len(block):
            first = max(0, begin - _BLOCK // 4)
            try:
                with self.path.open("rb") as file:
                    file.seek(first)
                    block = file.read(max(_BLOCK, end - first))
            except OSError as error:
                raise self._refusal(f"can't be read: {error.strerror}") from error
            self._block = first, block
        return block[begin - first : end - first]

    def _lines(self) -> Iterator[bytes]:
        try:
            with self.path.open("rb") as file:
                yield from file
        except OSError as error:
            raise self._refusal(f"can't be read: {error.strerror}") from error

    def _record(self, line: bytes) -> Record:
        try:
            return Record.of_line(line)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise self._refusal("holds a line that is no record") from None

    def _refusal(self, why: str) -> ArchiveRefused:
        return ArchiveRefused(f"{self.path} {why}")


def read_records(data: bytes) -> tuple[Record, ...]:
    """The records of one file. Raises ValueError, KeyError or TypeError for what is none."""
    return tuple(Record.of_line(line) for line in data.split(b"\n") if line)


def records_at(path: Path) -> Sequence[Record]:
    """The records of a file that is not sealed yet; none where there is no file.

    Raises OSError, and as `read_records` or RecordFile.
    """
    try:
        if path.stat().st_size >= LARGE:
            return RecordFile(path)
        return read_records(path.read_bytes())
    except FileNotFoundError:
        return ()
