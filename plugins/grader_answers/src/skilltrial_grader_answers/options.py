"""Types of options that several checks share."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, Strict

from skilltrial.checks.patterns import pattern_fault
from skilltrial.checks.strictjson import pointer_fault


def asset_fault(path: str) -> str | None:
    """What is wrong with the name of a file beside the suite; None where nothing is."""
    if "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
        return "a file beside the suite is named by a plain relative path, such as `schemas/answer.json`"
    return None


def _pattern(pattern: str) -> str:
    if fault := pattern_fault(pattern):
        raise ValueError(fault)
    return pattern


def _pointer(pointer: str) -> str:
    if fault := pointer_fault(pointer):
        raise ValueError(fault)
    return pointer


Text = Annotated[str, Field(min_length=1)]
"""A piece of text; an empty one would be in every answer."""

Texts = Text | Annotated[tuple[Text, ...], Strict(False), Field(min_length=1)]
"""One text, or several."""

Pattern = Annotated[str, Field(min_length=1), AfterValidator(_pattern)]
"""A regular expression."""

Patterns = Pattern | Annotated[tuple[Pattern, ...], Strict(False), Field(min_length=1)]
"""One regular expression, or several."""

Pointer = Annotated[str, AfterValidator(_pointer)]
"""A JSON Pointer; the empty one is the whole document."""


def several(one_or_more: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """What was given once, several times or not at all, as a tuple."""
    if one_or_more is None:
        return ()
    return (one_or_more,) if isinstance(one_or_more, str) else one_or_more
