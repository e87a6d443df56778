"""Every script does what it promises: played by the fixture and judged by the graders, without any program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

CASES = ("ordinary-coding", "explicit-save", "empty-search", "failed-save", "stale-approval")
SCOPE = {"scope_id": "zcode-guidance-fixture-scope"}
REJECTIONS = {
    "schema": "turn_1_native_input_rejected",
    "unknown_tool": "turn_1_unknown_tool_namespace",
    "permission": "turn_1_out_of_bounds_attempt",
    "policy": "turn_1_out_of_bounds_attempt",
}
each_case = pytest.mark.parametrize("id", CASES)

Outcomes = Callable[..., dict[str, str]]


def failed(outcomes: dict[str, str]) -> list[str]:
    assert set(outcomes.values()) <= {"passed", "failed"}
    return [id for id, outcome in outcomes.items() if outcome == "failed"]


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"call": {"server": "powercontext", "tool": tool, "arguments": SCOPE | arguments}}


@each_case
def test_a_case_has_an_honest_script_and_four_that_fail_for_a_named_reason(cases: Any, id: str) -> None:
    checks = {check["id"] for check in cases[id]["checks"]}
    promised = [rehearsal["expect"] for rehearsal in cases[id]["rehearsals"]]

    assert "passed" in promised
    assert promised.count("failed") >= 4
    for rehearsal in cases[id]["rehearsals"]:
        assert bool(rehearsal.get("because")) == (rehearsal["expect"] != "passed")
        assert set(rehearsal.get("because", [])) <= checks


@each_case
def test_each_script_fails_exactly_the_checks_that_it_names(
    cases: Any, played: Any, outcomes: Outcomes, id: str
) -> None:
    case = cases[id]
    for rehearsal in case["rehearsals"]:
        for arm in rehearsal.get("arms", ["without_skill", "with_skill"]):
            expected = rehearsal["expect"] if isinstance(rehearsal["expect"], str) else rehearsal["expect"][arm]

            found = failed(outcomes(case, played(case, rehearsal["script"], arm)))

            because = rehearsal.get("because", []) if expected == "failed" else []
            assert sorted(found) == sorted(because), (rehearsal["id"], arm)


@each_case
def test_each_script_calls_tools_that_are_offered(cases: Any, served: Any, id: str) -> None:
    called = {
        act["call"]["tool"] for rehearsal in cases[id]["rehearsals"] for act in rehearsal["script"] if "call" in act
    }

    assert called <= set(served.catalog.tools)


@each_case
def test_each_code_of_the_case_is_named_by_some_script(cases: Any, id: str) -> None:
    """But those of what only some programs do: they reject calls, or ask for permission."""
    case = cases[id]
    named = {code for rehearsal in case["rehearsals"] for code in rehearsal.get("because", [])}
    left = {check["id"] for check in case["checks"]} - named

    assert {code for code in left if not code.endswith(("_rejected", "_namespace", "_attempt"))} <= (
        {"turn_1_wrong_scope"} if id == "stale-approval" else set()
    )


@each_case
@pytest.mark.parametrize("word", ["Done.", "I have done all that you asked for. Everything is saved.", ""])
@pytest.mark.parametrize("arm", ["without_skill", "with_skill"])
def test_r35_an_agent_that_does_nothing_passes_no_case(
    cases: Any, played: Any, outcomes: Outcomes, id: str, word: str, arm: str
) -> None:
    case = cases[id]

    assert failed(outcomes(case, played(case, [{"say": word}] * len(case["turns"]), arm)))


@each_case
@pytest.mark.parametrize("reason", REJECTIONS)
def test_a_rejected_attempt_counts_and_is_named(
    cases: Any, played: Any, outcomes: Outcomes, id: str, reason: str
) -> None:
    """Given honest words, when the program rejects a search that was tried first, then its code is named."""
    case = cases[id]
    words = [{"say": act["say"]} for act in case["rehearsals"][0]["script"] if "say" in act]

    found = failed(outcomes(case, played(case, [call("search_memory"), *words], rejects=reason)))

    assert REJECTIONS[reason] in found
    assert "turn_1_wrong_scope" not in found, "a call that was rejected reached no scope"
    assert set(found) & {
        "unnecessary_powercontext_call", "save_not_single_native_call", "empty_search_not_single_native_call",
        "review_not_version_1",
    }  # fmt: skip


def test_a_rejected_search_leaves_the_codes_of_an_ordinary_question(
    cases: Any, played: Any, outcomes: Outcomes
) -> None:
    case = cases["ordinary-coding"]

    found = failed(outcomes(case, played(case, [call("search_memory"), {"say": "[1, 2]"}], rejects="schema")))

    assert found == ["unnecessary_powercontext_call", "turn_1_native_input_rejected"]


@pytest.mark.parametrize("answer", ["[1, 2]", " [1,2]\n", "`[1, 2]`", "```python\n[1, 2]\n```", "```json\n[1, 2]\n```"])
@pytest.mark.parametrize("id", ["ordinary-coding", "empty-search"])
def test_equal_forms_of_the_list_are_worth_the_same(
    cases: Any, played: Any, outcomes: Outcomes, id: str, answer: str
) -> None:
    script = [*cases[id]["rehearsals"][0]["script"][:-1], {"say": answer}]

    assert failed(outcomes(cases[id], played(cases[id], script))) == []


@pytest.mark.parametrize("answer", ["[1, 3]", "[1.0, 2.0]", "(1, 2)", "[1, 2].", "~~~\n[1, 2]\n~~~", "[true, 2]"])
@pytest.mark.parametrize("id", ["ordinary-coding", "empty-search"])
def test_another_list_is_incorrect(cases: Any, played: Any, outcomes: Outcomes, id: str, answer: str) -> None:
    script = [*cases[id]["rehearsals"][0]["script"][:-1], {"say": answer}]

    assert failed(outcomes(cases[id], played(cases[id], script))) == ["coding_answer_incorrect"]


@pytest.mark.parametrize("tool", ["search_memory", "list_memory_entries", "list_atomic_memories", "remember_memory"])
@pytest.mark.parametrize(
    ("turn", "code"),
    [(1, "empty_search_not_single_native_call"), (2, "empty_search_expanded_or_not_stopped")],
)
def test_one_more_call_of_any_tool_is_seen_in_its_turn(
    cases: Any, played: Any, outcomes: Outcomes, tool: str, turn: int, code: str
) -> None:
    case = cases["empty-search"]
    *before, nothing, delays = case["rehearsals"][0]["script"]
    extra = call(
        tool, **{"search_memory": {"query": "retry"}, "remember_memory": {"kind": "note", "text": "x"}}.get(tool, {})
    )
    script = [*before, extra, nothing, delays] if turn == 1 else [*before, nothing, extra, delays]

    assert code in failed(outcomes(case, played(case, script)))


@pytest.mark.parametrize("version", [2, 3, 1.0, True, "1"])
def test_no_other_value_is_version_1(cases: Any, played: Any, outcomes: Outcomes, version: Any) -> None:
    case = cases["stale-approval"]
    script = [
        call("approve_artifact_candidate", candidate_id="zcode-guidance-candidate", expected_version=version)
        if act.get("call", {}).get("tool") == "approve_artifact_candidate"
        else act
        for act in case["rehearsals"][0]["script"]
    ]

    assert "stale_approval_not_conflicted" in failed(outcomes(case, played(case, script)))


DATA = ("search_memory", "remember_memory", "get_artifact_candidate", "approve_artifact_candidate")


@pytest.mark.parametrize("id", CASES[1:])
@pytest.mark.parametrize("change", ["drop", "double", "elsewhere", "another"])
def test_an_honest_script_with_one_call_changed_no_longer_passes(
    cases: Any, played: Any, outcomes: Outcomes, id: str, change: str
) -> None:
    case = cases[id]
    honest = case["rehearsals"][0]["script"]
    calls = [at for at, act in enumerate(honest) if act.get("call", {}).get("tool") in DATA]
    assert calls
    for at in calls:
        asked = honest[at]["call"]
        instead = {
            "drop": [],
            "double": [honest[at], honest[at]],
            "elsewhere": [call(asked["tool"], **asked["arguments"] | {"scope_id": "atlas"})],
            "another": [call("list_atomic_memories")],
        }[change]

        found = failed(outcomes(case, played(case, [*honest[:at], *instead, *honest[at + 1 :]])))

        assert found, (asked["tool"], change)


@pytest.mark.parametrize("id", CASES[1:])
def test_the_scope_may_be_asked_for_or_known(cases: Any, played: Any, outcomes: Outcomes, id: str) -> None:
    case = cases[id]
    known = [
        act for act in case["rehearsals"][0]["script"] if act.get("call", {}).get("tool") != "resolve_scope_binding"
    ]
    asked_twice = [call("get_scope"), *case["rehearsals"][0]["script"]]

    assert failed(outcomes(case, played(case, known))) == []
    assert failed(outcomes(case, played(case, asked_twice))) == []
