"""Values of a reply that are taken from the call's arguments or from the state."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import JsonValue

from .faults import Path
from .pointers import MISSING, Missing, Pointer

ARGUMENT, STATE, LITERAL, ELSE = "$argument", "$state", "$literal", "else"


def render(template: JsonValue, arguments: JsonValue, state: JsonValue) -> JsonValue:
    """The value that a checked template stands for."""
    if isinstance(template, list):
        return [render(one, arguments, state) for one in template]
    if not isinstance(template, dict):
        return template
    if LITERAL in template:
        return template[LITERAL]
    for key, source in ((ARGUMENT, arguments), (STATE, state)):
        if key in template:
            pointer = Pointer.of(str(template[key]))
            found = MISSING if pointer is None else pointer.find(source)
            return template.get(ELSE) if isinstance(found, Missing) else found
    return {key: render(value, arguments, state) for key, value in template.items()}


def is_fixed(template: JsonValue) -> bool:
    """Whether the template stands for the same value in every call."""
    if isinstance(template, list):
        return all(map(is_fixed, template))
    if isinstance(template, dict):
        return LITERAL in template or (
            ARGUMENT not in template and STATE not in template and all(map(is_fixed, template.values()))
        )
    return True


def template_faults(template: JsonValue, path: Path) -> Iterator[tuple[Path, str]]:
    """What is wrong with a template, with places."""
    if isinstance(template, list):
        for at, one in enumerate(template):
            yield from template_faults(one, (*path, at))
        return
    if not isinstance(template, dict):
        return
    taken = template.keys() & {ARGUMENT, STATE, LITERAL}
    if not taken:
        for key, value in template.items():
            yield from template_faults(value, (*path, key))
    elif len(taken) > 1 or template.keys() - taken - (set() if LITERAL in taken else {ELSE}):
        yield path, "`$argument`, `$state` and `$literal` stand alone; the first two may have an `else` beside them"
    elif LITERAL not in taken:
        (key,) = taken
        pointer = template[key]
        if not isinstance(pointer, str) or Pointer.of(pointer) is None:
            yield (*path, key), 'a JSON Pointer is wanted here, such as "/text"'
