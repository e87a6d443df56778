"""JSON as two readers would both read it: no doubled key, no number beyond numbers, no half characters."""

from __future__ import annotations

import json
import json.encoder
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

MAX_DEPTH = 100
"""Levels of nesting. Records are read again by parsers that stop a little deeper."""


class NotStrict(ValueError):
    """It is no JSON, or not such that everybody reads the same; the message says why, without repeating it."""


def read(data: bytes | str) -> JsonValue:
    """Read strict JSON. Raises NotStrict."""
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        value: JsonValue = _DECODER.decode(text)
    except NotStrict:
        raise
    except UnicodeDecodeError:
        raise NotStrict("not UTF-8") from None
    except (ValueError, RecursionError):
        raise NotStrict("not valid JSON") from None
    if text.count("[") + text.count("{") > MAX_DEPTH and depth(value) > MAX_DEPTH:
        raise NotStrict(f"nested more than {MAX_DEPTH} deep")
    if "\\u" in text and not whole(value):
        raise NotStrict("it has half a character (a lone surrogate)")
    return value


def depth(value: JsonValue) -> int:
    """Levels of lists and objects, without recursion; what contains itself is deeper than any bound."""
    level, deep = [value], 0
    while level and deep <= MAX_DEPTH + 1:
        inner: list[JsonValue] = []
        for one in level:
            if isinstance(one, dict):
                inner.extend(one.values())
            elif isinstance(one, list):
                inner.extend(one)
        deep += any(isinstance(one, dict | list) for one in level)
        level = [one for one in inner if isinstance(one, dict | list)]
    return deep


def whole(value: JsonValue) -> bool:
    """Whether its texts are whole characters: none is half of a pair, which no UTF-8 can hold."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def compact(value: JsonValue) -> str:
    """JSON on one line, keys as they come."""
    return _COMPACT(value)


def canonical(value: JsonValue) -> bytes:
    """JSON of which there is one only: sorted keys, no white space, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def pretty(value: JsonValue) -> bytes:
    """JSON for people to read, keys as they come."""
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise NotStrict("a key is given twice")
    return value


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotStrict("a number is too large")
    return number


def _no_word(word: str) -> float:
    raise NotStrict("not valid JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_float=_finite, parse_constant=_no_word)


def _encoder() -> Callable[[JsonValue], str]:
    """What `json.JSONEncoder.encode` does, without its making an encoder in C anew for each value."""
    slow = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False, allow_nan=False)
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return slow.encode
    pieces = make(None, slow.default, json.encoder.encode_basestring, None, ":", ",", False, False, False)
    return lambda value: "".join(pieces(value, 0))


_COMPACT = _encoder()
