"""JSON Pointers into a line, with `*` for every item of a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, JsonValue

EACH = "*"


def _pointer(text: str) -> str:
    if text and not text.startswith("/"):
        raise ValueError("a JSON Pointer begins with /")
    return text


Pointer = Annotated[str, AfterValidator(_pointer)]
"""A JSON Pointer (RFC 6901); a part that is `*` means every item of a list."""


def found(value: JsonValue, pointer: str) -> list[JsonValue]:
    """What `pointer` leads to in `value`: one value, none, or with `*` any number. Never raises."""
    return list(_found(value, [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]))


def first(value: JsonValue, pointer: str | None) -> JsonValue:
    """The first value that `pointer` leads to; None where there is none."""
    return None if pointer is None else next(iter(found(value, pointer)), None)


def _found(value: JsonValue, parts: list[str]) -> Iterator[JsonValue]:
    if not parts:
        yield value
        return
    part, below = parts[0], parts[1:]
    if isinstance(value, dict):
        if part in value:
            yield from _found(value[part], below)
    elif isinstance(value, list):
        if part == EACH:
            for item in value:
                yield from _found(item, below)
        elif part.isascii() and part.isdigit() and int(part) < len(value):
            yield from _found(value[int(part)], below)
