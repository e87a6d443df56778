"""Whether those who tell of the same thing agree: host and fixture on a call, runner and host on an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from skilltrial.model.capabilities import Sees
from skilltrial.model.events import (
    ABSENT,
    Event,
    ModelRequested,
    ToolError,
    ToolRejected,
    ToolRequested,
    ToolResult,
    ToolStarted,
    TurnEnded,
)
from skilltrial.model.evidence import JoinedCall
from skilltrial.model.words import Owner

from .belonging import Doubt
from .reconcile import strictly_equal


def disputed_answer(events: Iterable[Event], answers: Sequence[str], turns: int) -> Doubt | None:
    """Doubt where an answer that the records show is not the one that the program gave to the runner."""
    told = {event.turn: event.answer for event in events if isinstance(event, TurnEnded) and event.agent is None}
    agree = len(answers) == turns and all(
        answer is None or not 1 <= turn <= turns or answers[turn - 1] == answer for turn, answer in told.items()
    )
    return None if agree else ("answer_disputed", Owner.HOST)


def disputed_call(events: Sequence[Event], calls: Iterable[JoinedCall], sees: frozenset[Sees]) -> Doubt | None:
    """Doubt where the records of one call contradict each other, or those of a fixture's call break off."""
    failed = {event.call for event in events if isinstance(event, ToolError)}
    why = _conflict(events) or next((why for call in calls if (why := _differs(call, failed, sees))), None)
    return None if why is None else (why, Owner.HOST)


def disputed_model(events: Iterable[Event], turns: int, sees: frozenset[Sees]) -> Doubt | None:
    """Doubt where a turn shows no model, or the conversation went on with another one."""
    if Sees.MODEL_IDS not in sees:
        return None
    asked = [event for event in events if isinstance(event, ModelRequested) and event.agent is None and event.model]
    if {event.turn for event in asked} < set(range(1, turns + 1)):
        return "model_unobserved", Owner.HOST
    return ("model_changed", Owner.MODEL) if len({(event.provider, event.model) for event in asked}) > 1 else None


def _conflict(events: Iterable[Event]) -> str | None:
    """Two records of one id that can't both be true."""
    asked: dict[tuple[int, str | None, str], list[ToolRequested]] = defaultdict(list)
    rejected: set[str] = set()
    carried_out: set[str] = set()
    ended: dict[str, set[bool]] = defaultdict(set)
    for event in events:
        match event:
            case ToolRequested():
                asked[event.turn, event.agent, event.call].append(event)
            case ToolRejected(reason="schema"):
                rejected.add(event.call)
            case ToolStarted():
                carried_out.add(event.call)
            case ToolResult() | ToolError():
                carried_out.add(event.call)
                ended[event.call].add(isinstance(event, ToolError) or event.is_error)
            case _:
                pass
    for requests in asked.values():
        inputs = [one.input for one in requests if one.input is not ABSENT]
        if any(not strictly_equal(inputs[0], one) for one in inputs[1:]):
            return "request_disputed"
        if len({(one.tool, one.server) for one in requests}) > 1:
            return "request_disputed"
    if any(len(ways) > 1 for ways in ended.values()):
        return "result_disputed"
    return "rejection_disputed" if rejected & carried_out else None


def _differs(call: JoinedCall, failed: Iterable[str], sees: frozenset[Sees]) -> str | None:
    """How the two witnesses of one call differ, in a word."""
    asked, wire, result = call.requested, call.wire, call.result
    if asked is None or wire is None:
        return None
    if asked.input is not ABSENT and not strictly_equal(asked.input, wire.arguments):
        return "arguments_differ"
    if asked.turn != wire.turn:
        return "call_in_another_turn"
    if result is not None and wire.answered and result.is_error is not wire.is_error:
        return "result_differs"
    if result is None and Sees.TOOL_RESULTS in sees:
        if asked.call not in failed:
            return "result_missing"
        # A fault that was played, or an error of the protocol's, is a breakdown to the host; a reply is none.
        if wire.answered and wire.because in ("rule", "unexpected"):
            return "result_differs"
    return None
