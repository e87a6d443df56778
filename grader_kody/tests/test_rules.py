"""Every rule broken alone, and random transcripts against the rules written down a second time, plainly."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial_grader_kody.jsontext import same
from skilltrial_grader_kody.words import Profile

OPERATIONS = [
    *("packageSave", "packageGetGitRemote", "packagePublishExternalPush"),
    *("repoOpenSession", "repoEditFiles", "repoApplyPatch", "repoRunChecks", "repoPublishSession"),
]
CHANGES = ["packageSave", "packagePublishExternalPush", "repoEditFiles", "repoApplyPatch", "repoPublishSession"]


def words(code: str, names: list[str]) -> list[str]:
    return re.findall(rf"(?<![A-Za-z0-9_])(?:{'|'.join(names)})(?![A-Za-z0-9_])", code)


def plainly(case: Any, events: list[dict[str, Any]]) -> list[str]:  # noqa: PLR0912 - as the rules stand there
    """R1 to R22 as the specification writes them down, one after the other."""
    found, expected = [], case.expected
    actions = [event["action"] for event in events]
    count = actions.count
    author_calls = [event["callId"] for event in events if event["action"] == "author-package"]
    if not events or actions[0] != "search":
        found.append("R1")
    if count("search") < 1:
        found.append("R2")
    if not events or actions[-1] != expected.terminalAction:
        found.append("R3")
    if expected.route != "package-authoring" and count(expected.terminalAction) != 1:
        found.append("R4")
    if expected.route == "package-authoring" and count(expected.terminalAction) > 8:
        found.append("R5")
    found += ["R6" for action in expected.requiredActions if action not in actions]
    found += ["R7" for action in actions if action not in list(expected.allowedActions)]
    if count("search") + count("inspect-authoring-guidance") > 3:
        found.append("R8")
    if any(event["status"] == "failed" for event in events):
        found.append("R9")
    for at, event in enumerate(events):
        first = next(one for one in events if one["callId"] == event["callId"])
        if json.dumps([first["input"], first["output"]], sort_keys=True) != json.dumps(
            [event["input"], event["output"]], sort_keys=True
        ):
            found.append("R10")
        assert at < 100
    changed, tallied = 0, set()
    for event in events:
        if event["toolName"] != "execute":
            continue
        code, action = event["input"].get("code"), event["action"]
        if not isinstance(code, str):
            found.append("R11")
            continue
        authors = bool(words(code, OPERATIONS))
        if authors and event["callId"] not in author_calls:
            found.append("R12")
        if action == "author-package" and not authors:
            found.append("R13")
        if action == "inspect-authoring-guidance" and not words(code, ["codingGuideGet", "packageGet"]):
            found.append("R14")
        if action == "execute-one-off" and authors:
            found.append("R15")
        if words(code, ["job_schedule", "job_schedule_once"]):
            found.append("R16")
        if case.id == "schedule-single-reminder" and action == "execute-one-off" and "workflows.create" not in code:
            found.append("R17")
        if action == "invoke-existing" and event["targetEntityId"] not in code:
            found.append("R18")
        if event["callId"] not in tallied:
            tallied.add(event["callId"])
            changed += len(words(code, CHANGES))
    if expected.route == "package-authoring" and changed < 1:
        found.append("R19")
    exact = [event["match"].get("entityId") for event in events if event["action"] == "search"]
    exact = [entity for entity in exact if entity is not None]
    if expected.route == "existing":
        targets = [event["targetEntityId"] for event in events if event["action"] == "invoke-existing"]
        if not exact:
            found.append("R20")
        if targets and targets[0] not in exact:
            found.append("R21")
    elif exact:
        found.append("R22")
    return found


CODES = st.sampled_from(
    [
        "",
        "return 1",
        "// packageSave",
        "await kody.packageSave({}); await kody.repoEditFiles({})",
        "xpackageSave packageSaves $packageSave épackageSave",
        "await kody.repoOpenSession({})",
        "kody.packageGet()",
        "kody.packageGetGitRemote()",
        "codingGuideGet packageSave",
        "await workflows.createX({})",
        "job_schedule",
        "job_schedule_all",
        "x.job_schedule_once()",
        "a",
        "pkg:a",
    ]
)
CALLS = st.sampled_from(["1", "2", "3"])
STATUS = st.sampled_from(["succeeded"] * 5 + ["failed"])
PAYLOAD = st.sampled_from([0, 1, "1", None, {"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, {"a": 1, "b": [2, 1]}])
INPUTS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    CODES.map(lambda code: {"code": code}),
    st.just({}),
    st.just({"code": 1}),
    CODES.map(lambda c: {"code": c, "params": {}}),
)


def common(action: Any, tool: str, **more: Any) -> Any:
    keys = {"callId": CALLS, "action": action, "toolName": st.just(tool), "status": STATUS}
    return st.fixed_dictionaries({**keys, "input": INPUTS, "output": PAYLOAD, **more})


ENTITIES = st.sampled_from(["a", "pkg:a", "pkg:b"])
EVENTS = st.one_of(
    common(
        st.just("search"),
        "search",
        match=st.one_of(
            st.just({"kind": "no-exact-reusable"}), ENTITIES.map(lambda e: {"kind": "exact-reusable", "entityId": e})
        ),
    ),
    common(st.just("invoke-existing"), "execute", targetEntityId=ENTITIES),
    common(
        st.sampled_from(
            ["execute-one-off", "author-package", "author-package", "other-execute", "inspect-authoring-guidance"]
        ),
        "execute",
    ),
)


@settings(deadline=None, max_examples=400)
@given(events=st.lists(EVENTS, max_size=12), at=st.integers(0, 7))
def test_the_original_profile_breaks_the_same_rules_in_the_same_order(kit, events, at):
    case = kit.suite.cases[at]

    found = kit.case(case.id, events, Profile.ORIGINAL)

    assert [finding.rule for finding in found.findings] == plainly(case, events)
    assert found.status == ("failed" if found.findings else "passed")


def broken(kit) -> dict[str, tuple[str, list[Any]]]:
    """For each rule a case and events that break it, and nothing else in the original profile."""
    s, x, one, author = kit.searched, kit.executed, kit.ONE_OFF, kit.AUTHOR
    listing, saving = "return await kody.valueList({})", "await kody.packageSave({})"
    invoke = x("invoke-existing", f"import r from '{kit.ENTITY}'; await r()", targetEntityId=kit.ENTITY)
    guide = x("inspect-authoring-guidance", "await kody.packageGet({})", "g")
    return {
        "R1": (author, [guide, s("s"), x("author-package", saving)]),
        "R3": (author, [s("s"), x("author-package", saving), guide]),
        "R4": (one, [s("s"), x("execute-one-off", listing, "a"), x("execute-one-off", listing, "b")]),
        "R5": (author, [s("s"), *[x("author-package", saving, f"e{n}") for n in range(9)]]),
        "R7": (one, [s("s"), x("other-execute", listing, "o"), x("execute-one-off", listing)]),
        "R8": (one, [s("1"), s("2"), s("3"), s("4"), x("execute-one-off", listing)]),
        "R9": (one, [s("s"), x("execute-one-off", listing, status="failed")]),
        "R10": (one, [s("e1"), x("execute-one-off", listing)]),
        "R11": (one, [s("s"), x("execute-one-off", None)]),
        "R14": (author, [s("s"), x("inspect-authoring-guidance", listing, "g"), x("author-package", saving)]),
        "R16": (one, [s("s"), x("execute-one-off", "await kody.job_schedule({})")]),
        "R17": (kit.REMINDER, [s("s"), x("execute-one-off", listing)]),
        "R18": (kit.EXISTING, [s("s", kit.ENTITY), {**invoke, "input": {"code": listing}}]),
        "R19": (author, [s("s"), x("author-package", "await kody.repoRunChecks({})")]),
        "R20": (kit.EXISTING, [s("s"), invoke]),
        "R21": (kit.EXISTING, [s("s", "package:@me/other"), invoke]),
        "R22": (one, [s("s", "package:@me/x"), x("execute-one-off", listing)]),
    }


ALONE = ["R1", "R3", "R4", "R5", "R7", "R8", "R9", "R10", "R11", "R14", "R16", "R17", "R18", "R19", "R20", "R21", "R22"]


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("rule", ALONE)
def test_each_rule_is_broken_alone(kit, rule, profile):
    name, events = broken(kit)[rule]
    # Without an exact match no target can be among them.
    beside = {"R20": {"R21"}}.get(rule, set())

    assert kit.rules(kit.case(name, events, profile)) - beside == {rule}


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize(
    ("rules", "events"),
    [
        ({"R1", "R2", "R6"}, lambda kit: [kit.executed("execute-one-off", "return await kody.valueList({})")]),
        ({"R12", "R15"}, lambda kit: [
            kit.searched("s"),
            kit.executed("execute-one-off", "await kody.packageSave({})"),
        ]),
        ({"R12", "R7"}, lambda kit: [
            kit.searched("s"),
            kit.executed("other-execute", "await kody.packageSave({})", "o"),
            kit.executed("execute-one-off", "return await kody.valueList({})"),
        ]),
        ({"R1", "R2", "R3", "R4", "R6"}, lambda kit: []),
    ],
)  # fmt: skip
def test_rules_that_only_break_together(kit, rules, events, profile):
    assert kit.rules(kit.case(kit.ONE_OFF, events(kit), profile)) == rules


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize(("events", "rules"), [(0, {"R3", "R4", "R6"}), (1, set()), (2, {"R4"})])
def test_no_one_and_two_ends(kit, profile, events, rules):
    ends = [kit.executed("execute-one-off", "return await kody.valueList({})", f"e{n}") for n in range(events)]

    assert kit.rules(kit.case(kit.ONE_OFF, [kit.searched("s"), *ends], profile)) == rules


@pytest.mark.parametrize("profile", list(Profile))
class TestTranscript:
    def test_p1_of_two_results_the_first_is_scored_and_it_is_said(self, kit, profile):
        document = kit.document(kit.honest())
        bad = {"caseId": kit.ONE_OFF, "outcome": "completed", "events": []}
        document["results"] = [bad, *document["results"]]

        found = kit.score(document, profile)

        assert [finding.rule for finding in found.findings] == ["P1"]
        assert "first" in found.findings[0].text
        assert next(one.status for one in found.cases if one.case == kit.ONE_OFF) == "failed"
        assert not found.ok

    def test_p1_alone_is_not_ok_with_no_failed_case(self, kit, profile):
        document = kit.document(kit.honest())
        document["results"].append(document["results"][0])

        found = kit.score(document, profile)

        assert not found.ok
        assert all(one.status == "passed" for one in found.cases)

    def test_p2_unknown_cases_are_told_each_time(self, kit, profile):
        document = kit.document(kit.honest())
        document["results"] += [{"caseId": "x", "outcome": "completed", "events": []}] * 2

        assert [finding.rule for finding in kit.score(document, profile).findings] == ["P2", "P2"]

    def test_p3_a_case_without_a_result_failed(self, kit, profile):
        cases = kit.honest()
        del cases[kit.ONE_OFF]

        assert {rule for one in kit.score(cases, profile).cases for rule in kit.rules(one)} == {"P3"}

    def test_p4_and_p5_only_reuse_cases_may_be_skipped(self, kit, profile):
        def skip(name):
            return kit.case(name, {"caseId": name, "outcome": "skipped-no-eligible-match", "note": "n"}, profile)

        assert kit.rules(skip(kit.REMINDER)) == {"P4"}
        assert (skip(kit.EXISTING).status, skip(kit.EXISTING).findings) == ("skipped", ())

    def test_two_skips_and_six_passes_are_ok(self, kit, profile):
        cases = kit.honest()
        for name in list(cases)[:2]:
            cases[name] = {"caseId": name, "outcome": "skipped-no-eligible-match", "note": "n"}

        assert kit.score(cases, profile).ok


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("0", "-0", False),
        ("0", "0.0", True),
        ("1", "1.0", True),
        ("1", '"1"', False),
        ("1", "true", False),
        ("0", "false", False),
        ("null", "false", False),
        ("9007199254740992", "9007199254740993", True),
        ("1e400", "2e400", True),
        ('{"a":1,"b":2}', '{"b":2,"a":1}', True),
        ("[1,2]", "[2,1]", False),
        ("[]", "{}", False),
        ('{"a":null}', "{}", False),
        ("[[-0]]", "[[0]]", False),
        ('{"a":1,"a":2}', '{"a":2}', True),
    ],
)
def test_payloads_are_compared_as_javascript_compares_them(kit, one, other, equal):
    document = kit.document({kit.ONE_OFF: [kit.searched("e1"), kit.searched("e1")]})
    text = json.dumps(document).replace('{"hits": []}', one, 1).replace('{"hits": []}', other, 1)
    from skilltrial_grader_kody.scoring import score

    found = score(text, kit.suite, Profile.ORIGINAL)
    rules = {rule for case in found.cases if case.case == kit.ONE_OFF for rule in kit.rules(case)}

    assert ("R10" not in rules) is equal


def test_a_proto_key_of_the_input_is_not_compared_and_others_are(kit):
    def events(key):
        return [kit.searched("e1"), {**kit.searched("e1"), "input": {"query": "e1", key: 1}}]

    assert "R10" not in kit.rules(kit.case(kit.ONE_OFF, events("__proto__"), Profile.ORIGINAL))
    assert "R10" in kit.rules(kit.case(kit.ONE_OFF, events("proto"), Profile.ORIGINAL))


JSON = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0.0, -0.0, 1.0]) | st.text("ab", max_size=1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_equality_is_that_of_canonical_texts(one, other):
    assert same(one, other) is (json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True))
