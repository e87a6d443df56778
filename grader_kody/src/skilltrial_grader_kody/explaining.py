"""What was recognised in the events of a case, and where: for people who ask why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .code.analysis import Analysis
from .code.effects import Act, Kind, acts
from .operations import sort_of
from .original import Text
from .scoring import CaseScore, Score
from .steps import Step
from .strict import Seen
from .words import Action


def explanation(score: Score) -> list[dict[str, Any]]:
    """Per case and event: what it was recorded as, and what its code was seen to do."""
    return [{"caseId": one.case, "events": [_event(step) for step in one.steps]} for one in score.cases if one.steps]


def _event(step: Step[Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"event": step.number, "callId": step.call, "action": step.action.value}
    if step.exact is not None:
        told["exactEntityId"] = step.exact
    if step.target is not None:
        told["targetEntityId"] = step.target
    seen = step.seen
    if isinstance(seen, Text):
        told["words"] = [name for name, there in seen._asdict().items() if there]
    elif isinstance(seen, Seen) and seen.analysis is not None:
        told["code"] = seen.analysis.state.value
        told["recognised"] = list(_recognised(seen.analysis))
    return told


def _recognised(analysis: Analysis) -> Iterator[dict[str, Any]]:
    for act, certain in analysis.found:
        yield _act(act, certain)
        if act.nested is not None:
            for inner, sure in acts(act.nested, certain):
                yield {**_act(inner, sure), "inDeferredModule": True}


def _act(act: Act, certain: bool) -> dict[str, Any]:
    what = sort_of(act.name).value if act.kind is Kind.OPERATION else act.kind.value
    told: dict[str, Any] = {"name": act.name, "what": what, "line": act.line, "column": act.column}
    if act.export is not None:
        told["export"] = act.export
    if act.name == "workflows.create":
        told["runAt"] = "undecidable" if act.deferred is None else "given" if act.deferred else "not given"
    return {**told, "certain": certain}


def warnings(score: Score) -> list[str]:
    """What is odd and breaks no rule: the same authoring code under two call ids may be one call recorded twice."""
    found = []
    for one in score.cases:
        for first, second in _doubles(one):
            found.append(
                f"{one.case}: events {first} and {second} author with the same code; one call, recorded twice?"
            )
    return found


def _doubles(case: CaseScore) -> Sequence[tuple[int, int]]:
    known: dict[int, Step[Any]] = {}
    doubles = []
    for step in case.steps:
        seen = step.seen
        if step.action is not Action.AUTHOR or not isinstance(seen, Seen) or seen.analysis is None:
            continue
        # Equal code is looked at once, so it is one object.
        first = known.setdefault(id(seen.analysis), step)
        if first.call != step.call:
            doubles.append((first.number, step.number))
    return doubles
