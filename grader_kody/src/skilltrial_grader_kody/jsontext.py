"""JSON as JavaScript reads it: one kind of number, the last of two equal keys; and equality as strict as theirs."""

from __future__ import annotations

import json
import re
from math import copysign
from typing import Any, NoReturn

from skilltrial.api import InvalidRequest


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


DECODER = json.JSONDecoder(parse_int=float, parse_constant=_no_constant)
"""Reads every number as a double: -0 keeps its sign, and no number has too many digits."""


class NotJson(InvalidRequest):
    """The bytes are not one JSON document."""


def text_of(data: bytes) -> str:
    """The text of a file. Raises NotJson where it is not UTF-8, is empty or begins with a byte order mark."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise NotJson("the file begins with a byte order mark, which JSON does not allow; save it as plain UTF-8")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson(f"the file is not UTF-8: byte {error.start + 1} does not belong there") from None
    if not text or text.isspace():
        raise NotJson("the file is empty; a transcript is one JSON object")
    return text


def parse(text: str) -> Any:
    """The value of a JSON text. Raises NotJson with the place."""
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(f"the file is not JSON: {error.msg[0].lower()}{error.msg[1:]} ({_place(error)})") from None
    except RecursionError:
        raise NotJson("the file is nested too deeply to be read") from None
    except ValueError as error:
        raise NotJson(f"the file is not JSON: {error}") from None


_HALF = re.compile(
    r"\\(?:[^u]|u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|([dD][89a-fA-F][0-9a-fA-F]{2})|))",
    re.DOTALL,
)
_STAND_INS = 0x10F800
"""The last private characters of Unicode, as many as there are halves of pairs."""


def without_halves(text: str) -> str:
    """A JSON text whose escaped halves of surrogate pairs are other characters, each its own.

    JavaScript keeps a half that stands alone (a text that was cut within a character); the models take none.
    """
    return _HALF.sub(lambda found: chr(_STAND_INS + int(found[1], 16) - 0xD800) if found[1] else found[0], text)


def _place(error: json.JSONDecodeError) -> str:
    return f"line {error.lineno}, column {error.colno}"


def as_doubles(value: object) -> Any:
    """Numbers as JavaScript has them, which is how code sees them and how the rules compare payloads."""
    return DECODER.decode(without_halves(json.dumps(value)))


def same(one: object, other: object) -> bool:
    """Deep equality: the order of keys does not matter, that of items does; 0 and -0, 1 and "1", 1 and true differ."""
    todo = [(one, other)]
    while todo:
        a, b = todo.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            todo += [(value, b[key]) for key, value in a.items()]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            todo += zip(a, b, strict=True)
        elif a != b or (a == 0 and isinstance(a, float) and isinstance(b, float) and copysign(1, a) != copysign(1, b)):
            return False
    return True
