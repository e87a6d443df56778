"""Rule R18: the entry that an event is said to run is run by its code."""

from __future__ import annotations

from collections.abc import Iterator

from .code.analysis import Analysis
from .code.effects import Act, Interval, Kind, count
from .entities import same_entity
from .findings import Finding
from .operations import Sort, sort_of


def invocation(
    number: int, target: str, analysis: Analysis | None, invoked: frozenset[str] | None
) -> Iterator[Finding]:
    """What is wrong with the invocation of an event: by its code, or by Kody's own `invoke` input."""
    answers = {same_entity(target, text) for text in invoked or ()}
    if True in answers:
        return
    least, most = (0.0, 0.0)
    if analysis is not None:
        least, most = count(analysis.effect, lambda act: runs(act, target))
    if least < 1:
        open_question = most > 0 or (None in answers and analysis is None)
        text = f"event {number}: the entry that it is said to run is not run"
        yield Finding("R18", text, certain=not open_question)


def runs(act: Act, target: str) -> Interval:
    """How often an act runs the target."""
    if act.kind is Kind.UNCLEAR:
        return 0.0, 1.0
    if act.kind is Kind.STRAY:
        return (0.0, 1.0) if any(same_entity(target, text) for text in act.texts) else (0.0, 0.0)
    if act.kind is Kind.PACKAGE:
        return _interval(same_entity(target, act.name, act.export))
    sort = sort_of(act.name)
    if sort not in (Sort.EXECUTION, Sort.OTHER):
        return 0.0, 0.0
    answers = {same_entity(target, text) for text in act.texts}
    if True in answers:
        return (1.0, 1.0) if sort is Sort.EXECUTION else (0.0, 1.0)
    return (0.0, 1.0) if sort is Sort.EXECUTION and (None in answers or not act.texts) else (0.0, 0.0)


def _interval(same: bool | None) -> Interval:
    return (1.0, 1.0) if same else (0.0, 1.0) if same is None else (0.0, 0.0)
