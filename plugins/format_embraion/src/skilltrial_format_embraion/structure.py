"""From JSON values to a written suite, or every fault of its shape, in words and with its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue, ValidationError

from skilltrial.api import Misfit

from .paths import path_fault
from .written import Case, ChangedPathsWithin, WrittenSuite

_TYPES = "file-exists, file-absent, file-contains, json-field-equals, unchanged-path, changed-paths-within"
_WORDS: dict[str, tuple[str, str]] = {
    "extra_forbidden": ("EmbrAIon has no such key here", "take it out"),
    "union_tag_not_found": ("a check needs its `type`", f"one of {_TYPES}"),
    "union_tag_invalid": ("there is no such `type` of check", f"one of {_TYPES}"),
    "string_type": ("a text is needed here", ""),
    "list_type": ("a list is needed here", ""),
    "model_type": ("a mapping is needed here", ""),
    "model_attributes_type": ("a mapping is needed here", ""),
    "string_pattern_mismatch": (
        "this is no id",
        "a small letter, then up to 63 small letters, digits and hyphens",
    ),
    "string_too_short": ("the text is empty", "at least one character is needed"),
    "string_too_long": ("the text is too long", "a prompt has up to 20000 characters, a path up to 250"),
    "too_short": ("the list is empty", "at least one is needed"),
    "literal_error": ("the word is none of those that may stand here", "`polarity` is `positive` or `negative`"),
}


def read(document: JsonValue) -> tuple[WrittenSuite | None, tuple[Misfit, ...]]:
    """The suite, or None with the faults of its shape. A suite comes with the faults of what it says: paths, doubles.

    No fault holds a text of the document.
    """
    try:
        suite = WrittenSuite.model_validate(document)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        return None, tuple(_misfit(document, one) for one in found)
    return suite, (*_doubles(suite), *_paths(suite))


def _misfit(document: JsonValue, error: Any) -> Misfit:
    path = _place(document, error["loc"])
    kind = error["type"]
    if kind == "missing":
        return Misfit(path, f"`{error['loc'][-1]}` is missing")
    if kind == "value_error":
        return Misfit(path, str(error["ctx"]["error"]))
    if kind == "union_tag_invalid":
        path = (*path, "type")
    what, right = _WORDS.get(kind, ("the value does not fit", ""))
    return Misfit(path, what, right, key=kind == "extra_forbidden")


def _place(document: JsonValue, loc: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The steps of `loc` that the document has: pydantic also names the member of a union."""
    value: Any = document
    path: list[str | int] = []
    for step in loc:
        if isinstance(value, dict) and step in value:
            value = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            continue
        path.append(step)
    return tuple(path)


def _doubles(suite: WrittenSuite) -> Iterator[Misfit]:
    for key, ids in (("skills", [one.id for one in suite.skills]), ("cases", [one.id for one in suite.cases])):
        for at, id in enumerate(ids):
            if id in ids[:at]:
                yield Misfit((key, at, "id"), f"the id is given twice in `{key}`", "each needs its own")


def _paths(suite: WrittenSuite) -> Iterator[Misfit]:
    for at, skill in enumerate(suite.skills):
        yield from _path(("skills", at, "candidate"), skill.candidate)
        if skill.previous is not None:
            yield from _path(("skills", at, "previous"), skill.previous)
    if len({skill.previous is None for skill in suite.skills}) > 1:
        at = next(at for at, skill in enumerate(suite.skills) if skill.previous is None)
        yield Misfit(("skills", at), "`previous` is given for some skills only", "give it for all of them, or for none")
    for at, case in enumerate(suite.cases):
        yield from _path(("cases", at, "fixture"), case.fixture)
        yield from _check_paths(at, case)


def _check_paths(at: int, case: Case) -> Iterator[Misfit]:
    for number, check in enumerate(case.checks):
        place = ("cases", at, "checks", number)
        if isinstance(check, ChangedPathsWithin):
            for one, path in enumerate(check.paths):
                yield from _path((*place, "paths", one), path)
        else:
            yield from _path((*place, "path"), check.path)


def _path(place: tuple[str | int, ...], path: str) -> Iterator[Misfit]:
    if fault := path_fault(path):
        yield Misfit(place, *fault)
