"""Two witnesses, call by call: what the host says it asked for, and what the fixtures received."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skilltrial.model.events import ABSENT, Event, ToolError, ToolRejected, ToolRequested, ToolResult
from skilltrial.model.evidence import JoinedCall, WireCall


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The joined calls, in the order of the requests, then those that only a fixture saw.

    `contradiction` names the first way in which the witnesses disagree, as a word; None where they agree.
    """

    calls: tuple[JoinedCall, ...]
    contradiction: str | None = None


def reconcile(events: Sequence[Event], wire: Sequence[WireCall], *, host_shows_calls: bool) -> Reconciled:
    """Join each call of a server's tool with the wire call that it became.

    By the host's own call id where the wire carried it; else, within a turn and in order, by server, tool and equal
    arguments. A call that the program rejected never reaches a wire. Where the host shows no calls there is only one
    witness, and nothing to contradict it.
    """
    results = {event.call: event for event in events if isinstance(event, ToolResult)}
    requests = [event for event in events if isinstance(event, ToolRequested)]
    stopped = {event.call for event in events if isinstance(event, ToolRejected)}
    broken = {event.call for event in events if isinstance(event, ToolError)}
    left = list(wire)
    joined: list[JoinedCall] = []
    unmatched: list[ToolRequested] = []
    for request in requests:
        if request.server is None:
            joined.append(JoinedCall(request, results.get(request.call), None))
            continue
        found = _take(request, left) if request.call not in stopped else None
        joined.append(JoinedCall(request, results.get(request.call), found))
        # A call that broke down (a lost connection) may or may not have arrived: both are truthful.
        if found is None and request.call not in stopped and request.call not in broken:
            unmatched.append(request)
    joined += [JoinedCall(None, None, call) for call in left]
    if not host_shows_calls:
        return Reconciled(tuple(joined))
    return Reconciled(tuple(joined), _contradiction(unmatched, left))


def _take(request: ToolRequested, left: list[WireCall]) -> WireCall | None:
    named = [call for call in left if call.joins == request.call and _same_tool(request, call)]
    alike = [
        call
        for call in left
        if call.joins is None
        and call.turn == request.turn
        and _same_tool(request, call)
        and (request.input is ABSENT or strictly_equal(request.input, call.arguments))
    ]
    found = next(iter(named or alike), None)
    if found is not None:
        left.remove(found)
    return found


def _same_tool(request: ToolRequested, call: WireCall) -> bool:
    return request.server == call.server and request.tool == call.tool


def _contradiction(unmatched: Sequence[ToolRequested], left: Sequence[WireCall]) -> str | None:
    if left:
        return "call_without_request"
    return "request_without_call" if unmatched else None


def strictly_equal(one: object, other: object) -> bool:
    """JSON equality in which `1`, `1.0` and `true` differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(strictly_equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(strictly_equal, one, other))
    return one == other
