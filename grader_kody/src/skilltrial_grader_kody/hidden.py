"""What an event's code does beside what the event is recorded as: authoring, schedules, executions, other work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .code.analysis import Analysis
from .code.effects import Act, Kind, acts
from .findings import Finding
from .invocation import runs
from .operations import Sort, sort_of
from .steps import Step
from .suite import RoutingCase
from .words import AUTHORING, DEFERRED_CASE, REMOVED, Action

_AUTHORS = (Sort.AUTHORING, Sort.OPEN)


def hidden(
    case: RoutingCase, step: Step[Any], analysis: Analysis, recorded: frozenset[str], opened: bool
) -> Iterator[Finding]:
    """The findings of one event whose code could be read; each kind once. `opened`: a session was opened before."""
    found: dict[str, Finding] = {}
    sorts = {sort_of(act.name) for act, _ in analysis.found if act.kind is Kind.OPERATION}
    source_open = opened or Sort.OPEN in sorts
    # A session that is opened only to read a source is no authoring yet.
    reads_source = source_open and Sort.SOURCE in sorts and Sort.AUTHORING not in sorts
    for act, certain in analysis.found:
        for finding in _of_act(case, step, act, certain, recorded, reads_source):
            known = found.get(finding.rule)
            if known is None or (finding.certain and not known.certain):
                found[finding.rule] = finding
    yield from found.values()
    if step.action is Action.INSPECT:
        yield from _guidance(step, analysis, source_open)


def _guidance(step: Step[Any], analysis: Analysis, source_open: bool) -> Iterator[Finding]:
    wanted = (Sort.GUIDANCE, Sort.SOURCE) if source_open else (Sort.GUIDANCE,)
    reads = [sure for act, sure in analysis.found if act.kind is Kind.OPERATION and sort_of(act.name) in wanted]
    if not any(reads):
        open_question = bool(reads) or any(act.kind is Kind.UNCLEAR for act, _ in analysis.found)
        text = f"event {step.number}: its code reads no guidance and no source"
        yield Finding("R14", text, certain=not open_question)


def _of_act(
    case: RoutingCase, step: Step[Any], act: Act, certain: bool, recorded: frozenset[str], reads_source: bool
) -> Iterator[Finding]:
    here, action = f"event {step.number}", step.action
    if act.kind is Kind.UNCLEAR:
        yield Finding("unclear", f"{here}, {_at(act)}: {act.name}", certain=False)
    elif act.kind is Kind.STRAY:
        yield from _stray(here, action, act, certain)
    elif act.kind is Kind.PACKAGE:
        yield from _package(here, step, act, certain)
    else:
        sort = sort_of(act.name)
        if sort in _AUTHORS:
            yield from _authoring(step, act, certain, recorded, reads_source)
        elif sort is Sort.REMOVED:
            yield Finding("R16", f"{here}, {_at(act)}: {act.name} exists no more", certain)
        elif sort is Sort.DEFER:
            yield from _deferred(case, step, act, certain)
        elif sort is Sort.SCHEDULE:
            yield Finding("schedule", f"{here}, {_at(act)}: {act.name} touches a schedule", certain)
        elif sort is Sort.EXECUTION:
            if action is not Action.INVOKE or runs(act, step.target or "") == (0.0, 0.0):
                yield Finding("execution", f"{here}, {_at(act)}: {act.name} runs something", certain)
        elif sort is Sort.OTHER:
            sure = certain and action is Action.INSPECT
            yield Finding("other-work", f"{here}, {_at(act)}: {act.name} may do other work", sure)


def _authoring(
    step: Step[Any], act: Act, certain: bool, recorded: frozenset[str], reads_source: bool
) -> Iterator[Finding]:
    here, action = f"event {step.number}", step.action
    if action is Action.AUTHOR or (action is Action.INSPECT and reads_source):
        return
    # An operation that is not on today's list may still be one of authoring: of an older generation, or a newer one.
    if step.call not in recorded:
        yield Finding("R12", f"{here}, {_at(act)}: {act.name} authors, and no event of this call says so", certain)
    if action is Action.ONE_OFF:
        yield Finding("R15", f"{here}, {_at(act)}: {act.name} keeps something, where nothing was to be kept", certain)


def _deferred(case: RoutingCase, step: Step[Any], act: Act, certain: bool) -> Iterator[Finding]:
    here = f"event {step.number}"
    wanted = step.action is Action.ONE_OFF and case.id == DEFERRED_CASE
    if not wanted:
        rule = "execution" if act.deferred is False else "schedule"
        yield Finding(rule, f"{here}, {_at(act)}: {act.name} starts work of its own", certain)
    if act.nested is None:
        return
    for inner, sure in acts(act.nested, certain):
        if inner.kind is Kind.UNCLEAR:
            yield Finding("unclear", f"{here}, {_at(act)}: in the deferred module, {inner.name}", certain=False)
        elif inner.kind is Kind.OPERATION:
            yield from _in_module(step, act, inner, sure)


def _in_module(step: Step[Any], act: Act, inner: Act, certain: bool) -> Iterator[Finding]:
    here, sort = f"event {step.number}, {_at(act)}: in the deferred module, {inner.name}", sort_of(inner.name)
    if sort in _AUTHORS:
        yield Finding("R12", f"{here} authors, and no event of this call says so", certain)
        if step.action is Action.ONE_OFF:
            yield Finding("R15", f"{here} keeps something, where nothing was to be kept", certain)
    elif sort is Sort.REMOVED:
        yield Finding("R16", f"{here} exists no more", certain)
    elif sort in (Sort.DEFER, Sort.SCHEDULE):
        yield Finding("schedule", f"{here} schedules more", certain)


def _package(here: str, step: Step[Any], act: Act, certain: bool) -> Iterator[Finding]:
    if step.action is Action.INVOKE:
        least, most = runs(act, step.target or "")
        if least or most:
            return  # R18 says what is to be said of it
    certain = certain and bool(act.name)
    yield Finding("execution", f"{here}, {_at(act)}: code of a saved package is run", certain)


def _stray(here: str, action: Action, act: Act, certain: bool) -> Iterator[Finding]:
    """A call on something that nobody declared: it may be the runtime's under another name, or end in an error."""
    if act.name in REMOVED:
        yield Finding("R16", f"{here}, {_at(act)}: {act.name} exists no more", certain)
    elif act.name in AUTHORING and action is not Action.AUTHOR:
        yield Finding("unclear", f"{here}, {_at(act)}: {act.name} is called on something unknown", certain=False)


def _at(act: Act) -> str:
    return f"line {act.line}, column {act.column}"
