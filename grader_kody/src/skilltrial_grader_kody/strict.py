"""The profile `strict`: code is judged by what it does. What can't be decided is never a pass.

Beside R11 to R19 it knows `code` (it can't be read, or does nothing), `unclear` (it may do anything), `schedule`,
`execution`, `authoring` and `other-work` (done under another name), `twice` (deferred more than once), `result` (a
success that returned an error).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from . import sources
from .code.analysis import Analysis, State, analyse
from .code.replay import Replay, recorded_calls
from .deferral import deferral
from .findings import Finding
from .hidden import hidden
from .invocation import invocation
from .steps import Step
from .suite import RoutingCase
from .tallies import authoring, listed_mutations
from .transcript import AnyEvent
from .words import DEFERRED_CASE, Action, Route


class Seen(NamedTuple):
    """What the strict rules ask of an event. `invoked` are the texts of Kody's own `invoke` input."""

    analysis: Analysis | None
    invoked: frozenset[str] | None
    entity: bool
    erred: bool


Steps = Sequence[Step[Seen]]


class Strict:
    """Looks at events and judges cases. Holds what code did, so that equal code is looked at once.

    `replays`: the outputs list what each call gave, as the fixture of a live trial answers.
    """

    def __init__(self, *, replays: bool = False) -> None:
        self._replays = replays
        self._known: dict[tuple[str, str, str], Analysis] = {}

    def look(self, event: AnyEvent) -> Seen:
        """What is in an event."""
        erred = sources.erred(event)
        if event.toolName != "execute":
            entity = event.input.get("entity")
            return Seen(None, None, isinstance(entity, str) and bool(entity.strip()), erred)
        code = event.input.get("code")
        calls = recorded_calls(event.output) if self._replays else []
        analysis = self._analysis(code, event.input.get("params"), calls) if isinstance(code, str) else None
        return Seen(analysis, sources.invoked(event.input), entity=False, erred=erred)

    def _analysis(self, code: str, params: Any, calls: list[Any]) -> Analysis:
        given = params if isinstance(params, dict) else None
        key = (code, "" if given is None else json.dumps(given, sort_keys=True), json.dumps(calls) if calls else "")
        if key not in self._known:
            self._known[key] = analyse(code, given, Replay(calls) if calls else None)
        return self._known[key]

    def judge(self, case: RoutingCase, steps: Steps) -> Iterator[Finding]:
        """R11 to R18 and the strict rules event by event, then those about the whole case."""
        recorded = frozenset(step.call for step in steps if step.action is Action.AUTHOR)
        opened = False
        for step in steps:
            if step.seen.erred and not step.failed:
                yield Finding("result", f"event {step.number}: it is said to have succeeded, and returned an error")
            if not step.execute:
                if step.action is Action.INSPECT and not step.seen.entity:
                    yield Finding("R14", f"event {step.number}: the search names no guide or source to be read")
                continue
            analysis = step.seen.analysis
            if analysis is None:
                yield from _without_code(step)
            elif analysis.state is State.READ:
                yield from hidden(case, step, analysis, recorded, opened)
                yield from _of_action(case, step, analysis)
                opened = opened or sources.opens(analysis)
            else:
                yield _unread(step, analysis.state)
                if analysis.state is State.EMPTY:
                    yield from hidden(case, step, analysis, recorded, opened)
                    yield from _of_action(case, step, analysis)
        if case.expected.route is Route.AUTHORING:
            yield from _of_authoring(steps)


def _without_code(step: Step[Seen]) -> Iterator[Finding]:
    if step.action is Action.INVOKE and step.seen.invoked is not None:
        yield from invocation(step.number, step.target or "", None, step.seen.invoked)
    else:
        yield Finding("R11", f"event {step.number}: {step.action} has no input.code that is text")


def _unread(step: Step[Seen], state: State) -> Finding:
    here = f"event {step.number}"
    if state is State.EMPTY:
        return Finding("code", f"{here}: its code does nothing")
    why = "is no JavaScript or TypeScript" if state is State.UNPARSABLE else "is too complex to be followed"
    return Finding("code", f"{here}: its code {why}", certain=False)


def _of_action(case: RoutingCase, step: Step[Seen], analysis: Analysis) -> Iterator[Finding]:
    if step.action is Action.AUTHOR:
        least, most = authoring(analysis)
        if not least:
            yield Finding("R13", f"event {step.number}: its code calls no authoring operation", certain=not most)
    elif step.action is Action.ONE_OFF and case.id == DEFERRED_CASE:
        yield from deferral(step.number, analysis)
    elif step.action is Action.INVOKE:
        yield from invocation(step.number, step.target or "", analysis, step.seen.invoked)


def _of_authoring(steps: Steps) -> Iterator[Finding]:
    """R5 in calls, and R19: each call id counts once, with the first of its events that has code."""
    calls: dict[str, Analysis] = {}
    for step in steps:
        if step.seen.analysis is not None:
            calls.setdefault(step.call, step.seen.analysis)
    unread = any(one.state in (State.UNPARSABLE, State.TOO_COMPLEX) for one in calls.values())
    done = [authoring(one) for one in calls.values()]
    least, most = sum(low for low, _ in done), sum(high for _, high in done)
    if most > _STEPS_AT_MOST and sum(step.action is Action.AUTHOR for step in steps) <= _STEPS_AT_MOST:
        words = f"{int(least)} authoring calls, and" if least > _STEPS_AT_MOST else "the calls may be more:"
        yield Finding("R5", f"{words} at most {_STEPS_AT_MOST} are allowed", certain=least > _STEPS_AT_MOST)
    changes = [listed_mutations(one) for one in calls.values()]
    least, most = sum(low for low, _ in changes), sum(high for _, high in changes)
    if least < 1:
        text = "nothing was changed: no call saves, edits or publishes"
        yield Finding("R19", text, certain=not most and not unread)


_STEPS_AT_MOST = 8
