"""Whether those who tell of the same thing agree: host and fixture on a call, runner and host on an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

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
from skilltrial.model.evidence import JoinedCall, WireCall
from skilltrial.model.words import Owner

from .discovery import Doubt
from .reconcile import strictly_equal


def disputed_answer(events: Iterable[Event], answers: Sequence[str], turns: int) -> Doubt | None:
    """Doubt where an answer that the records show is not the one that the program gave to the runner."""
    ends = [event for event in events if isinstance(event, TurnEnded) and event.agent is None]
    if len(answers) != turns:
        return "answer_disputed", Owner.HOST
    if not _each_ended_once(ends, answers):
        return "turn_not_ended", Owner.HOST
    told = {event.turn: event.answer for event in ends}
    agree = all(
        answer is None or not 1 <= turn <= turns or answers[turn - 1] == answer for turn, answer in told.items()
    )
    return None if agree else ("answer_disputed", Owner.HOST)


def _each_ended_once(ends: Sequence[TurnEnded], answers: Sequence[str]) -> bool:
    """Whether each turn that was answered has one end.

    A turn that the host began on its own account has a native name of its own.
    """
    for turn, answer in enumerate(answers, 1):
        names = [end.native_turn for end in ends if end.turn == turn]
        if (answer and not names) or (len(names) > 1 and (None in names or len(set(names)) < len(names))):
            return False
    return True


def disputed_call(
    events: Sequence[Event], calls: Sequence[JoinedCall], served: Collection[str], sees: frozenset[Sees]
) -> Doubt | None:
    """Doubt where the records of one call contradict each other, or those of a call of a fixture break off.

    `served` are the fixtures whose calls both the host and the fixture tell of.
    """
    if Sees.TOOL_CALLS not in sees:
        return None
    failed = {event.call for event in events if isinstance(event, ToolError)}
    ours = [call for call in calls if _server(call) in served]
    why = _conflict(events) or next((why for call in ours if (why := _differs(call, failed, sees))), None)
    return None if why is None else (why, Owner.HOST)


def _server(call: JoinedCall) -> str | None:
    if call.wire is not None:
        return call.wire.server
    return None if call.requested is None else call.requested.server


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


def _differs(call: JoinedCall, failed: Collection[str], sees: frozenset[Sees]) -> str | None:
    """How the two witnesses of one call differ, or what one of them left out, in a word."""
    asked, wire = call.requested, call.wire
    if wire is not None and not isinstance(wire.arguments, dict):
        return "arguments_no_object"
    if asked is not None and asked.input is ABSENT:
        return "input_missing"
    if asked is None or wire is None:
        # The fixture runs beside the host: a call of it can't have been lost on the way.
        return "call_undelivered" if asked is not None and asked.call in failed else None
    if not strictly_equal(asked.input, wire.arguments):
        return "arguments_differ"
    if asked.turn != wire.turn:
        return "call_in_another_turn"
    return _ended_otherwise(call, wire, failed, sees)


def _ended_otherwise(call: JoinedCall, wire: WireCall, failed: Collection[str], sees: frozenset[Sees]) -> str | None:
    """How the host tells of another end of a call than the fixture does, or of none."""
    result, broke = call.result, call.requested is not None and call.requested.call in failed
    if result is not None:
        return "result_differs" if wire.answered and result.is_error is not wire.is_error else None
    if Sees.TOOL_RESULTS not in sees:
        return None
    if not broke:
        return "result_missing"
    # A fault that was played, or an error of the protocol's, is a breakdown to the host; a reply is none.
    return "result_differs" if wire.answered and wire.because in ("rule", "unexpected") else None
