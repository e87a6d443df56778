"""A transcript and a suite in, a verdict per case out; rules P1 to P6 and the totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import original
from .findings import Finding
from .reading import Read, Result, read
from .steps import Look, Step
from .strict import Strict
from .structure import after_code, before_code
from .suite import RoutingCase, RoutingSuite
from .words import Profile, Route, Status

Judge = Callable[[RoutingCase, Sequence[Step[Any]]], Iterator[Finding]]


@dataclass(frozen=True, slots=True)
class CaseScore:
    """What became of one case. `steps` are its events, for those who want them explained."""

    case: str
    route: Route
    status: Status
    findings: tuple[Finding, ...] = ()
    steps: Sequence[Step[Any]] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Score:
    """The whole: one score per case of the suite, in its order, and what is wrong with the transcript itself."""

    host: str
    model: str
    cases: tuple[CaseScore, ...]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """No case failed, none is undecidable, and the transcript fits the suite."""
        return not self.findings and all(one.status in (Status.PASSED, Status.SKIPPED) for one in self.cases)

    @property
    def failed(self) -> bool:
        """Something is certainly wrong."""
        return bool(self.findings) or any(one.status is Status.FAILED for one in self.cases)


def score(data: bytes | str, suite: RoutingSuite, profile: Profile = Profile.STRICT) -> Score:
    """Score a transcript. Raises NotJson and TranscriptInvalid."""
    look, judge = of_profile(profile)
    transcript = read(data, profile, look)
    return score_read(transcript, suite, judge)


def of_profile(profile: Profile, *, replays: bool = False) -> tuple[Look[Any], Judge]:
    """How a profile looks at events, and how it judges them. `replays`: outputs list what each call gave."""
    if profile is Profile.ORIGINAL:
        return original.look, original.judge
    strict = Strict(replays=replays)
    return strict.look, strict.judge


def score_read(transcript: Read[Any], suite: RoutingSuite, judge: Judge) -> Score:
    """Score what was read."""
    kept, findings = _kept(transcript.results, suite.by_id)
    cases = tuple(score_case(case, suite, kept.get(case.id), judge) for case in suite.cases)
    return Score(transcript.head.host, transcript.head.model, cases, tuple(findings))


def _kept(
    results: Sequence[Result[Any]], cases: Mapping[str, RoutingCase]
) -> tuple[dict[str, Result[Any]], list[Finding]]:
    kept: dict[str, Result[Any]] = {}
    findings: list[Finding] = []
    for result in results:
        if result.case in kept:
            findings.append(Finding("P1", f"another result for {result.case}; the first one was scored"))
        elif result.case not in cases:
            findings.append(Finding("P2", f"the suite has no case {_name(result.case)}"))
        else:
            kept[result.case] = result
    return kept, findings


def score_case(case: RoutingCase, suite: RoutingSuite, result: Result[Any] | None, judge: Judge) -> CaseScore:
    """P3 to P6."""
    route = case.expected.route
    if result is None:
        return CaseScore(case.id, route, Status.FAILED, (Finding("P3", "there is no result for this case"),))
    if result.steps is None:
        if case.may_be_skipped:
            return CaseScore(case.id, route, Status.SKIPPED)
        return CaseScore(case.id, route, Status.FAILED, (Finding("P4", "this case may not be skipped"),))
    steps = result.steps
    findings = (
        *before_code(case, suite.actionCardinality, steps),
        *judge(case, steps),
        *after_code(case, steps),
    )
    status = Status.PASSED
    if findings:
        status = Status.FAILED if any(one.certain for one in findings) else Status.UNDECIDABLE
    return CaseScore(case.id, route, status, findings, steps)


def totals(cases: Sequence[CaseScore]) -> dict[str, int]:
    """The four numbers of the original's report; a fifth where something is undecidable."""
    count = Counter(one.status for one in cases)
    numbers = {status.value: count[status] for status in (Status.PASSED, Status.FAILED, Status.SKIPPED)}
    numbers["total"] = len(cases)
    if count[Status.UNDECIDABLE]:
        numbers[Status.UNDECIDABLE.value] = count[Status.UNDECIDABLE]
    return numbers


def _name(case: str) -> str:
    return case if len(case) <= 64 else f"{case[:64]}…"
