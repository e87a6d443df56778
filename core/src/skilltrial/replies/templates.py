"""Values of a reply that are taken from the call's arguments or from the state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .pointers import MISSING, Missing, Pointer

if TYPE_CHECKING:
    from pydantic import JsonValue

    from .faults import Path

ARGUMENT, STATE, LITERAL, ELSE = "$argument", "$state", "$literal", "else"


class Template(NamedTuple):
    """A value with open places. `fixed` says that it has none."""

    fill: Callable[[JsonValue, JsonValue], JsonValue]
    """Makes the value of a call, from its arguments and the state."""
    fixed: bool


def compile_template(written: JsonValue) -> Template:
    """Make a template of what is written; it has no fault (see `template_faults`)."""
    if isinstance(written, dict):
        if LITERAL in written:
            return _fixed(written[LITERAL])
        if ARGUMENT in written or STATE in written:
            return _taken(written)
        parts = {key: compile_template(value) for key, value in written.items()}
        if all(part.fixed for part in parts.values()):
            return _fixed({key: part.fill(None, None) for key, part in parts.items()})
        fills = [(key, part.fill) for key, part in parts.items()]
        return Template(lambda arguments, state: {key: fill(arguments, state) for key, fill in fills}, fixed=False)
    if isinstance(written, list):
        items = [compile_template(one) for one in written]
        if all(item.fixed for item in items):
            return _fixed([item.fill(None, None) for item in items])
        return Template(lambda arguments, state: [item.fill(arguments, state) for item in items], fixed=False)
    return _fixed(written)


def template_faults(written: JsonValue, path: Path) -> Iterator[tuple[Path, str]]:
    """What is wrong with a template, with places."""
    if isinstance(written, list):
        for at, one in enumerate(written):
            yield from template_faults(one, (*path, at))
        return
    if not isinstance(written, dict):
        return
    taken = written.keys() & {ARGUMENT, STATE, LITERAL}
    if not taken:
        for key, value in written.items():
            yield from template_faults(value, (*path, key))
    elif len(taken) > 1 or written.keys() - taken - (set() if LITERAL in taken else {ELSE}):
        yield path, "`$argument`, `$state` and `$literal` stand alone; the first two may have an `else` beside them"
    elif LITERAL not in taken:
        (key,) = taken
        pointer = written[key]
        if not isinstance(pointer, str) or Pointer.of(pointer) is None:
            yield (*path, key), 'a JSON Pointer is wanted here, such as "/text"'


def _fixed(value: JsonValue) -> Template:
    return Template(lambda arguments, state: value, fixed=True)


def _taken(written: dict[str, JsonValue]) -> Template:
    from_state = STATE in written
    pointer = Pointer.of(str(written[STATE if from_state else ARGUMENT]))
    otherwise = written.get(ELSE)

    def fill(arguments: JsonValue, state: JsonValue) -> JsonValue:
        found = MISSING if pointer is None else pointer.find(state if from_state else arguments)
        return otherwise if isinstance(found, Missing) else found

    return Template(fill, fixed=False)
