"""Texts that are JSON, read as the standard library reads them, in about half its time.

pydantic's reader is asked first. It refuses more (lone surrogates, deep nesting); what it refuses, the standard
library decides. What both accept is the same value, large numbers included.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from pydantic_core import from_json


def read_json(text: str | bytes) -> Any:
    """The value. Raises as `json.loads` does: ValueError, RecursionError."""
    try:
        return from_json(text, cache_strings="keys")
    except (ValueError, TypeError):  # a lone surrogate in a text is a TypeError
        return json.loads(text)


def read_strict_json(text: str) -> Any:
    """The value, where the text is JSON by its standard: no NaN, no Infinity. Raises ValueError, RecursionError."""
    try:
        return from_json(text, allow_inf_nan=False, cache_strings="keys")
    except (ValueError, TypeError):
        return _STRICT.decode(text)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(parse_constant=_refuse)
"""Made once: a decoder costs as much as a short line."""
