"""Transcripts from a few words, and their scores."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from skilltrial_grader_kody.scoring import CaseScore, Score, score
from skilltrial_grader_kody.suite import shipped_suite
from skilltrial_grader_kody.words import Profile, Route

Event = dict[str, Any]
Cases = dict[str, Any]
ENTITY = "package:@me/{}"


def searched(call: str, entity: str | None = None, **more: Any) -> Event:
    match = {"kind": "exact-reusable", "entityId": entity} if entity else {"kind": "no-exact-reusable"}
    event = {"callId": call, "action": "search", "toolName": "search", "status": "succeeded"}
    return {**event, "input": {"query": call}, "output": {"hits": []}, "match": match, **more}


def executed(action: str, code: str | None, call: str = "e1", **more: Any) -> Event:
    event = {"callId": call, "action": action, "toolName": "execute", "status": "succeeded"}
    return {**event, "input": {} if code is None else {"code": code}, "output": {"ok": True}, **more}


def honest(suite_cases: Any) -> Cases:
    """Every case as it should go: what the original's own tests use as their fixture."""
    cases: Cases = {}
    for case in suite_cases:
        entity = ENTITY.format(case.id)
        if case.expected.route is Route.EXISTING:
            code = f"import run from '{entity}';\nexport default async () => await run()"
            last = executed("invoke-existing", code, targetEntityId=entity)
            cases[case.id] = [searched("s0"), searched("s1", entity), last]
        elif case.expected.route is Route.AUTHORING:
            cases[case.id] = [searched("s0"), executed("author-package", "await kody.packageSave({ enabled: true })")]
        elif case.id == "schedule-single-reminder":
            code = "await workflows.create({ code: 'x', runAt: '2026-01-02T16:00:00Z' })"
            cases[case.id] = [searched("s0"), executed("execute-one-off", code)]
        else:
            cases[case.id] = [searched("s0"), executed("execute-one-off", "return await kody.valueList({})")]
    return cases


def document(cases: Cases) -> dict[str, Any]:
    """A transcript; a case's events may also be a whole result."""
    return {
        "schemaVersion": 1,
        "evalName": "package-discovery-routing",
        "host": "cursor",
        "model": "a model",
        "runAt": "2026-07-14T21:00:00.000Z",
        "results": [
            events if isinstance(events, dict) else {"caseId": case, "outcome": "completed", "events": events}
            for case, events in cases.items()
        ],
    }


class Kit:
    """What tests make transcripts with."""

    ONE_OFF, VALUES = "one-off-saved-automation-count", "one-off-value-inventory"
    REMINDER, AUTHOR = "schedule-single-reminder", "author-reusable-scheduled-brief"
    RECURRING, EXISTING = "schedule-simple-recurring-reminder", "reuse-release-note-helper"
    ENTITY = ENTITY.format("reuse-release-note-helper")

    suite = shipped_suite()
    searched = staticmethod(searched)
    executed = staticmethod(executed)
    document = staticmethod(document)

    def honest(self) -> Cases:
        return copy.deepcopy(honest(self.suite.cases))

    def score(self, cases: Any, profile: Profile = Profile.STRICT) -> Score:
        """Score cases, or a whole document."""
        made = cases if "results" in cases else document(cases)
        return score(json.dumps(made), self.suite, profile)

    def case(self, name: str, events: Any, profile: Profile = Profile.STRICT) -> CaseScore:
        """Score one case with these events, the others being honest."""
        cases = {**self.honest(), name: events}
        return next(one for one in self.score(cases, profile).cases if one.case == name)

    def code(self, name: str, code: str | None, profile: Profile = Profile.STRICT, **more: Any) -> CaseScore:
        """Score one case whose last event has this code."""
        *first, last = self.honest()[name]
        changed = {**last, "input": {} if code is None else {"code": code}, **more}
        return self.case(name, [*first, changed], profile)

    @staticmethod
    def rules(one: CaseScore) -> set[str]:
        return {finding.rule for finding in one.findings}


@pytest.fixture(scope="session")
def kit() -> Kit:
    return Kit()


@pytest.fixture(scope="session")
def rules() -> Callable[[CaseScore], set[str]]:
    return Kit.rules
