"""Each call of a tool: its arguments and what came of it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from skilltrial.api import ABSENT, Sees, Truncated, Unrecognized

TEXT = "Use UTC."


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        ({"kind": "decision", "text": TEXT, "scope": "s"}, "passed"),
        ({"kind": "decision", "text": TEXT + " "}, "failed:arguments_differ"),
        ({"kind": "note", "text": TEXT}, "failed:arguments_differ"),
        ({"text": TEXT}, "failed:arguments_differ"),
        ([], "failed:arguments_differ"),
    ],
)
def test_a_saved_decision_has_its_exact_text(did: Any, saw: Any, judge: Any, arguments: Any, verdict: str) -> None:
    wanted = {"kind": "decision", "text": TEXT}

    assert judge(saw(did("save", arguments)), server="memory", tool="save", arguments=wanted) == verdict


def test_a_call_that_never_was_is_not_as_it_must_be(did: Any, saw: Any, judge: Any) -> None:
    assert judge(saw(did("find")), server="memory", tool="save", is_error=False) == "failed:not_called"
    assert judge(saw(did("save", server="other")), server="memory", tool="save", is_error=False) == "failed:not_called"


@pytest.mark.parametrize(
    ("which", "verdict"),
    [("each", "failed:arguments_differ"), ("first", "passed"), ("last", "failed:arguments_differ"), ("any", "passed")],
)
def test_which_call_is_meant(did: Any, saw: Any, judge: Any, which: str, verdict: str) -> None:
    evidence = saw(did("save", {"n": 1}), did("save", {"n": 2}))

    assert judge(evidence, server="memory", tool="save", which=which, arguments={"n": 1}) == verdict


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ({"is_error": True, "result": {"/error/code": "candidate_conflict"}}, "passed"),
        ({"is_error": False}, "failed:result_differs"),
        ({"result": {"/error/code": "other"}}, "failed:result_differs"),
        ({"result": {"/version": 1}}, "failed:result_differs"),
        ({"result_schema": {"properties": {"error": {"required": ["code"]}}}}, "passed"),
    ],
)
def test_a_result_is_read_by_pointer(did: Any, saw: Any, judge: Any, options: Any, verdict: str) -> None:
    evidence = saw(did("approve", {}, {"error": {"code": "candidate_conflict"}}, is_error=True))

    assert judge(evidence, server="memory", tool="approve", **options) == verdict


def test_a_wire_alone_can_refute_and_find_but_not_vouch_for_each(did: Any, saw: Any, judge: Any) -> None:
    evidence = saw(did("save", {"n": 1}, by="wire"), sees=frozenset())

    assert judge(evidence, server="memory", tool="save", arguments={"n": 1}) == "unverified:calls_not_shown"
    assert judge(evidence, server="memory", tool="save", which="any", arguments={"n": 1}) == "passed"
    assert judge(evidence, server="memory", tool="save", arguments={"n": 2}) == "failed:arguments_differ"
    assert judge(evidence, tool="save", arguments={"n": 1}) == "unverified:not_observable"


def test_what_was_not_shown_decides_nothing(did: Any, saw: Any, judge: Any) -> None:
    hidden = saw(did("save", ABSENT, by="host"))
    seen_without_results = saw(did("shell", {"a": 1}, "out", server=None), sees=frozenset({Sees.TOOL_CALLS}))

    assert judge(hidden, tool="save", arguments={"n": 1}) == "unverified:arguments_not_shown"
    assert judge(hidden, tool="save", which="any", arguments={"n": 1}) == "unverified:arguments_not_shown"
    assert judge(seen_without_results, tool="shell", is_error=False) == "unverified:result_not_shown"
    assert judge(seen_without_results, tool="shell", arguments={"a": 1}) == "passed"


def test_a_rejected_attempt_has_no_result(did: Any, saw: Any, judge: Any) -> None:
    evidence = saw(did("save", {"n": 1}, rejected="schema"))

    assert judge(evidence, server="memory", tool="save", is_error=True) == "failed:result_differs"
    assert judge(evidence, server="memory", tool="save", arguments={"n": 1}) == "passed"


@pytest.mark.parametrize(
    "options", [{"tool": "a"}, {"tool": "", "is_error": True}, {"tool": "a", "which": "second", "is_error": True}]
)
def test_a_check_that_asks_nothing_is_refused(read: Any, options: Any) -> None:
    with pytest.raises(ValidationError):
        read(**options)


def test_a_pattern_that_takes_too_long_decides_nothing(did: Any, saw: Any, judge: Any) -> None:
    slow = {"properties": {"text": {"pattern": "(x+x+)+y"}}}
    evidence = saw(did("save", {"text": "x" * 3_000}))

    assert judge(evidence, server="memory", tool="save", arguments_schema=slow) == "unverified:pattern_too_slow"


def test_a_check_says_what_it_demands(read: Any) -> None:
    check = read(server="memory", tool="save", which="last", arguments={"kind": "decision"}, is_error=False)

    assert check.sentence() == 'the last call of save of memory is one with {"kind": "decision"} that succeeds'


def test_a_call_that_is_optional_need_not_be_there_and_is_held_to_the_same_where_it_is(
    did: Any, saw: Any, judge: Any
) -> None:
    options = {"server": "memory", "tool": ["save", "store"], "arguments": {"n": 1}}

    assert judge(saw(), optional=True, **options) == "passed"
    assert judge(saw(), **options) == "failed:not_called"
    assert judge(saw(), optional=True, which="any", **options) == "passed"
    assert judge(saw(did("store", {"n": 1})), optional=True, **options) == "passed"
    assert judge(saw(did("save", {"n": 1}), did("store", {"n": 1.0})), **options) == "failed:arguments_differ"


@pytest.mark.parametrize(
    "event",
    [
        Truncated(seq=9, turn=1, where="stdout"),
        Unrecognized(seq=9, turn=1, why="not_json"),
        Unrecognized(seq=9, turn=1, why="session_log_not_json"),
        Unrecognized(seq=9, turn=1, why="damaged_fields"),
    ],
)
def test_where_records_are_cut_or_damaged_a_call_may_be_missing(did: Any, saw: Any, judge: Any, event: Any) -> None:
    there = saw(did("save", {"n": 1}), events=[event])

    assert judge(there, server="memory", exactly=[{"tool": "save"}]) == "unverified:calls_not_shown"
    assert judge(there, server="memory", never=[{"tool": "forget"}]) == "unverified:calls_not_shown"
    assert judge(there, server="memory", at_least=[{"tool": "save"}]) == "passed"
    assert judge(there, server="memory", never=[{"tool": "save"}]) == "failed:call_forbidden"


def test_a_kind_of_record_that_nobody_knows_yet_hides_no_call(did: Any, saw: Any, judge: Any) -> None:
    there = saw(did("save"), events=[Unrecognized(seq=9, turn=1, why="unknown_type")])

    assert judge(there, server="memory", exactly=[{"tool": "save"}]) == "passed"
