"""Native lines as JSON objects, and looks into them that no shape of a line can break."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from skilltrial.api import Record, read_strict_json

Object = Mapping[str, Any]


_TEXT: Final = frozenset({str})


class Unreadable(Exception):
    """A line that is no event; the message says why, in a word."""


def read(record: Record) -> Object:
    """The event on this line: an object with a string `type`. Raises Unreadable."""
    try:
        value = read_strict_json(record.raw)
    except (ValueError, RecursionError) as error:
        raise Unreadable("not_json") from error
    if not isinstance(value, dict):
        raise Unreadable("not_an_object")
    if not isinstance(value.get("type"), str):
        raise Unreadable("no_type")
    return value


def text(value: object, key: str) -> str | None:
    """The string at `key`; None where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def whole(value: object, key: str) -> int | None:
    """The whole number at `key`, not negative; None where there is none (true and false are no numbers)."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if type(found) is int and found >= 0 else None


def inner(value: object, key: str) -> Object:
    """The object at `key`; an empty one where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def several(value: object, key: str) -> Sequence[Any]:
    """The list at `key`; an empty one where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else ()


def strings(value: object, key: str) -> tuple[str, ...] | None:
    """The strings of the list at `key`; None where there is no list."""
    found = value.get(key) if isinstance(value, dict) else None
    if not isinstance(found, list):
        return None
    return tuple(found) if set(map(type, found)) <= _TEXT else tuple(item for item in found if isinstance(item, str))


def texts(content: object) -> str:
    """The text of a message's content: a string, or its text blocks one after the other."""
    if isinstance(content, str):
        return content
    return "\n".join(text(block, "text") or "" for block in content) if isinstance(content, list) else ""
