"""What a session left in an account, for whoever must clean up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skilltrial.api import WireCall

from .code.analysis import analyse
from .code.effects import Act, Kind
from .operations import Sort, sort_of

_LEAVE = (Sort.AUTHORING, Sort.DEFER, Sort.SCHEDULE, Sort.OTHER)


def leftovers(calls: Sequence[WireCall]) -> list[str]:
    """A line for each thing that was made, by the fixture's marks; where a real account answered, by the code."""
    return [line for number, call in enumerate(calls, 1) for line in _of_call(number, call)]


def _of_call(number: int, call: WireCall) -> Iterator[str]:
    if isinstance(call.marks, dict):
        created = call.marks.get("created")
        for one in created if isinstance(created, list) else ():
            if isinstance(one, dict):
                name = one.get("name")
                yield f"call {number} left {one.get('id')}" + (f" ({name})" if isinstance(name, str) else "")
        return
    given = call.arguments if isinstance(call.arguments, dict) else {}
    code, params = given.get("code"), given.get("params")
    if call.tool == "execute" and isinstance(code, str):
        for act, certain in analyse(code, params if isinstance(params, dict) else None).found:
            if _leaves(act):
                yield f"call {number}, line {act.line}: {act.name} {'left' if certain else 'may have left'} something"


def _leaves(act: Act) -> bool:
    return act.kind is Kind.UNCLEAR or (act.kind is Kind.OPERATION and sort_of(act.name) in _LEAVE)
