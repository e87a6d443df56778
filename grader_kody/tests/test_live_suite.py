"""The live suite as data: its invariants, and every script played by the answerer and judged, without any program."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from skilltrial.api import ACTS, Ending, Evidence, Files, HostIdentity, Outcome, TrialKey, WireCall
from skilltrial.testing import AnswererFacade, GraderFacade, bind, choose
from skilltrial_grader_kody.answerer import KodyAnswerer
from skilltrial_grader_kody.grader import KodyGrader
from skilltrial_grader_kody.rules import RULES
from skilltrial_grader_kody.suite import shipped_suite
from skilltrial_grader_kody.words import Route

KODY = bind(AnswererFacade, "kody", KodyAnswerer())
GRADER = bind(GraderFacade, "kody", KodyGrader())
ROUTING = shipped_suite()
SPEC = importlib.util.find_spec("skilltrial_grader_kody")
assert SPEC is not None
assert SPEC.submodule_search_locations is not None
FOLDER = Path(SPEC.submodule_search_locations[0]) / "live"
SUITE: dict[str, Any] = YAML(typ="safe", pure=True).load((FOLDER / "suite.yaml").read_text("utf-8"))
CASES: dict[str, Any] = {case["id"]: case for case in SUITE["cases"]}
each_case = pytest.mark.parametrize("id", CASES)
PROMISES = [(case["id"], one["id"]) for case in SUITE["cases"] for one in case["rehearsals"]]
NEVER_LIVE = {"R2", "R10", "R13", "R14", "R18", "R22", "unclear", "result"}
"""Rules that no live script can break alone: the recorder writes down what happened, and a controlled case with an
exact result never begins. R2 comes with R1."""


def state(case: Any) -> dict[str, Any]:
    found: dict[str, Any] = case["fixtures"]["kody"]["state"]
    return found


def play(case: Any, script: Any) -> tuple[WireCall, ...]:
    """What the fixture would have on record."""
    now: Any = state(case)
    calls: list[WireCall] = []
    for act in script:
        ACTS[next(iter(act))].model_validate(act)
        if "call" not in act:
            continue
        asked = act["call"]
        said = KODY.answer_call(asked["tool"], asked["arguments"], now)
        now = said.state
        because = "answerer" if said.scripted else "unscripted"
        calls.append(
            WireCall(
                "kody", 1, len(calls), asked["tool"], asked["arguments"], said.result, said.is_error, float(len(calls)),
                because=because, marks=said.marks,
            )
        )  # fmt: skip
    return tuple(calls)


def evidence(case: Any, calls: tuple[WireCall, ...]) -> Evidence:
    return Evidence(
        key=TrialKey(case=case["id"], arm="kody", label="1"),
        identity=HostIdentity(name="codex", records="codex"),
        sees=frozenset(),
        ending=Ending.COMPLETED,
        events=(),
        files=Files({}, {}, ()),
        wire=calls,
    )


def outcomes(written: Any, calls: tuple[WireCall, ...], **more: Any) -> Iterator[tuple[str, str]]:
    for check in written["checks"]:
        options = {key: value for key, value in check.items() if key not in ("id", "grader")} | more
        read = choose(GRADER.check_models(), options).model_validate_json(json.dumps(options))
        yield check["id"], GRADER.grade(read, evidence(written, calls)).outcome.value


def test_cases_and_prompts_are_those_of_the_routing_suite_in_its_order() -> None:
    assert [(case["id"], case["turns"]) for case in SUITE["cases"]] == [
        (case.id, [case.prompt]) for case in ROUTING.cases
    ]


@each_case
def test_what_a_case_presupposes_is_what_its_route_needs(id: str) -> None:
    route = ROUTING.by_id[id].expected.route
    assert state(CASES[id])["presupposes"]["exact"] == ("one" if route is Route.EXISTING else "none")
    assert CASES[id].get("stage", "any") == ("last" if route is Route.AUTHORING else "any")
    assert KODY.check_state(state(CASES[id])) == ()
    assert KODY.check_ready(state(CASES[id])).holds


def test_the_brief_has_the_value_that_it_is_made_from() -> None:
    found = state(CASES["author-reusable-scheduled-brief"])
    assert found["presupposes"]["values"] == ["project-updates"]
    assert list(found["values"]["project-updates"]["value"]) == ["content"]


@each_case
def test_no_prompt_and_no_word_of_the_catalog_gives_the_answer_away(id: str) -> None:
    prompt = CASES[id]["turns"][0].lower()
    assert not re.search(r"\bpackage\b|one-off|execute|invoke|author", prompt)
    assert id not in (FOLDER / "catalog.json").read_text("utf-8")


@each_case
def test_every_rule_is_asked_for_and_promised_reasons_are_checks(id: str) -> None:
    checks = [check["id"] for check in CASES[id]["checks"]]
    assert checks == ["route", *(rule.lower() for rule in RULES)]
    for rehearsal in CASES[id]["rehearsals"]:
        assert set(rehearsal.get("because", ())) <= set(checks)
        assert bool(rehearsal.get("because")) == (rehearsal["expect"] == "failed")


@each_case
def test_a_case_has_an_honest_script_and_dishonest_ones(id: str) -> None:
    promised = [rehearsal["expect"] for rehearsal in CASES[id]["rehearsals"]]
    assert promised[0] == "passed"
    assert promised.count("failed") >= 4


def test_every_rule_that_can_be_broken_live_is_broken_by_a_script() -> None:
    named = {reason for case in SUITE["cases"] for one in case["rehearsals"] for reason in one.get("because", ())}
    assert {rule.lower() for rule in set(RULES) - NEVER_LIVE} <= named


@pytest.mark.parametrize(("case", "rehearsal"), PROMISES)
def test_each_script_breaks_exactly_the_rules_that_it_names(case: str, rehearsal: str) -> None:
    written = next(one for one in CASES[case]["rehearsals"] if one["id"] == rehearsal)
    calls = play(CASES[case], written["script"])
    unscripted = any(call.because == "unscripted" for call in calls)
    assert unscripted == (written["expect"] == "incomplete")
    if unscripted:
        return
    found = dict(outcomes(CASES[case], calls))
    assert [id for id, outcome in found.items() if outcome == "failed"] == sorted(
        written.get("because", ()), key=list(found).index
    )
    assert found["route"] == written["expect"]


@each_case
def test_honest_scripts_pass_in_the_original_profile_too(id: str) -> None:
    """But for names that are put together and reading by params, which text matching can't see."""
    written = CASES[id]["rehearsals"][0]
    found = dict(outcomes(CASES[id], play(CASES[id], written["script"]), profile="original"))
    # The reminder's code binds the function to a name of its own and mentions an operation: weaknesses W42 and W44.
    assert found["route"] == ("failed" if id == "schedule-single-reminder" else "passed")


def test_a_trial_without_any_call_took_no_route() -> None:
    for case in SUITE["cases"]:
        assert dict(outcomes(case, ()))["route"] == "failed"


def test_calls_of_another_server_are_none_of_kodys() -> None:
    case = CASES["one-off-value-inventory"]
    calls = play(case, case["rehearsals"][0]["script"])

    assert dict(outcomes(case, calls, server="other"))["route"] == "failed"
    assert dict(outcomes(case, calls, case="schedule-single-reminder"))["r17"] == "failed"


@pytest.mark.parametrize("id", ["one-off-value-inventory", "reuse-release-note-helper"])
def test_tools_that_a_server_calls_otherwise_are_known(id: str) -> None:
    """A search under another name is no execution."""
    case = CASES[id]
    names = {"search": "find", "execute": "run"}
    calls = tuple(replace(one, tool=names[one.tool]) for one in play(case, case["rehearsals"][0]["script"]))
    (asked,) = (check for check in case["checks"] if check["id"] == "route")
    options = {key: value for key, value in asked.items() if key not in ("id", "grader")}
    check = choose(GRADER.check_models(), options).model_validate_json(json.dumps(options))

    unknown = evidence(case, calls)
    known = replace(unknown, names={"kody": names})

    assert GRADER.grade(check, known).outcome is Outcome.PASSED
    assert GRADER.grade(check, unknown).outcome is not Outcome.PASSED


def test_what_a_session_created_is_listed_for_who_must_clean_up() -> None:
    case = CASES["schedule-simple-recurring-reminder"]
    calls = play(case, case["rehearsals"][0]["script"])

    assert [one.marks for one in calls if isinstance(one.marks, dict) and one.marks.get("created")] == [
        {"ran": [], "created": [{"kind": "package", "id": "package-1", "name": "@me/timesheet-reminder"}]}
    ]


SAVED_UNLESS_THERE = """
    const there = (await kody.packageList({})).some((one) => one.name === '@me/clean-names');
    if (!there) await kody.packageSave({ name: '@me/clean-names', files: {} });
"""


def test_what_followed_from_an_answer_is_known_to_the_judge_too() -> None:
    case = CASES["author-validated-cleanup-automation"]
    search, save = (
        {"call": {"server": "kody", "tool": tool, "arguments": given}}
        for tool, given in (("search", {"query": "clean"}), ("execute", {"code": SAVED_UNLESS_THERE}))
    )
    once, again = play(case, [search, save]), play(case, [search, save, save])

    assert dict(outcomes(case, once))["route"] == "passed"
    # The second time it is there: nothing is saved, so nothing is authored.
    assert {id for id, outcome in outcomes(case, again) if outcome == "failed"} == {"route", "r3", "r7"}


def test_what_an_answer_says_beside_the_calls_decides_nothing() -> None:
    case = CASES["author-validated-cleanup-automation"]
    search = {"call": {"server": "kody", "tool": "search", "arguments": {"query": "clean"}}}
    save = {"call": {"server": "kody", "tool": "execute", "arguments": {"code": SAVED_UNLESS_THERE}}}
    first, last = play(case, [search, save])
    results: list[Any] = [
        {"calls": "x"},
        {"calls": [1]},
        {"calls": [{"call": "kody.valueList", "result": []}]},
        {},
        None,
    ]
    for result in results:
        assert dict(outcomes(case, (first, replace(last, result=result))))["route"] == "unverified"


def seen_of(case: Any, calls: tuple[WireCall, ...]) -> str:
    read = choose(GRADER.check_models(), {}).model_validate_json("{}")
    return GRADER.grade(read, evidence(case, calls)).seen


def test_what_is_left_to_clean_up_is_told_beside_the_verdict() -> None:
    case = CASES["schedule-simple-recurring-reminder"]
    honest = play(case, case["rehearsals"][0]["script"])
    one_off = play(case, next(one for one in case["rehearsals"] if one["id"] == "as-a-one-off")["script"])

    assert seen_of(case, honest) == "call 2 left package-1 (@me/timesheet-reminder)"
    assert seen_of(case, one_off).splitlines()[-1] == "call 2 left schedule-1"


def test_where_a_real_account_answered_it_is_told_from_the_code() -> None:
    case = CASES["schedule-simple-recurring-reminder"]
    code = "await kody.packageSave({});\nif (Math.random() > 0.5) await workflows.create({ runAt: 'x' });"
    asked: list[tuple[str, Any]] = [("search", {"query": "x"}), ("execute", {"code": code})]
    calls = tuple(
        WireCall("kody", 1, at, tool, given, {}, False, float(at), because="forwarded")
        for at, (tool, given) in enumerate(asked)
    )

    assert seen_of(case, calls).splitlines()[-2:] == [
        "call 2, line 1: kody.packageSave left something",
        "call 2, line 2: workflows.create may have left something",
    ]
