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


def look(event: AnyEvent) -> Text | None:
    """The words in an event's code; None where it has none, or is a search."""
    if event.toolName != "execute":
        return None
    code = event.input.get("code")
    if not isinstance(code, str):
        return None
    return _text(code, event.targetEntityId if isinstance(event, Invocation) else None)


@lru_cache(maxsize=256)
def _text(code: str, target: str | None) -> Text:
    """The words of a code; the same code often comes again and again."""
    words = _WORDS.findall(code) if any(stem in code for stem in _STEMS) else []
    return Text(
        authors=not AUTHORING.isdisjoint(words),
        mutations=sum(word in MUTATIONS for word in words),
        guides=not GUIDANCE.isdisjoint(words),
        removed=not REMOVED.isdisjoint(words),
        defers="workflows.create" in code,
        targets=target is not None and target in code,
    )


Broken = tuple[tuple[str, str], ...]
"""Rules, each with what is to be said after the event's number."""


def judge(case: RoutingCase, steps: Sequence[Step[Text | None]]) -> Iterator[Finding]:
    """R11 to R18 event by event, then R19."""
    recorded = frozenset(step.call for step in steps if step.action is Action.AUTHOR)
    deferred = case.id == DEFERRED_CASE
    # Many events are alike: what is wrong with one of them is asked once.
    known: dict[tuple[Action, Text, bool], Broken] = {}
    tallied: set[str] = set()
    mutations = 0
    for step in steps:
        if not step.execute:
            continue
        text = step.seen
        if text is None:
            yield Finding("R11", f"event {step.number}: {step.action} has no input.code that is text")
            continue
        kind = step.action, text, step.call in recorded
        if kind not in known:
            known[kind] = tuple(_of_text(*kind, deferred))
        for rule, says in known[kind]:
            yield Finding(rule, f"event {step.number}: {says}")
        if step.call not in tallied:
            tallied.add(step.call)
            mutations += text.mutations
    if case.expected.route is Route.AUTHORING and mutations < 1:
        yield Finding("R19", "nothing was changed: no call saves, edits or publishes")


def _of_text(action: Action, text: Text, recorded: bool, deferred: bool) -> Iterator[tuple[str, str]]:
    if text.authors and not recorded:
        yield "R12", "its code authors, and no event of this call says so"
    if action is Action.AUTHOR and not text.authors:
        yield "R13", "its code has no authoring operation"
    if action is Action.INSPECT and not text.guides:
        yield "R14", "its code reads no guidance"
    if action is Action.ONE_OFF and text.authors:
        yield "R15", "its code keeps something, where nothing was to be kept"
    if text.removed:
        yield "R16", "its code uses a scheduling primitive that exists no more"
    if action is Action.ONE_OFF and deferred and not text.defers:
        yield "R17", "its code does not defer the work with workflows.create"
    if action is Action.INVOKE and not text.targets:
        yield "R18", "its code does not name the entry that it is said to run"
