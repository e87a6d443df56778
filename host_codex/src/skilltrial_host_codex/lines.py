"""Native lines as JSON objects, and looks into them that no shape of a line can break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from skilltrial.api import Event, Record, Truncated, Unrecognized, read_strict_json

Object = dict[str, Any]


class Line(NamedTuple):
    """A line that is a JSON object. `place` is the index of its record, `size` its length in characters."""

    seq: int
    turn: int
    value: Object
    redacted: bool
    place: int
    size: int


class Lines:
    """Reads the lines of one source, in order; what is no JSON object is an event.

    A last line (of its turn) that does not parse was cut; any other one is unrecognized. So such a line is told with
    the next one, or at the end.
    """

    def __init__(self, tell: Callable[[Line | Event], None]) -> None:
        self._tell = tell
        self._unread: Record | None = None

    def take(self, place: int, record: Record) -> None:
        """Read the line of `record`, which is the one at `place`."""
        raw = record.raw
        try:
            value = read_strict_json(raw)
        except (ValueError, RecursionError):
            if raw and not raw.isspace():
                self._before(record)
                self._unread = record
            return
        if self._unread is not None:
            self._before(record)
        if isinstance(value, dict):
            self._tell(Line(record.seq, record.turn, value, record.redacted > 0, place, len(raw)))
        else:
            self._tell(Unrecognized(seq=record.seq, turn=record.turn, why="not_an_object"))

    def over(self) -> None:
        """No line follows."""
        self._before(None)

    def _before(self, following: Record | None) -> None:
        """Tell the line before `following`, where it was no JSON."""
        record, self._unread = self._unread, None
        if record is None:
            return
        if following is None or following.turn != record.turn:
            self._tell(Truncated(seq=record.seq, turn=record.turn, where=record.source.value))
        else:
            self._tell(Unrecognized(seq=record.seq, turn=record.turn, why="not_json"))


def text(value: object, key: str) -> str | None:
    """The string at `key`; None where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def number(value: object, key: str) -> int | None:
    """The whole number at `key`; None where there is none (true and false are no numbers)."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if type(found) is int else None


def inner(value: object, key: str) -> Object:
    """The object at `key`; an empty one where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def several(value: object, key: str) -> Sequence[Any]:
    """The list at `key`; an empty one where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else ()


def texts(value: object) -> str:
    """The text of a content: a string, or the joined texts of a list of text parts."""
    if isinstance(value, str):
        return value
    return "".join(text(part, "text") or "" for part in value) if isinstance(value, list) else ""
