"""Two witnesses, call by call: what the host says it asked for, and what the fixtures received."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
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


def reconcile(
    events: Sequence[Event], wire: Sequence[WireCall], fixtures: Collection[str], *, host_shows_calls: bool
) -> Reconciled:
    """Join each call of a tool of the `fixtures` with the wire call that it became.

    By the host's own call id where the wire carried it; else, within a turn and in order, by server, tool and equal
    arguments. A call that the program rejected never reaches a wire. Where the host shows no calls there is only one
    witness, and nothing to contradict it; likewise for calls of a server that is none of the `fixtures`.
    """
    results = {event.call: event for event in events if isinstance(event, ToolResult)}
    requests = _once(event for event in events if isinstance(event, ToolRequested))
    stopped = {event.call for event in events if isinstance(event, ToolRejected)}
    broken = {event.call for event in events if isinstance(event, ToolError)}
    # Of a server that is none of ours there is no second witness.
    sent = [request for request in requests if request.server in fixtures and request.call not in stopped]
    found = _matches(requests, sent, wire, broken)
    taken = {id(call) for call in found.values()}
    left = [call for call in wire if id(call) not in taken]
    joined = [JoinedCall(request, results.get(request.call), found.get(id(request))) for request in requests]
    joined += [JoinedCall(None, None, call) for call in left]
    if not host_shows_calls:
        return Reconciled(tuple(joined))
    # A call that broke down (a lost connection) may or may not have arrived: both are truthful.
    unmatched = [request for request in sent if id(request) not in found and request.call not in broken]
    return Reconciled(tuple(joined), _contradiction(unmatched, [call for call in left if call.server in fixtures]))


Matches = dict[int, WireCall]
"""`id` of a request → the wire call that it became. Requests with equal fields may be different calls."""


def _once(requests: Iterable[ToolRequested]) -> list[ToolRequested]:
    """Each call once: a stream and a session log may both show it, and one of them without its input."""
    calls: dict[tuple[int, str | None, str], ToolRequested] = {}
    for request in requests:
        key = request.turn, request.agent, request.call
        if key not in calls or (calls[key].input is ABSENT and request.input is not ABSENT):
            calls[key] = request
    return list(calls.values())


def _matches(
    requests: Sequence[ToolRequested], sent: Sequence[ToolRequested], wire: Sequence[WireCall], broken: set[str]
) -> Matches:
    left = list(wire)
    found: Matches = {}
    for request in sent:
        _take(request, [call for call in left if call.joins == request.call and _same_tool(request, call)], left, found)
    # An id that the host shows belongs to that call alone; one that it never shows says nothing here.
    ids = {request.call for request in requests}
    groups: dict[tuple[int, str | None, str], list[ToolRequested]] = {}
    for request in sent:
        if id(request) not in found:
            groups.setdefault((request.turn, request.server, request.tool), []).append(request)
    for (turn, _, _), group in groups.items():
        calls = [call for call in left if call.joins not in ids and call.turn == turn and _same_tool(group[0], call)]
        found |= _alike(group, calls, broken)
    return found


def _alike(group: Sequence[ToolRequested], calls: Sequence[WireCall], broken: set[str]) -> Matches:
    """Matches of a turn's requests of one tool: in order, unless broken calls then take what others need."""
    in_order = sorted(group, key=lambda request: request.input is ABSENT)
    broken_last = sorted(in_order, key=lambda request: request.call in broken)
    tries = [_greedy(order, calls) for order in (in_order, broken_last)]
    return min(tries, key=lambda found: sum(id(one) not in found and one.call not in broken for one in group))


def _greedy(order: Sequence[ToolRequested], calls: Sequence[WireCall]) -> Matches:
    left = list(calls)
    found: Matches = {}
    for request in order:
        fits = [call for call in left if request.input is ABSENT or strictly_equal(request.input, call.arguments)]
        _take(request, fits, left, found)
    return found


def _take(request: ToolRequested, fits: Sequence[WireCall], left: list[WireCall], found: Matches) -> None:
    if fits:
        found[id(request)] = fits[0]
        left[:] = [call for call in left if call is not fits[0]]


def _same_tool(request: ToolRequested, call: WireCall) -> bool:
    return request.server == call.server and request.tool == call.tool


def _contradiction(unmatched: Sequence[ToolRequested], left: Sequence[WireCall]) -> str | None:
    if left:
        return "call_without_request"
    return "request_without_call" if unmatched else None


def strictly_equal(one: object, other: object) -> bool:
    """JSON equality in which `1`, `1.0` and `true` differ. However deep: an agent may nest as it likes."""
    pairs: list[tuple[object, object]] = [(one, other)]
    while pairs:
        left, right = pairs.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            pairs += [(left[key], right[key]) for key in left]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pairs += zip(left, right, strict=True)
        elif left != right:
            return False
    return True
