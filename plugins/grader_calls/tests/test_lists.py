"""Exactly these calls, at least, at most, never; by two witnesses or by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from skilltrial.api import ABSENT, Sees
from skilltrial_grader_calls.matching import in_any_order, in_order

SAVE = {"tool": "remember_memory"}
FIND = {"tool": "search_memory"}
WIRE_ONLY: frozenset[Sees] = frozenset()


@pytest.mark.parametrize(
    ("called", "verdict"),
    [
        (["remember_memory"], "passed"),
        (["get_scope", "remember_memory", "resolve_scope_binding"], "passed"),
        ([], "failed:call_missing"),
        (["get_scope"], "failed:call_missing"),
        (["remember_memory", "remember_memory"], "failed:call_too_many"),
        (["remember_memory", "search_memory"], "failed:call_too_many"),
        (["search_memory"], "failed:calls_differ"),
        (["Remember_memory"], "failed:calls_differ"),
    ],
)
def test_exactly_one_save_with_scope_calls_left_out(did: Any, saw: Any, judge: Any, called: Any, verdict: str) -> None:
    evidence = saw(*map(did, called))

    assert judge(evidence, server="memory", exactly=[SAVE], ignore=["get_scope", "resolve_scope_binding"]) == verdict


def test_calls_of_another_server_and_of_the_programs_own_tools_do_not_count(did: Any, saw: Any, judge: Any) -> None:
    evidence = saw(did("remember_memory"), did("remember_memory", server="other"), did("shell", server=None))

    assert judge(evidence, server="memory", exactly=[SAVE]) == "passed"
    assert judge(evidence, server="other", exactly=[SAVE]) == "passed"
    assert judge(evidence, exactly=[SAVE, SAVE, {"tool": "shell"}]) == "passed"


def test_a_tool_is_meant_by_any_of_its_names(did: Any, saw: Any, judge: Any) -> None:
    """A server of another date calls it otherwise; whoever forbids it under the old name forbids it."""
    names = {"memory": {"remember_memory": "store"}, "other": {"search_memory": "store"}}
    evidence = saw(did("store", {"a": 1}), names=names)

    assert judge(evidence, server="memory", exactly=[SAVE]) == "passed"
    assert judge(evidence, server="memory", exactly=[{"tool": "store"}]) == "passed"
    assert judge(evidence, server="memory", never=[SAVE]) == "failed:call_forbidden"
    assert judge(evidence, server="memory", never=[FIND]) == "passed"
    assert judge(evidence, server="memory", exactly=[], ignore=["remember_memory"]) == "passed"
    assert judge(evidence, server="memory", tool="remember_memory", arguments={"a": 1}) == "passed"
    # Another server's tool, and the program's own, have no part in it.
    assert judge(saw(did("store", server=None), names=names), never=[SAVE]) == "passed"


@pytest.mark.parametrize("extra", ["shell", "skill", "search_memory"])
def test_no_tool_at_all_means_the_programs_own_too(did: Any, saw: Any, judge: Any, extra: str) -> None:
    assert judge(saw(), exactly=[]) == "passed"
    assert judge(saw(did(extra, server=None)), exactly=[]) == "failed:call_too_many"
    assert judge(saw(did(extra, by="wire")), exactly=[]) == "failed:call_too_many"
    assert judge(saw(sees=WIRE_ONLY), exactly=[]) == "unverified:not_observable"


def test_a_rejected_attempt_counts_but_fulfils_nothing(did: Any, saw: Any, judge: Any) -> None:
    rejected = did("remember_memory", rejected="schema")

    assert judge(saw(rejected), server="memory", exactly=[SAVE]) == "failed:call_rejected"
    assert judge(saw(rejected), server="memory", at_least=[SAVE]) == "failed:call_missing"
    assert judge(saw(rejected, did("remember_memory")), server="memory", exactly=[SAVE]) == "failed:call_too_many"
    assert judge(saw(rejected, did("remember_memory")), server="memory", at_least=[SAVE]) == "passed"
    assert judge(saw(rejected), server="memory", never=[SAVE]) == "failed:call_forbidden"
    assert judge(saw(rejected), server="memory", at_most=[]) == "failed:call_too_many"


@pytest.mark.parametrize(
    ("options", "called", "verdict"),
    [
        ({"exactly": [SAVE]}, ["remember_memory"], "unverified:calls_not_shown"),
        ({"exactly": [SAVE]}, ["remember_memory"] * 2, "failed:call_too_many"),
        ({"exactly": []}, [], "unverified:calls_not_shown"),
        ({"at_least": [SAVE]}, ["remember_memory"], "passed"),
        ({"at_least": [SAVE]}, [], "failed:call_missing"),
        ({"at_most": [SAVE]}, [], "unverified:calls_not_shown"),
        ({"never": [SAVE]}, [], "unverified:calls_not_shown"),
        ({"never": [SAVE]}, ["remember_memory"], "failed:call_forbidden"),
        ({"retries": "never"}, ["remember_memory"], "unverified:calls_not_shown"),
    ],
)
def test_a_wire_alone_shows_what_arrived_but_no_attempt_that_never_did(
    did: Any, saw: Any, judge: Any, options: Any, called: list[str], verdict: str
) -> None:
    evidence = saw(*(did(tool, by="wire") for tool in called), sees=WIRE_ONLY)

    assert judge(evidence, server="memory", **options) == verdict


@pytest.mark.parametrize(
    ("options", "called", "verdict"),
    [
        ({"exactly": [SAVE, FIND]}, "sf", "passed"),
        ({"exactly": [SAVE, FIND]}, "fs", "failed:calls_differ"),
        ({"exactly": [SAVE, FIND], "ordered": False}, "fs", "passed"),
        ({"exactly": [SAVE, FIND], "ordered": False}, "ff", "failed:calls_differ"),
        ({"at_least": [SAVE, FIND]}, "xsxfx", "passed"),
        ({"at_least": [SAVE, FIND]}, "fs", "failed:call_missing"),
        ({"at_least": [SAVE, FIND], "ordered": False}, "fs", "passed"),
        ({"at_least": [SAVE, SAVE], "ordered": False}, "sf", "failed:call_missing"),
        ({"at_most": [SAVE, FIND, SAVE]}, "ss", "passed"),
        ({"at_most": [SAVE, FIND]}, "fs", "failed:call_too_many"),
        ({"at_most": [SAVE, FIND], "ordered": False}, "fs", "passed"),
        ({"at_most": [SAVE]}, "x", "failed:call_too_many"),
        ({"never": [FIND, {"tool": ["x", "y"]}]}, "ss", "passed"),
        ({"never": [FIND, {"tool": ["x", "y"]}]}, "sx", "failed:call_forbidden"),
    ],
)
def test_order_counts_unless_it_does_not(
    did: Any, saw: Any, judge: Any, options: Any, called: str, verdict: str
) -> None:
    names = {"s": "remember_memory", "f": "search_memory", "x": "x"}

    assert judge(saw(*(did(names[one]) for one in called)), server="memory", **options) == verdict


def test_calls_stand_in_the_order_in_which_they_arrived(did: Any, saw: Any, judge: Any) -> None:
    evidence = saw(did("search_memory", at=2.0), did("shell", server=None), did("remember_memory", at=1.0))

    assert judge(evidence, exactly=[SAVE, {"tool": "shell"}, FIND]) == "passed"


@pytest.mark.parametrize(
    ("traits", "verdict"),
    [
        ({"arguments": {"n": 1}}, "passed"),
        ({"arguments": {"n": 1.0}}, "failed:calls_differ"),
        ({"arguments": {"n": True}}, "failed:calls_differ"),
        ({"arguments": {"n": 1, "deep": {"a": [1, None]}}}, "passed"),
        ({"arguments": {"deep": {"a": [1]}}}, "failed:calls_differ"),
        ({"arguments": {"absent": None}}, "failed:calls_differ"),
        ({"arguments": {"n": 1}, "no_other_arguments": True}, "failed:calls_differ"),
        ({"arguments": {"n": 1, "deep": {"a": [1, None]}}, "no_other_arguments": True}, "passed"),
        ({"no_other_arguments": True}, "failed:calls_differ"),
        ({"arguments_schema": {"properties": {"n": {"maximum": 3}}}}, "passed"),
        ({"arguments_schema": {"required": ["text"]}}, "failed:calls_differ"),
        ({"arguments_schema": False}, "failed:calls_differ"),
        ({"is_error": True}, "passed"),
        ({"is_error": False}, "failed:calls_differ"),
        ({"result": {"/error/code": "DENIED"}}, "passed"),
        ({"result": {"/error/code": "denied"}}, "failed:calls_differ"),
        ({"result": {"/error/none": None}}, "failed:calls_differ"),
        ({"result_schema": {"required": ["error"]}}, "passed"),
    ],
)
def test_a_pattern_looks_at_arguments_and_result(did: Any, saw: Any, judge: Any, traits: Any, verdict: str) -> None:
    arguments = {"n": 1, "deep": {"a": [1, None]}}
    evidence = saw(did("t", arguments, {"error": {"code": "DENIED"}}, is_error=True))

    assert judge(evidence, server="memory", exactly=[{"tool": "t", **traits}]) == verdict


@pytest.mark.parametrize("arguments", [[], "text", 1, False])
def test_arguments_that_are_no_object_fit_no_members(did: Any, saw: Any, judge: Any, arguments: Any) -> None:
    evidence = saw(did("t", arguments))

    assert judge(evidence, exactly=[{"tool": "t", "arguments": {}}]) == "failed:calls_differ"
    assert judge(evidence, exactly=[{"tool": "t"}]) == "passed"


def test_what_was_not_shown_decides_nothing(did: Any, saw: Any, judge: Any) -> None:
    hidden = saw(did("t", ABSENT, by="host"))
    no_result = saw(did("t", {"a": 1}, by="host"))

    assert judge(hidden, exactly=[{"tool": "t", "arguments": {"a": 1}}]) == "unverified:arguments_not_shown"
    assert judge(hidden, never=[{"tool": "t", "arguments": {"a": 1}}]) == "unverified:arguments_not_shown"
    assert judge(hidden, at_least=[{"tool": "t", "arguments": {"a": 1}}]) == "unverified:arguments_not_shown"
    assert judge(hidden, exactly=[{"tool": "t"}]) == "passed"
    assert judge(no_result, exactly=[{"tool": "t", "is_error": False}]) == "unverified:result_not_shown"
    assert judge(no_result, never=[{"tool": "t", "is_error": True}]) == "unverified:result_not_shown"


def test_any_tool_may_be_meant_if_something_is_said_of_the_call(did: Any, saw: Any, judge: Any) -> None:
    elsewhere = {"arguments_schema": {"not": {"required": ["scope"], "properties": {"scope": {"const": "own"}}}}}

    assert judge(saw(did("a", {"scope": "own"}), did("b", {"scope": "own"})), never=[elsewhere]) == "passed"
    assert (
        judge(saw(did("a", {"scope": "own"}), did("b", {"scope": "x"})), never=[elsewhere]) == "failed:call_forbidden"
    )
    assert judge(saw(did("a")), never=[elsewhere]) == "failed:call_forbidden"


@pytest.mark.parametrize(
    ("calls", "verdict"),
    [
        ([("a", False), ("a", False)], "passed"),
        ([("a", True), ("b", False)], "passed"),
        ([("a", True), ("a", False)], "failed:retried"),
        ([("a", True), ("b", False), ("a", True)], "failed:retried"),
        ([("a", False), ("a", True)], "passed"),
    ],
)
def test_no_tool_is_called_again_after_its_error(did: Any, saw: Any, judge: Any, calls: Any, verdict: str) -> None:
    evidence = saw(*(did(tool, result={}, is_error=flag) for tool, flag in calls))

    assert judge(evidence, server="memory", retries="never") == verdict


def test_a_second_try_after_a_rejection_is_a_retry_and_without_results_nobody_knows(
    did: Any, saw: Any, judge: Any
) -> None:
    assert judge(saw(did("a", rejected="schema"), did("a")), retries="never") == "failed:retried"
    assert judge(saw(did("a", by="host"), did("a", by="host")), retries="never") == "unverified:result_not_shown"
    assert judge(saw(did("a", by="host")), retries="never") == "passed"


@pytest.mark.parametrize(
    "options",
    [
        {"server": "memory"},
        {"server": "memory", "exactly": [], "never": [SAVE]},
        {"never": []},
        {"exactly": [{}]},
        {"exactly": [{"tol": "x"}]},
        {"exactly": [{"tool": ""}]},
        {"exactly": [{"tool": "x", "result": {"code": 1}}]},
        {"exactly": [{"tool": "x", "arguments": []}]},
        {"exactly": [{"tool": "x", "arguments_schema": {"type": "strin"}}]},
        {"exactly": "x"},
        {"retries": "sometimes"},
    ],
)
def test_a_check_that_asks_nothing_or_nonsense_is_refused(read: Any, options: Any) -> None:
    with pytest.raises(ValidationError):
        read(**options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"server": "memory", "exactly": [SAVE], "ignore": ["get_scope"]},
            "calls of memory are exactly remember_memory, get_scope left out",
        ),
        ({"exactly": []}, "calls are exactly no calls"),
        (
            {"server": "m", "at_least": [SAVE, FIND], "ordered": False},
            "calls of m contain remember_memory and search_memory, in any order",
        ),
        ({"never": [{"tool": ["a", "b"], "is_error": True}]}, "calls are never a and b that fails"),
        ({"server": "m", "retries": "never"}, "no tool of m is called again after an error"),
    ],
)
def test_a_check_says_what_it_demands(read: Any, options: Any, sentence: str) -> None:
    assert read(**options).sentence() == sentence


PAIRS = st.integers(0, 4).flatmap(
    lambda width: st.lists(st.lists(st.booleans(), min_size=width, max_size=width), max_size=4)
)


@given(PAIRS)
def test_placings_are_those_that_trying_everything_finds(pairs: list[list[bool]]) -> None:
    from itertools import permutations

    width = len(pairs[0]) if pairs else 0
    placings = [one for one in permutations(range(width), len(pairs)) if all(map(lambda row, at: row[at], pairs, one))]

    assert in_any_order(pairs) is bool(placings)
    assert in_order(pairs) is any(list(one) == sorted(one) for one in placings)


@pytest.mark.parametrize(
    ("options", "called", "verdict"),
    [
        ({"exactly": [{"tool": "git"}]}, ["git"], "passed"),
        ({"exactly": []}, [], "passed"),
        ({"never": [{"tool": "npm"}]}, ["git"], "passed"),
        ({"never": [{"tool": "git"}]}, ["git"], "failed:call_forbidden"),
        ({"at_most": [{"tool": "git"}]}, ["git", "git"], "failed:call_too_many"),
        ({"retries": "never"}, ["git"], "passed"),
    ],
)
def test_of_programs_the_fixture_is_the_only_witness_and_a_whole_one(
    did: Any, saw: Any, judge: Any, options: Any, called: Any, verdict: str
) -> None:
    calls = [did(tool, server="tools", by="wire") for tool in called]

    for sees in (WIRE_ONLY, frozenset({Sees.TOOL_CALLS})):
        evidence = replace(saw(*calls, sees=sees), alone=frozenset({"tools"}))
        assert judge(evidence, server="tools", **options) == verdict
