"""Rule R17: the one reminder is deferred with `workflows.create` and `runAt`, once."""

from __future__ import annotations

from collections.abc import Iterator

from .code.analysis import Analysis
from .code.effects import Act, Interval, Kind, count
from .findings import Finding


def deferral(number: int, analysis: Analysis) -> Iterator[Finding]:
    """What is wrong with the deferred work of an event."""
    least, most = count(analysis.effect, _defers)
    if least < 1:
        text = f"event {number}: its code does not defer the work: no call of workflows.create with runAt"
        yield Finding("R17", text, certain=most == 0)
    if most > 1:
        text = f"event {number}: its code defers work more than once"
        yield Finding("twice", text, certain=least > 1)
    at_once = count(analysis.effect, lambda act: (1.0, 1.0) if _creates(act) and act.deferred is False else (0.0, 0.0))
    if least and at_once[1]:
        yield Finding("execution", f"event {number}: workflows.create runs work at once", certain=at_once[0] >= 1)


def _creates(act: Act) -> bool:
    return act.kind is Kind.OPERATION and act.name == "workflows.create"


def _defers(act: Act) -> Interval:
    if act.kind is Kind.UNCLEAR:
        return 0.0, 1.0
    if not _creates(act) or act.deferred is False:
        return 0.0, 0.0
    return (1.0, 1.0) if act.deferred else (0.0, 1.0)
