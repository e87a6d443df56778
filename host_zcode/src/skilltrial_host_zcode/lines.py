"""Looks into JSON values that no shape of a line can break."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Object = Mapping[str, Any]
NOTHING: Object = {}


def text(value: Any, key: str) -> str | None:
    """The text at `key`; None where there is none."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if isinstance(one, str) else None


def number(value: Any, key: str) -> int | None:
    """The whole number at `key`; None where there is none (true and false are no numbers)."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if type(one) is int else None


def inner(value: Any, key: str) -> Object:
    """The object at `key`; empty where there is none."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if isinstance(one, dict) else NOTHING


def several(value: Any, key: str) -> Sequence[Any]:
    """The list at `key`; empty where there is none."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if isinstance(one, list) else ()


def shown(content: Any) -> str:
    """The text of a result: as it is, or the joined texts of its parts."""
    if isinstance(content, str):
        return content
    return "".join(text(part, "text") or "" for part in content) if isinstance(content, list) else ""
