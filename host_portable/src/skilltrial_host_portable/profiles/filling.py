"""Placeholders in texts and JSON values."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import JsonValue


def filled(value: JsonValue, parts: Mapping[str, JsonValue]) -> JsonValue:
    """`value` with each key of `parts` (`{name}`) replaced, in texts and in keys; what was put in is not read again."""
    if not parts:
        return value
    pattern = re.compile("|".join(re.escape(name) for name in parts))

    def of_text(text: str) -> str:
        return pattern.sub(lambda match: str(parts[match[0]]), text)

    def of(one: JsonValue) -> JsonValue:
        if isinstance(one, str):
            return of_text(one)
        if isinstance(one, list):
            return [of(item) for item in one]
        return {of_text(key): of(item) for key, item in one.items()} if isinstance(one, dict) else one

    return of(value)


def merged(value: JsonValue, more: JsonValue) -> JsonValue:
    """Both; in objects key by key, else `more`."""
    if isinstance(value, dict) and isinstance(more, dict):
        return {**value, **{key: merged(value.get(key), item) for key, item in more.items()}}
    return more


def put(value: JsonValue, pointer: str, item: JsonValue) -> JsonValue:
    """`value` with `item` at `pointer`; objects on the way are made where they are missing."""
    for part in reversed(pointer.split("/")[1:]):
        item = {part.replace("~1", "/").replace("~0", "~"): item}
    return merged(value, item)
