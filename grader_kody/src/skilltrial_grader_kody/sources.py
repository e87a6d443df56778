"""What a payload says besides its code: an `invoke` input, an error as a result; and sessions that code opens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .code.analysis import Analysis
from .code.effects import Kind
from .operations import Sort, sort_of
from .transcript import AnyEvent

_DATA = frozenset({"params", "arguments", "args", "input", "data"})
"""Keys under `invoke` whose texts name no entry."""


def invoked(given: Mapping[str, Any]) -> frozenset[str] | None:
    """The texts of Kody's `invoke` input that may name an entry; None where there is no such input."""
    if "invoke" not in given:
        return None
    found: set[str] = set()
    todo: list[Any] = [given["invoke"]]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, dict):
            todo += [one for key, one in value.items() if key not in _DATA]
        elif isinstance(value, list):
            todo += value
    return frozenset(found)


def erred(event: AnyEvent) -> bool:
    """Whether the output is an error by its shape."""
    output = event.output
    if isinstance(output, dict):
        error = output.get("error")
        return output.get("isError") is True or (isinstance(error, str | dict) and bool(error))
    return isinstance(output, str) and output.startswith(
        ("Error: ", "TypeError: ", "ReferenceError: ", "SyntaxError: ")
    )


def opens(analysis: Analysis) -> bool:
    """Whether the code opens a session on a source."""
    return any(act.kind is Kind.OPERATION and sort_of(act.name) is Sort.OPEN for act, _ in analysis.found)
