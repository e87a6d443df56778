"""The calls of a trial as both witnesses tell them: what was asked for, what arrived, what came back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from pydantic import JsonValue

from skilltrial.api import (
    ABSENT,
    Absent,
    Event,
    Evidence,
    JoinedCall,
    Sees,
    ToolRejected,
    Truncated,
    Unrecognized,
)

DAMAGED = ("not_json", "not_an_object", "no_type")
"""With these ends what normalizers say of a line that nobody can read."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call that the agent asked for. What is ABSENT was not shown by any witness; it may be anything.

    `rejected` means that the program did not carry it out. `at` is its place on the wire, None where it has none.
    """

    tool: str
    arguments: JsonValue | Absent
    result: JsonValue | Absent
    is_error: bool | None
    rejected: bool
    at: float | None
    others: frozenset[str] = frozenset()
    """Other names of the tool, by which a check may mean it."""

    def is_of(self, tools: Collection[str]) -> bool:
        """Whether it is a call of one of these tools, by whatever name."""
        return self.tool in tools or not self.others.isdisjoint(tools)


def attempts(evidence: Evidence, server: str | None, ignore: Collection[str]) -> tuple[Attempt, ...]:
    """The calls of a server's tools, or of all tools, without the ignored ones.

    In the order in which they were asked for; those that arrived stand in the order of their arrival, which is the
    order in which they took effect.
    """
    rejected = {event.call for event in evidence.events if isinstance(event, ToolRejected)}
    found = [
        attempt
        for joined in evidence.calls
        if server is None or _server(joined) == server
        if not (attempt := _named(_attempt(joined, rejected, evidence.sees), joined, evidence)).is_of(ignore)
    ]
    arrived = sorted((one for one in found if one.at is not None), key=lambda one: one.at or 0.0)
    in_order = iter(arrived)
    return tuple(one if one.at is None else next(in_order) for one in found)


def all_are_shown(evidence: Evidence, server: str | None) -> bool:
    """Whether each attempt is seen, also one that never reached a server: shown, in records that are whole.

    Calls of a fixture's programs always are.
    """
    if server in evidence.alone:
        return True
    return Sees.TOOL_CALLS in evidence.sees and not any(hides_calls(event) for event in evidence.events)


def hides_calls(event: Event) -> bool:
    """Whether a call may stand where this event says that records are cut, or could not be read."""
    match event:
        case Truncated():
            return True
        case Unrecognized(why=why):
            return why.endswith(DAMAGED) or why.startswith("damaged_")
        case _:
            return False


def _server(joined: JoinedCall) -> str | None:
    if joined.wire is not None:
        return joined.wire.server
    return None if joined.requested is None else joined.requested.server


def _named(attempt: Attempt, joined: JoinedCall, evidence: Evidence) -> Attempt:
    means = evidence.names.get(_server(joined) or "", {})
    others = frozenset(name for name, tool in means.items() if tool == attempt.tool)
    return replace(attempt, others=others) if others else attempt


def _attempt(joined: JoinedCall, rejected: Collection[str], sees: Collection[Sees]) -> Attempt:
    asked, wire, came = joined.requested, joined.wire, joined.result
    refused = asked is not None and asked.call in rejected
    if wire is not None:
        answered: JsonValue | Absent = wire.result if wire.answered else ABSENT
        return Attempt(wire.tool, wire.arguments, answered, wire.is_error if wire.answered else None, refused, wire.at)
    tool = "" if asked is None else asked.tool
    arguments: JsonValue | Absent = ABSENT if asked is None else asked.input
    if came is None or Sees.TOOL_RESULTS not in sees:
        return Attempt(tool, arguments, ABSENT, None, refused, None)
    return Attempt(tool, arguments, came.content, came.is_error, refused, None)
