"""Types of options that several checks share."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, Strict

from skilltrial.checks.patterns import pattern_fault


def _file(path: str) -> str:
    if path.endswith("/"):
        raise ValueError("a path with a final slash is a folder; this check asks about a file")
    return path


def asset_fault(path: str) -> str | None:
    """What is wrong with the name of a file beside the suite; None where nothing is."""
    if "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
        return "a file beside the suite is named by a plain relative path, such as `golden/notes.txt`"
    return None


def _asset(path: str) -> str:
    if fault := asset_fault(path):
        raise ValueError(fault)
    return path


def _pattern(pattern: str) -> str:
    if fault := pattern_fault(pattern):
        raise ValueError(fault)
    return pattern


AnyPath = Annotated[str, Field(min_length=1)]
"""A path of the project; a final slash says that it is a folder."""

FilePath = Annotated[AnyPath, AfterValidator(_file)]
"""A path of the project where a file is meant."""

Asset = Annotated[str, Field(min_length=1), AfterValidator(_asset)]
"""A file beside the suite."""

Text = Annotated[str, Field(min_length=1)]
"""A piece of text; an empty one would be in every file."""

Texts = Text | Annotated[tuple[Text, ...], Strict(False), Field(min_length=1)]
"""One text, or several."""

Pattern = Annotated[str, Field(min_length=1), AfterValidator(_pattern)]
"""A regular expression."""

Patterns = Pattern | Annotated[tuple[Pattern, ...], Strict(False), Field(min_length=1)]
"""One regular expression, or several."""


def several(one_or_more: str | tuple[str, ...] | None) -> tuple[str, ...]:
    """What was given once, several times or not at all, as a tuple."""
    if one_or_more is None:
        return ()
    return (one_or_more,) if isinstance(one_or_more, str) else one_or_more


def plain(path: str) -> str:
    """A path without the slash that marks a folder."""
    return path.removesuffix("/")
