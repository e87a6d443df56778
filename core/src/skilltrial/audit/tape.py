"""A record file as a value that can be cut and pasted: lines keep their form, and are numbered anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from pydantic import JsonValue

from skilltrial.model.records import Record
from skilltrial.model.words import Source


@dataclass(frozen=True)
class Tape:
    """The records of one file, in order."""

    records: tuple[Record, ...]

    @cached_property
    def values(self) -> tuple[JsonValue, ...]:
        """What each line holds as JSON; None where it holds none (or null)."""
        return tuple(_value(record.raw) for record in self.records)

    def of(self, *sources: Source) -> tuple[int, ...]:
        """Where the lines of these sources stand."""
        return tuple(at for at, record in enumerate(self.records) if record.source in sources)

    @cached_property
    def told(self) -> tuple[int, ...]:
        """Where the lines stand that the runner did not write itself."""
        return tuple(at for at, record in enumerate(self.records) if record.source is not Source.RUNNER)

    def without(self, gone: Collection[int]) -> Tape:
        """The tape without some lines."""
        return Tape(tuple(record for at, record in enumerate(self.records) if at not in gone))

    def with_raw(self, raws: Mapping[int, str]) -> Tape:
        """The tape with other texts in some lines."""
        return Tape(
            tuple(replace(record, raw=raws[at]) if at in raws else record for at, record in enumerate(self.records))
        )

    def with_record(self, at: int, record: Record) -> Tape:
        """The tape with another record in a line's place."""
        return Tape((*self.records[:at], record, *self.records[at + 1 :]))

    def with_inserted(self, at: int, more: Iterable[Record]) -> Tape:
        """The tape with records put before line `at`."""
        return Tape((*self.records[:at], *more, *self.records[at:]))

    def edited(self, edit: Callable[[JsonValue], JsonValue], lines: Iterable[int] | None = None) -> Tape:
        """The tape with each (or each of some) JSON lines edited; lines that come out equal keep their text."""
        raws = {}
        for at in self.told if lines is None else lines:
            before = self.values[at]
            if before is None:
                continue
            # As texts: to `==`, 1 is 1.0 and true.
            text = json.dumps(edit(before))
            if text != json.dumps(before):
                raws[at] = text
        return self.with_raw(raws)

    def data(self) -> bytes:
        """The bytes of the file, its records numbered from 1."""
        return "".join(replace(record, seq=at).line() for at, record in enumerate(self.records, 1)).encode("ascii")


def _value(raw: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value


def parts(value: JsonValue) -> Iterator[JsonValue]:
    """The value and everything below it, also in texts that hold an object as JSON."""
    pending = [value]
    while pending:
        one = pending.pop()
        yield one
        if isinstance(one, dict):
            pending += reversed(list(one.values()))
        elif isinstance(one, list):
            pending += reversed(one)
        elif (inner := embedded(one)) is not None:
            pending.append(inner)


def embedded(value: JsonValue) -> JsonValue:
    """The object that a text holds as JSON; None where it holds none."""
    if not isinstance(value, str) or not value.startswith("{"):
        return None
    inner = _value(value)
    return inner if isinstance(inner, dict) else None


def swapped(value: JsonValue, new: Callable[[JsonValue], JsonValue]) -> JsonValue:
    """The value with every part passed through `new`, outermost first; what it changes is not entered."""
    changed = new(value)
    if changed is not value:
        return changed
    if isinstance(value, dict):
        return {key: swapped(one, new) for key, one in value.items()}
    if isinstance(value, list):
        return [swapped(one, new) for one in value]
    inner = embedded(value)
    if inner is not None:
        after = swapped(inner, new)
        text = json.dumps(after)
        return value if text == json.dumps(inner) else text
    return value


GONE = object()


def cut(value: JsonValue, names: Collection[str]) -> object:
    """The value without the innermost list items that are about one of these ids; GONE where nothing is left."""
    if isinstance(value, dict):
        if any(isinstance(one, str) and one in names for one in value.values()):
            return GONE
        kept = {key: cut(one, names) for key, one in value.items()}
        return GONE if any(one is GONE for one in kept.values()) else kept
    if isinstance(value, list):
        left = [one for one in (cut(item, names) for item in value) if one is not GONE]
        return GONE if value and not left else left
    return value
