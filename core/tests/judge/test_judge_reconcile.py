"""Two witnesses of each call: what is joined, what is not, and what they can't both be right about."""

from __future__ import annotations

import copy
import itertools
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.judge.reconcile import reconcile, strictly_equal
from skilltrial.model.events import ABSENT, Event, ToolError, ToolRejected, ToolRequested, ToolResult
from skilltrial.model.evidence import WireCall


def asked(call: str, arguments=None, *, turn=1, server="memory", tool="remember", **more) -> ToolRequested:
    return ToolRequested(seq=1, turn=turn, call=call, tool=tool, server=server, input=arguments, **more)


def came(arguments=None, *, joins=None, turn=1, server="memory", tool="remember", at=0.0) -> WireCall:
    return WireCall(server, turn, 1, tool, arguments, "stored", False, at, joins)


def rejected(call: str) -> ToolRejected:
    return ToolRejected(seq=2, turn=1, call=call, reason="permission")


def broke(call: str) -> ToolError:
    return ToolError(seq=2, turn=1, call=call)


def pairs(found) -> list[tuple[str | None, float | None]]:
    """The host's id and the time on the wire of each joined call."""
    return [(one.requested.call if one.requested else None, one.wire.at if one.wire else None) for one in found.calls]


def joined(events, wire):
    return reconcile(events, wire, ("memory",), host_shows_calls=True)


@pytest.mark.parametrize(
    ("events", "wire", "told", "contradiction"),
    [
        pytest.param([], [], [], None, id="nothing at all"),
        pytest.param([asked("a", 1)], [came(1, at=1)], [("a", 1)], None, id="by content"),
        pytest.param([asked("a", 1)], [came(2, joins="a", at=1)], [("a", 1)], None, id="by id, rewritten arguments"),
        pytest.param([asked("a", turn=2)], [came(joins="a", at=1)], [("a", 1)], None, id="by id, a late turn"),
        pytest.param(
            [asked("a"), asked("b")],
            [came(joins="b", at=1), came(joins="a", at=2)],
            [("a", 2), ("b", 1)],
            None,
            id="by id, out of order",
        ),
        pytest.param(
            [asked("a"), asked("b")],
            [came(at=1), came(joins="a", at=2)],
            [("a", 2), ("b", 1)],
            None,
            id="an id goes before content",
        ),
        pytest.param([asked("a", 1)], [came(1, joins="x-7", at=1)], [("a", 1)], None, id="an id that no event has"),
        pytest.param(
            [asked("a", 1), asked("b", 1)],
            [came(1, joins="b", at=1)],
            [("a", None), ("b", 1)],
            "request_without_call",
            id="another's id",
        ),
        pytest.param(
            [asked("a", tool="forget")],
            [came(joins="a", at=1)],
            [("a", None), (None, 1)],
            "call_without_request",
            id="the id of another tool",
        ),
        pytest.param(
            [asked("a"), asked("b")], [came(at=1), came(at=2)], [("a", 1), ("b", 2)], None, id="equal calls, in order"
        ),
        pytest.param(
            [asked("a"), asked("b")], [came(at=1)], [("a", 1), ("b", None)], "request_without_call", id="one of equal"
        ),
        pytest.param(
            [asked("a")], [came(at=1), came(at=2)], [("a", 1), (None, 2)], "call_without_request", id="sent twice"
        ),
        pytest.param(
            [asked("a"), replace(asked("a"), seen="session_log")],
            [came(at=1)],
            [("a", 1)],
            None,
            id="one call that stream and log show",
        ),
        pytest.param(
            [asked("a", ABSENT), asked("a", 2), asked("b", 1)],
            [came(1, at=1), came(2, at=2)],
            [("a", 2), ("b", 1)],
            None,
            id="one of them without its input",
        ),
        pytest.param(
            [asked("a"), asked("a", turn=2)],
            [came(at=1), came(at=2, turn=2)],
            [("a", 1), ("a", 2)],
            None,
            id="ids that begin anew in each turn",
        ),
        pytest.param([asked("a", ABSENT)], [came(1, at=1)], [("a", 1)], None, id="an input that is not shown"),
        pytest.param(
            [asked("a", ABSENT), asked("b", 1)],
            [came(1, at=1), came(2, at=2)],
            [("a", 2), ("b", 1)],
            None,
            id="an input that is not shown takes nobody's call",
        ),
        pytest.param([asked("a", None)], [came({}, at=1)], [("a", None), (None, 1)], "call_without_request", id="null"),
        pytest.param([asked("a", turn=2)], [came()], [("a", None), (None, 0)], "call_without_request", id="turn"),
        pytest.param([asked("a", server="m")], [came()], [("a", None), (None, 0)], "call_without_request", id="server"),
        pytest.param([asked("a", tool="x")], [came()], [("a", None), (None, 0)], "call_without_request", id="tool"),
        pytest.param([], [came(at=1)], [(None, 1)], "call_without_request", id="a call that nobody reported"),
        pytest.param([asked("a")], [], [("a", None)], "request_without_call", id="a call that never came"),
        pytest.param([asked("a", server=None)], [], [("a", None)], None, id="the program's own tool"),
        pytest.param(
            [asked("a", server=None)],
            [came(joins="a", at=1)],
            [("a", None), (None, 1)],
            "call_without_request",
            id="a program's own tool is never a server's",
        ),
        pytest.param([asked("a", server="theirs")], [], [("a", None)], None, id="a server that is no fixture"),
        pytest.param(
            [asked("a"), asked("b")],
            [came(joins="a", at=1), came(joins="a", at=2)],
            [("a", 1), ("b", None), (None, 2)],
            "call_without_request",
            id="sent twice under one id",
        ),
        pytest.param(
            [asked("a"), rejected("a"), asked("b")],
            [came(joins="a", at=1)],
            [("a", None), ("b", None), (None, 1)],
            "call_without_request",
            id="a rejected call that came is not another's",
        ),
        pytest.param([asked("a"), rejected("a")], [], [("a", None)], None, id="rejected"),
        pytest.param(
            [asked("a"), rejected("a")],
            [came(at=1)],
            [("a", None), (None, 1)],
            "call_without_request",
            id="rejected and carried out",
        ),
        pytest.param(
            [asked("a"), rejected("a")],
            [came(joins="a", at=1)],
            [("a", None), (None, 1)],
            "call_without_request",
            id="rejected and carried out under its id",
        ),
        pytest.param(
            [asked("a"), rejected("a"), asked("b")],
            [came(at=1)],
            [("a", None), ("b", 1)],
            None,
            id="rejected, then allowed",
        ),
        pytest.param([asked("a"), broke("a")], [], [("a", None)], None, id="broken before it arrived"),
        pytest.param([asked("a"), broke("a")], [came(at=1)], [("a", 1)], None, id="broken after it arrived"),
        pytest.param(
            [asked("a"), broke("a"), asked("b")],
            [came(at=1)],
            [("a", None), ("b", 1)],
            None,
            id="broken on the way out, then tried again",
        ),
        pytest.param(
            [asked("a"), broke("a"), asked("b")],
            [came(at=1), came(at=2)],
            [("a", 1), ("b", 2)],
            None,
            id="broken on the way back, then tried again",
        ),
        pytest.param(
            [asked("a"), broke("a"), asked("b")],
            [],
            [("a", None), ("b", None)],
            "request_without_call",
            id="broken, and its second never came",
        ),
    ],
)
def test_each_call_is_joined_with_what_it_became(events, wire, told, contradiction):
    found = joined(events, wire)
    assert (pairs(found), found.contradiction) == (told, contradiction)


def test_a_call_of_which_only_one_witness_can_speak_contradicts_nothing():
    for events, wire in [([], [came()]), ([asked("a")], []), ([asked("a", 1)], [came(2)])]:
        found = reconcile(events, wire, ("memory",), host_shows_calls=False)
        assert found.contradiction is None
        assert len(found.calls) == len(events) + len(wire)


def test_results_stay_with_their_calls():
    events = [asked("a", 1), asked("b", 2), ToolResult(seq=3, turn=1, call="b", content="two")]
    found = joined(events, [came(2, at=2), came(1, at=1)])
    assert [(one.wire.at, one.result and one.result.content) for one in found.calls] == [(1, None), (2, "two")]


SCALARS: list[Any] = [None, False, True, 0, 1, 1.0, 0.0, "", "1", "true", [], {}]


@pytest.mark.parametrize("wrap", [lambda one: one, lambda one: [one], lambda one: {"a": [{"b": one}]}])
def test_values_of_different_kinds_are_never_equal(wrap):
    for (left, one), (right, other) in itertools.product(enumerate(SCALARS), repeat=2):
        assert strictly_equal(wrap(one), wrap(copy.deepcopy(other))) is (left == right), (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [([1], [1, 1]), ([1, 2], [2, 1]), ({"a": 1}, {"a": 1, "b": 1}), ({"a": 1}, {"b": 1}), ({"a": None}, {}), ({}, [])],
)
def test_shapes_that_differ_are_not_equal(one, other):
    assert not strictly_equal(one, other)
    assert not strictly_equal(other, one)


def test_the_order_of_keys_is_no_difference_and_depth_is_no_fault():
    assert strictly_equal({"a": 1, "b": 2}, {"b": 2, "a": 1})
    deep: Any = 1
    other: Any = 1.0
    for _ in range(20_000):
        deep, other = [deep], [other]
    assert not strictly_equal(deep, other)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 1.5]) | st.text("1a", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


@given(one=JSON, other=JSON)
def test_strict_equality_is_that_of_the_written_json(one, other):
    def text(value):  # `sort_keys` and all: the same text only for the same value
        if isinstance(value, dict):
            return "{" + ",".join(f"{key!r}:{text(value[key])}" for key in sorted(value)) + "}"
        return (
            "[" + ",".join(map(text, value)) + "]" if isinstance(value, list) else f"{type(value).__name__} {value!r}"
        )

    assert strictly_equal(one, copy.deepcopy(one))
    assert strictly_equal(one, other) is (text(one) == text(other))


@st.composite
def truths(draw):
    """What really happened, told by both: events in the order of the requests, the wire in any order of a turn."""
    events: list[Event] = []
    wire: list[WireCall] = []
    for number in range(draw(st.integers(1, 7))):
        turn = draw(st.integers(1, 2))
        arguments = draw(st.sampled_from([{}, {"a": 1}, {"a": 1.0}, {"a": True}, {"a": "1"}]))
        tool = draw(st.sampled_from(["remember", "forget"]))
        shown = ABSENT if draw(st.integers(0, 4)) == 0 else copy.deepcopy(arguments)
        request = asked(f"c{number}", shown, turn=turn, tool=tool)
        events.append(request)
        fate = draw(st.sampled_from(["sound"] * 5 + ["rejected", "own"]))
        if fate == "own":
            events[-1] = replace(request, server=None)
        elif fate == "rejected":
            events.append(replace(rejected(request.call), turn=turn))
        else:
            joins = draw(st.sampled_from([None, request.call]))
            wire.append(came(arguments, joins=joins, turn=turn, tool=tool, at=float(number)))
    return events, draw(st.permutations(wire))


def sound(events):
    stopped = {event.call for event in events if isinstance(event, ToolRejected)}
    requests = [event for event in events if isinstance(event, ToolRequested)]
    return [one for one in requests if one.server is not None and one.call not in stopped]


@given(truth=truths())
def test_truthful_witnesses_are_joined_whole_in_whatever_order_calls_arrive(truth):
    events, wire = truth
    found = joined(events, wire)
    assert found.contradiction is None
    assert [one.requested.call for one in found.calls] == [e.call for e in events if isinstance(e, ToolRequested)]
    assert sorted(one.wire.at for one in found.calls if one.wire) == sorted(call.at for call in wire)
    assert {one.requested.call for one in found.calls if one.wire} == {one.call for one in sound(events)}
    assert all(one.wire.joins in (None, one.requested.call) for one in found.calls if one.wire)


@given(truth=truths(), data=st.data())
def test_a_call_that_is_missing_from_the_wire_contradicts(truth, data):
    events, wire = truth
    if wire:
        gone = data.draw(st.sampled_from(wire))
        found = joined(events, [call for call in wire if call is not gone])
        assert found.contradiction in {"request_without_call", "call_without_request"}


@given(truth=truths(), data=st.data())
def test_a_request_that_is_missing_from_the_trajectory_contradicts(truth, data):
    events, wire = truth
    if wire:
        gone = data.draw(st.sampled_from(sound(events)))
        assert joined([event for event in events if event is not gone], wire).contradiction == "call_without_request"


@given(truth=truths(), data=st.data())
def test_a_broken_call_is_truthful_whether_it_arrived_or_not(truth, data):
    events, wire = truth
    if wire:
        lost = data.draw(
            st.sampled_from(sound([event for event in events if getattr(event, "input", None) is not ABSENT]) or [None])
        )
        if lost is not None:
            told = [*events, replace(broke(lost.call), turn=lost.turn)]
            assert joined(told, wire).contradiction is None
            arrived = [call for call in wire if call.at != float(lost.call[1:])]
            assert joined(told, arrived).contradiction is None
