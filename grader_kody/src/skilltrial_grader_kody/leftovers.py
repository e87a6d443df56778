"""What a session left in an account, for whoever must clean up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from skilltrial.api import WireCall

from .code.analysis import State, analyse
from .code.effects import Act, Kind
from .operations import Sort, sort_of
from .sources import invoked

_LEAVE = (Sort.AUTHORING, Sort.DEFER, Sort.SCHEDULE, Sort.EXECUTION, Sort.OTHER)
_NAME = re.compile(r"@[\w.-]+/[\w.-]+")


def leftovers(calls: Sequence[WireCall]) -> list[str]:
    """A line for each thing that was made, by the fixture's marks; where a real account answered, by the code."""
    return [f"call {number}{line}" for number, call in enumerate(calls, 1) for line in _of_call(call)]


def left_by(tool: str, arguments: Mapping[str, JsonValue], *, failed: bool) -> list[str]:
    """What a call of a real account left, by its code; a call that failed only may have."""
    return [f"{tool}{line}" for line in _by_code(tool, arguments, failed=failed)]


def _of_call(call: WireCall) -> Iterator[str]:
    created = call.marks.get("created") if isinstance(call.marks, dict) else None
    if isinstance(created, list):
        for one in created:
            if isinstance(one, dict):
                name = one.get("name")
                yield f" left {one.get('id')}" + (f" ({name})" if isinstance(name, str) else "")
        return
    given = call.arguments if isinstance(call.arguments, dict) else {}
    yield from _by_code(call.tool, given, failed=call.is_error)


def _by_code(tool: str, given: Mapping[str, JsonValue], *, failed: bool) -> Iterator[str]:
    if tool != "execute":
        return
    code, params = given.get("code"), given.get("params")
    if not isinstance(code, str):
        for name in sorted(invoked(given) or ()):
            yield f": {name} was run and may have left something"
        return
    analysis = analyse(code, params if isinstance(params, dict) else None)
    if analysis.state in (State.UNPARSABLE, State.TOO_COMPLEX):
        yield ": its code can't be followed and may have left something"
    for act, certain in analysis.found:
        if (what := _what(act)) is not None:
            sure = certain and not failed and act.kind is Kind.OPERATION and sort_of(act.name) is not Sort.EXECUTION
            yield f", line {act.line}: {what} {'left' if sure else 'may have left'} something"


def _what(act: Act) -> str | None:
    """The act, where it may leave something, with the name that it was given."""
    if act.kind is Kind.OPERATION and sort_of(act.name) not in _LEAVE:
        return None
    if act.kind is Kind.PACKAGE:
        return act.name or "a saved package"
    names = sorted(text for text in act.texts if _NAME.fullmatch(text))
    return f"{act.name} ({', '.join(names)})" if names else act.name
