"""The grader `kody`: the lifecycle events of a trial against the route that its case expects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from pydantic import ConfigDict, ValidationError
from pydantic.dataclasses import dataclass

from skilltrial.api import CheckOptions, CheckResult, Evidence, Owner, Sees, ToolRequested, ToolResult, Unrecognized

from .jsontext import DECODER, without_halves
from .normalizer import SERVER, SKIPPED
from .options import RouteCheck
from .reading import Result
from .scoring import CaseScore, of_profile, score_case
from .steps import steps
from .suite import RoutingSuite, shipped_suite
from .transcript import EVENTS, AnyEvent
from .words import Profile, Status


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class KodyGrader:
    """Answers whether a session searched, reused, ran or authored as its case expects."""

    def check_models(self) -> Sequence[type[CheckOptions]]:
        """See GraderSpec."""
        return (RouteCheck,)

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """See GraderSpec."""
        return frozenset({Sees.TOOL_CALLS, Sees.TOOL_RESULTS})

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """See GraderSpec."""
        if not isinstance(check, RouteCheck):
            return CheckResult.unverified("check_not_understood", owner=Owner.GRADER)
        suite, profile = _suite(), Profile(check.profile)
        if check.case not in suite.by_id:
            return CheckResult.unverified("case_unknown", owner=Owner.OPERATOR)
        if any(True for _ in evidence.of(Unrecognized)):
            return CheckResult.unverified("event_not_understood", owner=Owner.OPERATOR)
        try:
            result = _result(check.case, profile, evidence)
        except ValidationError:
            return CheckResult.unverified("not_of_the_format", owner=Owner.OPERATOR)
        return _answer(score_case(suite.by_id[check.case], suite, result, of_profile(profile)[1]))


@cache
def _suite() -> RoutingSuite:
    return shipped_suite()


def _result(case: str, profile: Profile, evidence: Evidence) -> Result[Any]:
    """The lifecycle events of a trial as a result. Raises ValidationError where one is not of the profile's format."""
    written = list(_written(evidence))
    if any(one["action"] == SKIPPED for one in written):
        return Result(case, None)
    events: list[AnyEvent] = [EVENTS[profile].validate_python(_as_doubles(one)) for one in written]
    look, _ = of_profile(profile)
    return Result(case, steps(iter(enumerate(events)), events.__getitem__, look))


def _written(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Each lifecycle event as the transcript had it."""
    results = {event.call: event for event in evidence.of(ToolResult) if isinstance(event, ToolResult)}
    for event in evidence.of(ToolRequested):
        if isinstance(event, ToolRequested) and event.server == SERVER and isinstance(event.input, dict):
            noted: dict[str, Any] = {"action": event.tool, **event.input}
            if event.call in results:
                noted["output"] = results[event.call].content
            yield noted


def _as_doubles(value: dict[str, Any]) -> Any:
    """Numbers as JavaScript has them, which is how the rules compare payloads."""
    return DECODER.decode(without_halves(json.dumps(value)))


def _answer(score: CaseScore) -> CheckResult:
    """A case's score as an answer; the reason is the first rule that decides."""
    seen = "\n".join(map(str, score.findings))
    if score.status is Status.PASSED:
        return CheckResult.passed()
    decisive = next((one for one in score.findings if one.certain), score.findings[0] if score.findings else None)
    reason = decisive.rule.lower().replace("-", "_") if decisive is not None else "skipped"
    if score.status is Status.FAILED:
        return CheckResult.failed(reason, seen=seen)
    return CheckResult.unverified(reason, owner=Owner.GRADER, seen=seen)
