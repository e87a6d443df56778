"""R1 to R22 and P1 to P4: each rule has a generator of its violation, and is broken alone and in pairs."""

from __future__ import annotations

import copy
import string
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skilltrial_grader_kody.words import Profile, Route

Draw = Callable[[st.SearchStrategy[Any]], Any]
Events = list[dict[str, Any]]

# --- R1 to R22: for a case, events that break the rule.

LISTING = st.sampled_from(
    [
        "return await kody.valueList({})",
        "export default () => kody.packageList({});",
        "import { kody as k } from 'kody:runtime'; const all = await k.valueList({}); return all.length;",
    ]
)
SAVING = st.sampled_from(
    [
        "await kody.packageSave({ enabled: true })",
        "await kody.repoEditFiles({ files: {} })",
        "await kody.repoApplyPatch({})",
    ]
)
DEFERRING = "await workflows.create({ code: 'x', runAt: '2026-01-02T16:00:00Z' })"
IDS = st.text(string.ascii_letters + "-_ é", min_size=1, max_size=6)


class Maker:
    """Makes the events of one case, with drawn names and codes."""

    def __init__(self, draw: Draw, kit: Any, case: Any) -> None:
        self.draw, self.kit, self.case = draw, kit, case
        self.prefix = draw(IDS)
        self.calls = 0
        self.entity = kit.ENTITY

    def call(self) -> str:
        self.calls += 1
        return f"{self.prefix}{self.calls}"

    def search(self, entity: str | None = None, **more: Any) -> Any:
        existing = self.case.expected.route is Route.EXISTING
        found = entity if entity is not None else self.entity if existing else None
        return self.kit.searched(more.pop("call", self.call()), found or None, **more)

    def execute(self, action: str, code: Any, **more: Any) -> Any:
        event = self.kit.executed(action, None, more.pop("call", self.call()), **more)
        return event if code is None else {**event, "input": {"code": code}}

    def code(self) -> str:
        """What the case asks for."""
        if self.case.expected.route is Route.EXISTING:
            return f"import run from '{self.entity}'; return await run({{}})"
        if self.case.expected.route is Route.AUTHORING:
            return str(self.draw(SAVING))
        return DEFERRING if self.case.id == self.kit.REMINDER else str(self.draw(LISTING))

    def end(self, **more: Any) -> Any:
        """The event that the case ends with."""
        action = self.case.expected.terminalAction.value
        if action == "invoke-existing":
            more = {"targetEntityId": self.entity, **more}
        return self.execute(action, more.pop("code", self.code()), **more)

    def inspect(self, code: str = "await kody.packageGet({})", **more: Any) -> Any:
        return self.execute("inspect-authoring-guidance", code, **more)

    def times(self, least: int, most: int) -> range:
        return range(self.draw(st.integers(least, most)))


ANY, REUSE, ONCE, AUTHORING = (
    tuple(Route),
    (Route.EXISTING,),
    (Route.ONE_OFF,),
    (Route.AUTHORING,),
)
NO_REUSE = (Route.ONE_OFF, Route.AUTHORING)


def r10(m: Maker) -> Events:
    call, key = m.call(), m.draw(st.sampled_from(["input", "output"]))
    first = m.search(call=call)
    last = m.end(call=call)
    if key == "output":  # equal inputs, and another output
        first = {**first, "input": last["input"], "output": m.draw(st.integers(0, 9))}
    return [first, last]


def r11(m: Maker) -> Events:
    return [
        m.search(),
        {
            **m.end(),
            "input": m.draw(st.sampled_from([{}, {"code": 1}, {"code": None}, {"code": ["x"]}])),
        },
    ]


def r15(m: Maker) -> Events:
    code, call = m.draw(SAVING), m.call()
    recorded = [m.execute("author-package", code, call=call)] if m.draw(st.booleans()) else []
    return [m.search(), *recorded, m.end(code=code, call=call)]


Rule = tuple[tuple[Route, ...], set[str], Callable[[Maker], Events]]
# rule: the routes on which it can be broken, the rules that may come with it, and how it is broken
RULES: dict[str, Rule] = {
    "R1": (AUTHORING, set(), lambda m: [m.inspect(), m.search(), m.end()]),
    "R2": (ANY, {"R1", "R6", "R20", "R21"}, lambda m: [m.end()]),
    "R3": (AUTHORING, set(), lambda m: [m.search(), m.end(), m.inspect()]),
    "R4": ((Route.EXISTING, Route.ONE_OFF), set(), lambda m: [m.search(), *(m.end() for _ in m.times(2, 4))]),
    "R5": (AUTHORING, set(), lambda m: [m.search(), *(m.end() for _ in m.times(9, 12))]),
    "R6": (ANY, {"R3", "R4", "R19"}, lambda m: [m.search()]),
    "R7": (ANY, set(), lambda m: [m.search(), m.execute("other-execute", m.draw(LISTING)), m.end()]),
    "R8": (ANY, set(), lambda m: [*(m.search() for _ in m.times(4, 6)), m.end()]),
    "R9": (ANY, set(), lambda m: m.draw(st.sampled_from(
        [[m.search(status="failed"), m.end()], [m.search(), m.end(status="failed")]]
    ))),
    "R10": (ANY, set(), r10),
    "R11": (ANY, {"R19"}, r11),
    "R12": (AUTHORING, set(), lambda m: [
        m.search(), m.inspect(f"await kody.packageGet({{}}); {m.draw(SAVING)}"), m.end()
    ]),
    "R13": (AUTHORING, set(), lambda m: [m.search(), m.execute("author-package", m.draw(LISTING)), m.end()]),
    "R14": (AUTHORING, set(), lambda m: [m.search(), m.inspect("return await kody.valueList({})"), m.end()]),
    "R15": (ONCE, {"R7", "R12", "R17"}, r15),
    "R16": (ANY, set(), lambda m: [m.search(), m.end(code=f"await kody.job_schedule({{}}); {m.code()}")]),
    "R17": (ONCE, set(), lambda m: [m.search(), m.end(code=m.draw(LISTING))]),
    "R18": (REUSE, set(), lambda m: [m.search(), m.end(code="return await kody.valueList({})")]),
    "R19": (AUTHORING, set(), lambda m: [m.search(), m.end(code=m.draw(st.sampled_from(
        ["await kody.repoRunChecks({})", "await kody.repoOpenSession({})", "await kody.packageGetGitRemote({})"]
    )))]),
    "R20": (REUSE, {"R21"}, lambda m: [m.search(entity=""), m.end()]),
    "R21": (REUSE, set(), lambda m: [m.search(entity="package:@me/another"), m.end()]),
    "R22": (NO_REUSE, set(), lambda m: [m.search(entity="package:@me/exact"), m.end()]),
}  # fmt: skip


def break_rule(draw: Draw, kit: Any, rule: str, cases: dict[str, Any], used: set[str]) -> None:
    """Break an R rule in a case that nobody has used."""
    routes, _, made = RULES[rule]
    fitting = [
        case
        for case in kit.suite.cases
        if case.expected.route in routes and case.id not in used and (rule != "R17" or case.id == kit.REMINDER)
    ]
    assume(fitting)
    case = draw(st.sampled_from(fitting))
    used.add(case.id)
    cases[case.id] = made(Maker(draw, kit, case))


def found(kit: Any, document: Any, profile: Profile) -> set[str]:
    score = kit.score(document, profile)
    assert score.ok is False
    return {
        one.rule
        for one in (
            *score.findings,
            *(one for case in score.cases for one in case.findings),
        )
    }


def test_every_rule_has_a_generator() -> None:
    assert list(RULES) == [f"R{number}" for number in range(1, 23)]


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_each_rule_is_broken_alone(kit: Any, rule: str, profile: Profile, data: Any) -> None:
    cases = kit.honest()
    break_rule(data.draw, kit, rule, cases, set())

    rules = found(kit, cases, profile)

    assert rule in rules
    assert rules - {rule} <= RULES[rule][1]


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_each_rule_is_told_beside_every_other(kit: Any, rule: str, profile: Profile, data: Any) -> None:
    for other in RULES:
        if other == rule == "R17":
            continue  # there is one case for it
        cases, used = kit.honest(), set[str]()
        for one in sorted((rule, other), key=lambda name: name != "R17"):
            break_rule(data.draw, kit, one, cases, used)

        rules = found(kit, cases, profile)

        assert {rule, other} <= rules
        assert rules - {rule, other} <= RULES[rule][1] | RULES[other][1]


# --- P1 to P4: a transcript that does not fit the suite.


def break_transcript(draw: Draw, kit: Any, rule: str, document: Any, used: set[str]) -> None:
    results = document["results"]
    at = draw(st.sampled_from([at for at, one in enumerate(results) if one["caseId"] not in used]))
    case = results[at]["caseId"]
    if rule == "P1":
        results.insert(draw(st.integers(at + 1, len(results))), copy.deepcopy(results[at]))
    elif rule == "P2":
        results.insert(at, {"caseId": draw(IDS) + "!", "outcome": "completed", "events": []})
    elif rule == "P3":
        results[:] = [one for one in results if one["caseId"] != case]
    else:
        fitting = [at for at, one in enumerate(results) if not kit.suite.by_id[one["caseId"]].may_be_skipped]
        at = draw(st.sampled_from([at for at in fitting if results[at]["caseId"] not in used]))
        case = results[at]["caseId"]
        results[at] = {
            "caseId": case,
            "outcome": "skipped-no-eligible-match",
            "note": draw(IDS),
        }
    used.add(case)


P_RULES = ("P1", "P2", "P3", "P4")


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("rule", P_RULES)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_a_transcript_that_does_not_fit_the_suite_is_told_alone_and_in_pairs(
    kit: Any, rule: str, profile: Profile, data: Any
) -> None:
    for other in (None, *P_RULES, *RULES):
        cases, used = kit.honest(), set[str]()
        if other in RULES:
            break_rule(data.draw, kit, other, cases, used)
        document = kit.document(cases)
        # A result of an unknown case is none that another rule could be broken in.
        for one in sorted(
            (one for one in (rule, other) if one is not None and one in P_RULES),
            key="P2".__eq__,
        ):
            break_transcript(data.draw, kit, one, document, used)

        rules = found(kit, document, profile)

        wanted = {rule} | ({other} if other is not None else set())
        assert wanted <= rules
        assert rules - wanted <= (RULES[other][1] if other in RULES else set())
