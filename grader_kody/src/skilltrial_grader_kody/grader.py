"""The grader `kody`: the lifecycle events of a trial against the route that its case expects.

The events are those of an imported transcript, or told from what the fixture of a live trial received.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import ConfigDict, ValidationError
from pydantic.dataclasses import dataclass

from skilltrial.api import (
    CheckOptions,
    CheckResult,
    Evidence,
    Owner,
    Sees,
    ToolRequested,
    ToolResult,
    Unrecognized,
    WireCall,
)

from .findings import Finding
from .jsontext import as_doubles
from .leftovers import leftovers
from .lifecycle import TOOLS, Recorder
from .normalizer import RECORDS, SERVER, SKIPPED
from .options import RouteCheck, RuleCheck
from .reading import Result
from .scoring import CaseScore, of_profile, score_case
from .steps import Look, steps
from .suite import RoutingSuite, shipped_suite
from .transcript import EVENTS, AnyEvent
from .words import Profile, Status


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class KodyGrader:
    """Answers whether a session searched, reused, ran or authored as its case expects."""

    def check_models(self) -> Sequence[type[CheckOptions]]:
        """See GraderSpec."""
        return (RouteCheck, RuleCheck)

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """See GraderSpec. A live trial is judged by what the fixture received, whatever its host shows."""
        return frozenset()

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """See GraderSpec."""
        if not isinstance(check, RouteCheck | RuleCheck):
            return CheckResult.unverified("check_not_understood", owner=Owner.GRADER)
        suite, profile = _suite(), Profile(check.profile)
        case = suite.by_id.get(check.case or evidence.key.case)
        if case is None:
            return CheckResult.unverified("case_unknown", owner=Owner.OPERATOR)
        imported = evidence.identity.records == RECORDS
        if imported and not evidence.sees >= _SHOWN:
            return CheckResult.unverified("not_observable", owner=Owner.HOST)
        if imported and any(True for _ in evidence.of(Unrecognized)):
            return CheckResult.unverified("event_not_understood", owner=Owner.OPERATOR)
        try:
            look, judge = of_profile(profile, replays=not imported)
            received = [] if imported else _received(evidence, check.server)
            if imported:
                written = list(_written(evidence))
            else:
                written = Recorder(case.expected.route, profile, check.exact).write(received)
            result = _result(case.id, profile, look, written)
        except ValidationError:
            return CheckResult.unverified("not_of_the_format", owner=Owner.OPERATOR)
        score = score_case(case, suite, result, judge)
        return _answer(score, leftovers(received)) if isinstance(check, RouteCheck) else _of_rule(score, check.rule)


_SHOWN = frozenset({Sees.TOOL_CALLS, Sees.TOOL_RESULTS})
"""What an imported transcript shows."""


@cache
def _suite() -> RoutingSuite:
    return shipped_suite()


def _result(case: str, profile: Profile, look: Look[Any], written: Sequence[dict[str, Any]]) -> Result[Any]:
    """The lifecycle events of a trial as a result. Raises ValidationError where one is not of the profile's format."""
    if any(one["action"] == SKIPPED for one in written):
        return Result(case, None)
    events: list[AnyEvent] = [EVENTS[profile].validate_python(as_doubles(one)) for one in written]
    return Result(case, steps(iter(enumerate(events)), events.__getitem__, look))


def _received(evidence: Evidence, server: str) -> list[WireCall]:
    """The calls of a fixture, under the names that this grader knows."""
    known = {tool: name for name, tool in evidence.names.get(server, {}).items() if name in TOOLS}
    received = [call for call in evidence.wire if call.server == server]
    return [replace(call, tool=known.get(call.tool, call.tool)) for call in received]


def _written(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Each lifecycle event as the transcript had it."""
    results = {event.call: event for event in evidence.of(ToolResult) if isinstance(event, ToolResult)}
    for event in evidence.of(ToolRequested):
        if isinstance(event, ToolRequested) and event.server == SERVER and isinstance(event.input, dict):
            noted: dict[str, Any] = {"action": event.tool, **event.input}
            if event.call in results:
                noted["output"] = results[event.call].content
            yield noted


def _answer(score: CaseScore, left: Sequence[str]) -> CheckResult:
    """A case's score as an answer; the reason is the first rule that decides. `left`: what is there to clean up."""
    if score.status is Status.PASSED:
        return CheckResult.passed(seen="\n".join(left))
    if not score.findings:
        return CheckResult.unverified("skipped", owner=Owner.GRADER)
    return _found(score.findings, left)


def _of_rule(score: CaseScore, rule: str) -> CheckResult:
    """Whether one rule was kept."""
    findings = [one for one in score.findings if one.rule == rule]
    return _found(findings) if findings else CheckResult.passed()


def _found(findings: Sequence[Finding], left: Sequence[str] = ()) -> CheckResult:
    seen = "\n".join((*map(str, findings), *left))
    decisive = next((one for one in findings if one.certain), findings[0])
    reason = decisive.rule.lower().replace("-", "_")
    if decisive.certain:
        return CheckResult.failed(reason, seen=seen)
    return CheckResult.unverified(reason, owner=Owner.GRADER, seen=seen)
