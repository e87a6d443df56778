"""The saved packages that a search of an account shows, whether its answer is JSON or a text for people.

An entry is known by its reference, `package:{id}` or `package:@scope/name`, and what it says is what stands beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

_REFERENCE = re.compile(r"package:(@[\w.-]+/[\w.-]*\w|\w[\w.-]*\w|\w)")
_SCOPED = re.compile(r"(?<![\w@])@[\w.-]+/[\w.-]*\w")
_BEGINS = re.compile(r"\n\s*\n|\n(?=#{1,6}\s|[-*+]\s|\d+[.)]\s)")
"""Where a text for people comes to its next entry: a blank line, a heading, an item."""
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Shown:
    """A saved package that a search shows: its name (`@scope/name` where that is told), and what it says of itself."""

    name: str
    text: str


def packages(result: JsonValue) -> list[Shown]:
    """Each package once, in the order of the answer; an entry of a part of it is one of its own."""
    entries = [*_entries(result, 0)]
    scoped: dict[str, str] = {}
    for reference, text in entries:
        names = set(_SCOPED.findall(text))
        if len(names) == 1 and not reference.startswith("@"):
            scoped.setdefault(reference, names.pop())
    found: dict[str, Shown] = {}
    for reference, text in entries:
        name = scoped.get(reference, reference)
        known = found.get(name)
        found[name] = Shown(name, text if known is None else f"{known.text}\n{text}")
    return [*found.values()]


def names_in(name: str, result: JsonValue) -> bool:
    """Whether an answer has this name, as a whole."""
    match result:
        case str():
            return re.search(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])", result) is not None
        case list():
            return any(names_in(name, one) for one in result)
        case dict():
            return name in result or any(names_in(name, one) for one in result.values())
    return False


def _entries(value: JsonValue, depth: int) -> Iterator[tuple[str, str]]:
    """References and what stands beside them."""
    if depth > _DEEPEST:
        return
    match value:
        case str():
            for part in _BEGINS.split(value):
                for reference in dict.fromkeys(_REFERENCE.findall(part)):
                    yield reference, part
        case list():
            for one in value:
                yield from _entries(one, depth + 1)
        case dict():
            own = [match[1] for one in value.values() if isinstance(one, str) and (match := _whole(one))]
            if own:
                yield own[0], " ".join(_texts(value, depth))
                return
            for one in value.values():
                yield from _entries(one, depth + 1)


def _whole(text: str) -> re.Match[str] | None:
    """A text that is a reference and nothing else, perhaps to a part of the package."""
    match = _REFERENCE.match(text)
    return match if match is not None and text[match.end() : match.end() + 1] in ("", "#") else None


def _texts(value: JsonValue, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from _texts(one, depth + 1)
        case dict():
            for one in value.values():
                yield from _texts(one, depth + 1)
