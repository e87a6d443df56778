"""The profile `original`: code is text, and a name in it counts wherever it stands. Rules R11 to R19, as published.

Kept for comparison with reports of the original scorer. Comments, strings and calls are all alike here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from .findings import Finding
from .steps import Step
from .suite import RoutingCase
from .transcript import AnyEvent, Invocation
from .words import AUTHORING, DEFERRED_CASE, GUIDANCE, MUTATIONS, REMOVED, Action, Route

_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(AUTHORING | GUIDANCE | REMOVED))})\b", re.ASCII)
_STEMS = ("package", "repo", "codingGuide", "job_")
"""Every such word begins with one of these: looking for them is cheaper than the search."""


class Text(NamedTuple):
    """What the words in an event's code are."""

    authors: bool
    mutations: int
    guides: bool
    removed: bool
    defers: bool
    targets: bool


_NOTHING = Text(authors=False, mutations=0, guides=False, removed=False, defers=False, targets=False)


def look(event: AnyEvent) -> Text | None:
    """The words in an event's code; None where it has none, or is a search."""
    if event.toolName != "execute":
        return None
    code = event.input.get("code")
    if not isinstance(code, str):
        return None
    words = _words(code)
    defers = "workflows.create" in code
    targets = isinstance(event, Invocation) and event.targetEntityId in code
    if not (words or defers or targets):
        return _NOTHING
    return Text(
        authors=not AUTHORING.isdisjoint(words),
        mutations=sum(word in MUTATIONS for word in words),
        guides=not GUIDANCE.isdisjoint(words),
        removed=not REMOVED.isdisjoint(words),
        defers=defers,
        targets=targets,
    )


@lru_cache(maxsize=256)
def _words(code: str) -> tuple[str, ...]:
    """The words that matter in a code; the same code often comes again and again."""
    return tuple(_WORDS.findall(code)) if any(stem in code for stem in _STEMS) else ()


def judge(case: RoutingCase, steps: Sequence[Step[Text | None]]) -> Iterator[Finding]:
    """R11 to R18 event by event, then R19."""
    recorded = frozenset(step.call for step in steps if step.action is Action.AUTHOR)
    tallied: set[str] = set()
    mutations = 0
    for step in steps:
        if not step.execute:
            continue
        text = step.seen
        if text is None:
            yield Finding("R11", f"event {step.number}: {step.action} has no input.code that is text")
            continue
        yield from _of_text(case, step, text, recorded)
        if step.call not in tallied:
            tallied.add(step.call)
            mutations += text.mutations
    if case.expected.route is Route.AUTHORING and mutations < 1:
        yield Finding("R19", "nothing was changed: no call saves, edits or publishes")


def _of_text(case: RoutingCase, step: Step[Text | None], text: Text, recorded: frozenset[str]) -> Iterator[Finding]:
    here, action = f"event {step.number}", step.action
    if text.authors and step.call not in recorded:
        yield Finding("R12", f"{here}: its code authors, and no event of this call says so")
    if action is Action.AUTHOR and not text.authors:
        yield Finding("R13", f"{here}: its code has no authoring operation")
    if action is Action.INSPECT and not text.guides:
        yield Finding("R14", f"{here}: its code reads no guidance")
    if action is Action.ONE_OFF and text.authors:
        yield Finding("R15", f"{here}: its code keeps something, where nothing was to be kept")
    if text.removed:
        yield Finding("R16", f"{here}: its code uses a scheduling primitive that exists no more")
    if action is Action.ONE_OFF and case.id == DEFERRED_CASE and not text.defers:
        yield Finding("R17", f"{here}: its code does not defer the work with workflows.create")
    if action is Action.INVOKE and not text.targets:
        yield Finding("R18", f"{here}: its code does not name the entry that it is said to run")
