"""Other values in the place of given ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from skilltrial.model.records import Record


def record_with(record: Record, **fields: Any) -> Record:
    """The record with other fields."""
    return replace(record, **fields)


def other(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Other values in the place of one, each with a word for it: of the same type, and of another."""
    match value:
        case bool():
            yield "other", not value
        case int():
            yield "other", value + 1
            yield "as a float", float(value)
        case float():
            yield "other", value + 1
        case str():
            yield "other", f"{value}x"
            yield "empty", ""
        case None:
            yield "not null", 1
        case list():
            yield "longer", [*value, "x"]
        case dict():
            yield "as a list", [dict(value)]


def altered(arguments: JsonValue) -> Iterator[tuple[str, str, JsonValue]]:
    """The arguments with one member changed or left out: its key, words for it, and the arguments."""
    if not isinstance(arguments, dict):
        return
    for key, value in arguments.items():
        for how, changed in other(value):
            yield key, f"{key} {how}", {**arguments, key: changed}
        yield key, f"{key} left out", {name: one for name, one in arguments.items() if name != key}


def members(arguments: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Every way in which one witness's arguments can differ: as `altered`, one more member, and no object at all."""
    yield from ((what, changed) for _, what, changed in altered(arguments))
    if isinstance(arguments, dict):
        yield "one more member", {**arguments, "more": True}
        yield "no object", [dict(arguments)]


def leaves(value: JsonValue, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    """Every value below that holds no other, with its path; empty lists and objects too."""
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from leaves(one, (*path, key))
    elif isinstance(value, list) and value:
        for at, one in enumerate(value):
            yield from leaves(one, (*path, at))
    else:
        yield path, value


def put(value: JsonValue, path: tuple[str | int, ...], new: JsonValue) -> JsonValue:
    """The value with another one at a path."""
    if not path:
        return new
    first, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {key: put(one, rest, new) if key == first else one for key, one in value.items()}
    if isinstance(value, list):
        return [put(one, rest, new) if at == first else one for at, one in enumerate(value)]
    return value
