"""What lines say: held while it is little, read again from its record where it is much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from skilltrial.api import Record, read_json

from .lines import Line

_MOST = 4_000_000
"""So many characters of lines are held."""


class Later(NamedTuple):
    """A value that stays in its record: the one under `keys` on the line of the record at `place`.

    `text`: that value is JSON written as a string, and its value is meant.
    """

    records: Sequence[Record]
    place: int
    keys: tuple[str, ...]
    text: bool = False

    def read(self) -> Any:
        """The value."""
        value = read_json(self.records[self.place].raw)
        for key in self.keys:
            value = value[key]
        return read_json(value) if self.text else value


class Shelf:
    """Where the values of a trial's lines are kept."""

    def __init__(self, records: Sequence[Record], most: int = _MOST) -> None:
        self.records = records
        self._left = most

    @property
    def full(self) -> bool:
        """Whether values are no longer held."""
        return self._left <= 0

    def holds(self, line: Line) -> bool:
        """Whether there is still room for what a line says."""
        if self._left <= 0:
            return False
        self._left -= line.size
        return True

    def again(self, place: int, key: str) -> Any:
        """What stands under `key` on the line of the record at `place`."""
        return read_json(self.records[place].raw)[key]

    def kept(self, line: Line, value: Any, *keys: str, text: bool = False) -> Any:
        """`value`, which stands under `keys` on the line, or where it can be read again."""
        if self.holds(line):
            return value
        return value if _small(value) else Later(self.records, line.place, keys, text)


def read(value: Any) -> Any:
    """The value that `kept` kept."""
    return value.read() if type(value) is Later else value


def _small(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) < 40)
