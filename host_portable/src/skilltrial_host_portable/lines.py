"""One line of a program that prints events: an event, a line of no meaning, or a damaged event."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from pydantic import TypeAdapter, ValidationError

from skilltrial.api import (
    EVENTS,
    Ending,
    Event,
    Record,
    SessionEnded,
    SkillStep,
    TurnStarted,
    Unrecognized,
)

_OURS: tuple[type[Event], ...] = (TurnStarted, Unrecognized)
"""Which prompt was sent, and what can't be read, is not for the program to say."""
_KINDS: Mapping[str, type[Event]] = MappingProxyType({kind.__name__: kind for kind in EVENTS if kind not in _OURS})
_READERS: Mapping[type[Event], TypeAdapter[Any]] = MappingProxyType(
    {kind: TypeAdapter(kind) for kind in _KINDS.values()}
)
_RECORDS = frozenset({"seq", "turn"})
"""Fields that the record knows; a line does not give them."""


@dataclass(frozen=True, slots=True)
class Told:
    """An event, and for a SkillStep the path and digest of the SKILL.md that the program speaks of."""

    event: Event
    claim: tuple[str, str] | None = None


class Damaged(Exception):
    """A line that means to be an event and can't be read as one."""


def read(record: Record) -> Told:
    """Read a line. What is no event becomes Unrecognized. Raises Damaged."""
    try:
        value = json.loads(record.raw)
    except (ValueError, RecursionError) as error:
        if record.raw.lstrip().startswith("{"):
            raise Damaged("not_json") from error
        return _unrecognized(record, "not_an_event")
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return _unrecognized(record, "not_an_event")
    kind = _KINDS.get(value["type"])
    if kind is None:
        return _unrecognized(record, "unknown_type")
    return _event(kind, value, record)


def _event(kind: type[Event], value: dict[str, Any], record: Record) -> Told:
    claim = None
    own = {name: item for name, item in value.items() if name != "type"}
    if kind is SkillStep:
        path, digest = own.pop("path", None), own.pop("sha256", None)
        claim = (path, digest) if isinstance(path, str) and isinstance(digest, str) else None
    if own.keys() - ({field.name for field in fields(kind)} - _RECORDS):
        raise Damaged("fields")
    try:
        text = json.dumps({**own, "seq": record.seq, "turn": record.turn})
        event = _READERS[kind].validate_json(text, strict=True)
    except (ValidationError, ValueError, RecursionError) as error:
        raise Damaged("fields") from error
    if isinstance(event, SessionEnded) and event.ending not in (Ending.COMPLETED, Ending.HOST_FAILED):
        raise Damaged("ending")
    return Told(event, claim)


def _unrecognized(record: Record, why: str) -> Told:
    return Told(Unrecognized(seq=record.seq, turn=record.turn, why=why))
