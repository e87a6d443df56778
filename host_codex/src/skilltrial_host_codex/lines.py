"""Native lines as JSON objects, and looks into them that no shape of a line can break."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from skilltrial.api import Event, Record, Source, Truncated, Unrecognized

Object = dict[str, Any]


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODE = json.JSONDecoder(parse_constant=_refuse).decode


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is a JSON object."""

    seq: int
    turn: int
    value: Object
    redacted: bool = False


def lines(records: Iterable[Record], source: Source) -> Iterator[Line | Event]:
    """The lines of `source`, in order; what is no JSON object is an event.

    A last line (of its turn) that does not parse was cut; any other one is unrecognized.
    """
    kept: Record | None = None
    for record in records:
        if record.source is source and record.raw.strip():
            if kept is not None:
                yield _line(kept, last=kept.turn != record.turn)
            kept = record
    if kept is not None:
        yield _line(kept, last=True)


def _line(record: Record, *, last: bool) -> Line | Event:
    try:
        value = _DECODE(record.raw)
    except (ValueError, RecursionError):
        if last:
            return Truncated(seq=record.seq, turn=record.turn, where=record.source.value)
        return Unrecognized(seq=record.seq, turn=record.turn, why="not_json")
    if not isinstance(value, dict):
        return Unrecognized(seq=record.seq, turn=record.turn, why="not_an_object")
    return Line(record.seq, record.turn, value, bool(record.redacted))


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
