"""JSON without latitude: strict reading, strict equality, and steps by JSON Pointer (RFC 6901)."""

from __future__ import annotations

import json
import math

from jsonpointer import JsonPointer, JsonPointerException
from pydantic import JsonValue


class PointerMissing(Exception):
    """The document has nothing at this pointer; not even null."""


def read(text: str) -> JsonValue:
    """Read one JSON document.

    Raises ValueError, with what is wrong, for everything that two readers would take differently: NaN and infinities,
    numbers that do not fit, a key twice in one object, nesting beyond any use.
    """
    try:
        value: JsonValue = json.loads(
            text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_each_key_once
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def same(one: object, other: object) -> bool:
    """Whether two JSON values are the same: `1`, `1.0`, `true` and `"1"` differ, the order of keys does not matter."""
    pairs = [(one, other)]
    # A list of open pairs instead of recursion: a document may be nested as deeply as it can be read.
    while pairs:
        left, right = pairs.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            pairs.extend((left[key], right[key]) for key in left)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pairs.extend(zip(left, right, strict=True))
        elif left != right:
            return False
    return True


def pointer_fault(pointer: str) -> str | None:
    """What is wrong with a JSON Pointer, in plain words; None where nothing is."""
    try:
        JsonPointer(pointer)
    except JsonPointerException:
        return (
            "`pointer` is a JSON Pointer: empty for the whole document, else `/key/0/key` (`~1` for `/`, `~0` for `~`)"
        )
    return None


def at(document: JsonValue, pointer: str) -> JsonValue:
    """What `document` has at `pointer`. Raises PointerMissing."""
    # Only the parts are the library's: its own walk puts the whole document into the text of its error.
    for part in JsonPointer(pointer).get_parts():
        if isinstance(document, dict) and part in document:
            document = document[part]
        elif isinstance(document, list) and _is_index(part) and int(part) < len(document):
            document = document[int(part)]
        else:
            raise PointerMissing(pointer)
    return document


def _is_index(part: str) -> bool:
    plain = part.isascii() and part.isdigit() and len(part) < 10
    return plain and (part == "0" or not part.startswith("0"))


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number is out of range")
    return number


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return members
