"""Values as JavaScript would write them into a text."""

from __future__ import annotations

import json
from math import isinf, isnan

from .parsing import text
from .values import UNDEFINED, Const, Function, Items, Shape, Value

LONGEST = 100_000
"""Longest text that is put together."""


def number(value: float) -> str:
    """A number as JavaScript writes it, for those that it writes without an exponent."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return str(int(value)) if value == int(value) and abs(value) < 1e21 else repr(value)


def to_text(value: Value) -> str | None:
    """What `String(value)` gives; None where that can't be told."""
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
            parts = ["" if one is UNDEFINED or one == Const(None) else to_text(one) for one in items]
            return None if any(part is None for part in parts) else ",".join(part for part in parts if part is not None)
        case Function():
            return text(value.node)
    return "undefined" if value is UNDEFINED else None


def to_json(value: Value) -> str | None:
    """What `JSON.stringify(value)` gives; None where that can't be told."""
    try:
        return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return None


def _plain(value: Value) -> object:
    match value:
        case Const(float() as known):
            return int(known) if known == int(known) else known
        case Const(known):
            return known
        case Items(items, False):
            return [_plain(one) for one in items]
        case Shape(fields, False, None):
            return {name: _plain(one) for name, one in fields.items() if one is not UNDEFINED}
    raise ValueError


def leaves(value: Value, depth: int = 5) -> frozenset[str]:
    """Every constant text in a value."""
    match value:
        case Const(str() as known):
            return frozenset({known})
        case Items(items) if depth:
            return frozenset().union(*(leaves(one, depth - 1) for one in items))
        case Shape(fields) if depth:
            return frozenset().union(*(leaves(one, depth - 1) for one in fields.values()))
    return frozenset()
