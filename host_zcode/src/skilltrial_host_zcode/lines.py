"""Looks into JSON values that no shape of a line can break."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

Object = Mapping[str, JsonValue]
NOTHING: Object = {}


def text(value: JsonValue | Object, key: str) -> str | None:
    """The text at `key`; None where there is none."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if isinstance(one, str) else None


def number(value: JsonValue | Object, key: str) -> int | None:
    """The whole number at `key`; None where there is none (true and false are no numbers)."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if type(one) is int else None


def inner(value: JsonValue | Object, key: str) -> Object:
    """The object at `key`; empty where there is none."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if isinstance(one, dict) else NOTHING


def several(value: JsonValue | Object, key: str) -> Sequence[JsonValue]:
    """The list at `key`; empty where there is none."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if isinstance(one, list) else ()


def shown(content: JsonValue) -> str:
    """The text of a result: as it is, or the joined texts of its parts."""
    if isinstance(content, str):
        return content
    return "".join(text(part, "text") or "" for part in content) if isinstance(content, list) else ""
