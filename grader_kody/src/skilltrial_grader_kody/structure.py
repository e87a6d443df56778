"""The rules that look at the order and number of events, and not into code: R1 to R10 and R20 to R22."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .findings import Finding
from .steps import Step
from .suite import Cardinality, RoutingCase
from .words import Action, Route


def before_code(case: RoutingCase, limits: Cardinality, steps: Sequence[Step[object]]) -> Iterator[Finding]:
    """R1 to R10."""
    expected, count = case.expected, [step.action for step in steps].count
    terminal = expected.terminalAction
    if not steps or steps[0].action is not Action.SEARCH:
        yield Finding("R1", "the first event is no search")
    if count(Action.SEARCH) < limits.searchMinimum:
        yield Finding("R2", "nothing was searched")
    if not steps or steps[-1].action is not terminal:
        yield Finding("R3", f"the last event is not {terminal}")
    yield from _ends(case, limits, count(terminal))
    for action in expected.requiredActions:
        if not count(action):
            yield Finding("R6", f"{action} never happened")
    for step in steps:
        if step.action not in expected.allowedActions:
            yield Finding("R7", f"event {step.number}: {step.action} does not belong to this route")
    reads = count(Action.SEARCH) + count(Action.INSPECT)
    if reads > limits.readOnlyMaximum:
        yield Finding("R8", f"{reads} events only read; at most {limits.readOnlyMaximum} may")
    if any(step.failed for step in steps):
        yield Finding("R9", "a tool call failed")
    for step in steps:
        if step.differs:
            yield Finding("R10", f"event {step.number}: call {_short(step.call)} had another input or output before")


def _ends(case: RoutingCase, limits: Cardinality, ends: int) -> Iterator[Finding]:
    terminal = case.expected.terminalAction
    if case.expected.route is not Route.AUTHORING:
        if ends != 1:
            yield Finding("R4", f"{terminal} happened {ends} times, not once")
    elif ends > limits.authoringStepMaximum:
        yield Finding("R5", f"{terminal} happened {ends} times; at most {limits.authoringStepMaximum} are allowed")


def after_code(case: RoutingCase, steps: Sequence[Step[object]]) -> Iterator[Finding]:
    """R20 to R22: what the searches found, against what was done with it."""
    found = {step.exact for step in steps if step.exact is not None}
    if case.expected.route is not Route.EXISTING:
        if found:
            yield Finding("R22", "a search found a saved entry that does the job, and it was not used")
        return
    if not found:
        yield Finding("R20", "no search found a saved entry that does the job")
    first = next((step for step in steps if step.action is Action.INVOKE), None)
    if first is not None and first.target not in found:
        yield Finding("R21", f"event {first.number}: the entry that was run is none that a search found")


def _short(text: str) -> str:
    """A call id for a message: never more than a few characters of it."""
    return repr(text if len(text) <= 24 else f"{text[:24]}…")
