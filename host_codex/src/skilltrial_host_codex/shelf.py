"""What lines say: held while it is little, read again from its record where it is much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skilltrial.api import Record, read_json

from .lines import Line

_MOST = 4_000_000
"""So many characters of lines are held."""
_KEYS = ("arguments", "input", "action", "output", "tools", "item")
"""What of a row's payload may be read again."""


class Later(int):
    """A value that stays in its record: `16 * place + 2 * key + text`, one number, since of these there are many.

    `place` is the index of the record, `key` that of the payload's key; where `text`, the value is JSON written as a
    string, and what that says is meant.
    """

    __slots__ = ()


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

    def kept(self, line: Line, value: Any, key: str, *, text: bool = False) -> Any:
        """`value`, which stands under `key` of the payload, or where it can be read again."""
        if self.holds(line):
            return value
        return value if _small(value) else Later(16 * line.place + 2 * _KEYS.index(key) + text)

    def read(self, value: Any) -> Any:
        """The value that `kept` kept."""
        if type(value) is not Later:
            return value
        place, which = divmod(value, 16)
        key, text = divmod(which, 2)
        found = read_json(self.records[place].raw)["payload"][_KEYS[key]]
        return read_json(found) if text else found


def _small(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) < 40)
