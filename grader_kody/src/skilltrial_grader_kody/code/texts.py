"""Values as JavaScript would write them into a text."""

from __future__ import annotations

import json
from math import isinf, isnan

from pydantic import JsonValue

from .parsing import text
from .values import UNDEFINED, Const, Function, Items, Shape, Value, within

LONGEST = 100_000
"""Longest text that is put together."""


def number(value: float) -> str:
    """A number as JavaScript writes it, for those that it writes without an exponent."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return str(int(value)) if value == int(value) and abs(value) < 1e21 else repr(value)


_MOST_PARTS = 5_000
"""Parts of a value that are put together."""
_DEEPEST = 50


class _TooMuch(Exception):
    """A value has too many parts, or one that is not known."""


class _Writer:
    """Writes one value; counts its parts, of which a small program can make very many."""

    def __init__(self) -> None:
        self._left = _MOST_PARTS

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _TooMuch

    def text(self, value: Value) -> str:
        self._count()
        match value:
            case Const(str() as known):
                return known
            case Const(bool() as known):
                return "true" if known else "false"
            case Const(None):
                return "null"
            case Const(float() | int() as known):
                return number(float(known))
            case Items(items, False):
                return ",".join("" if one is UNDEFINED or one == Const(None) else self.text(one) for one in items)
            case Function():
                return text(value.node)
        if value is UNDEFINED:
            return "undefined"
        raise _TooMuch

    def plain(self, value: Value) -> object:
        self._count()
        match value:
            case Const(float() as known):
                return int(known) if known == int(known) else known
            case Const(known):
                return known
            case Items(items, False):
                return [self.plain(one) for one in items]
            case Shape(fields, False, None):
                return {name: self.plain(one) for name, one in fields.items() if one is not UNDEFINED}
        raise _TooMuch


def to_text(value: Value) -> str | None:
    """What `String(value)` gives; None where that can't be told."""
    if isinstance(value, Const) and isinstance(value.value, str):
        return value.value
    try:
        found = _Writer().text(value)
    except _TooMuch:
        return None
    return found if len(found) <= LONGEST else None


def to_json(value: Value) -> str | None:
    """What `JSON.stringify(value)` gives; None where that can't be told."""
    try:
        return json.dumps(_Writer().plain(value), ensure_ascii=False, separators=(",", ":"))
    except (_TooMuch, ValueError, OverflowError):
        return None


def known_parts(value: Value) -> JsonValue:
    """A value as JSON, with null in the places of parts that are not known, nested too deeply or too many."""
    return _parts(value, [_MOST_PARTS], 0)


def _parts(value: Value, left: list[int], depth: int) -> JsonValue:
    left[0] -= 1
    if left[0] < 0 or depth > _DEEPEST:
        return None
    match value:
        case Const(str() as known):
            return clean(known)
        case Const(float() as known) if isnan(known) or isinf(known):
            return None
        case Const(known):
            return known
        case Items(items):
            return [_parts(one, left, depth + 1) for one in items]
        case Shape(fields):
            return {clean(name): _parts(one, left, depth + 1) for name, one in fields.items()}
    return None


def clean(text: str) -> str:
    """A text without halves of characters, which no record can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def leaves(value: Value) -> frozenset[str]:
    """The constant texts in a value, as far as its parts can be counted."""
    found: set[str] = set()
    todo, seen = [value], 0
    while todo and seen <= _MOST_PARTS:
        one = todo.pop()
        seen += 1
        if isinstance(one, Const) and isinstance(one.value, str):
            found.add(one.value)
        todo += within(one)[:_MOST_PARTS]
    return frozenset(found)
