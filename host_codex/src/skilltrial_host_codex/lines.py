"""Native lines as JSON objects, and looks into them that no shape of a line can break."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from skilltrial.api import Event, Record, Truncated, Unrecognized

Object = dict[str, Any]


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


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
        if not raw or raw.isspace():
            return
        if self._unread is not None:
            self._not_json(last=self._unread.turn != record.turn)
        try:
            value = decoded(raw)
        except (ValueError, RecursionError):
            self._unread = record
            return
        if isinstance(value, dict):
            self._tell(Line(record.seq, record.turn, value, record.redacted > 0, place, len(raw)))
        else:
            self._tell(Unrecognized(seq=record.seq, turn=record.turn, why="not_an_object"))

    def over(self) -> None:
        """No line follows."""
        if self._unread is not None:
            self._not_json(last=True)

    def _not_json(self, *, last: bool) -> None:
        record, self._unread = self._unread, None
        if record is None:
            return
        if last:
            self._tell(Truncated(seq=record.seq, turn=record.turn, where=record.source.value))
        else:
            self._tell(Unrecognized(seq=record.seq, turn=record.turn, why="not_json"))


def decoded(raw: str) -> Any:
    """The value of a text that is JSON, strictly. Raises ValueError, RecursionError."""
    if raw[0] == "{":
        value, end = _DECODER.raw_decode(raw)
        if end == len(raw):
            return value
    return _DECODER.decode(raw)


def text(value: object, key: str) -> str | None:
    """The string at `key`; None where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def number(value: object, key: str) -> int | None:
    """The whole number at `key`; None where there is none (true and false are no numbers)."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


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
