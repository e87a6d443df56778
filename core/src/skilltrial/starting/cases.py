"""A case on its way into a first suite: what is known of it, and what is left to its author."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from skilltrial.record.suitefile.placeholders import placeholder

POSITIVES, NEGATIVES = 2, 1
"""How many cases a first suite has of each polarity, at least."""
Check = Mapping[str, object]
_NO_TEXTS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


@dataclass(frozen=True, slots=True)
class DraftCase:
    """One case. `prompt` is None where the author has to say it; `notes` become comments above it.

    `files` are what the workspace starts with; `checks` are in the short form.
    """

    id: str
    prompt: str | None = None
    polarity: Literal["positive", "negative"] = "positive"
    files: Mapping[str, bytes] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()


def slug(text: str, fallback: str) -> str:
    """An id of a text's first words."""
    words = re.findall(r"[a-z0-9]+", text.lower())[:4]
    found = "-".join(words)[:40].strip("-")
    # A key that YAML takes for something else than text would be no key of a suite.
    return found if re.fullmatch(r"[a-z][a-z0-9_-]*", found) and found not in _NO_TEXTS else fallback


def filled_up(cases: Iterable[DraftCase]) -> tuple[DraftCase, ...]:
    """The cases with ids of their own, and placeholders for those that a first suite still needs."""
    found: list[DraftCase] = []
    for case in cases:
        found.append(_named(case, found))
    positives = sum(case.polarity == "positive" for case in found)
    for name in ("first-use", "second-use")[min(positives, POSITIVES) :]:
        found.append(_named(DraftCase(name), found))
    if not any(case.polarity == "negative" for case in found):
        found.append(_named(DraftCase("not-its-business", polarity="negative"), found))
    return tuple(found)


def _named(case: DraftCase, others: Sequence[DraftCase]) -> DraftCase:
    taken = {one.id for one in others}
    id, number = case.id, 1
    while id in taken:
        number += 1
        id = f"{case.id}-{number}"
    return DraftCase(id, case.prompt, case.polarity, case.files, case.checks, case.notes)


def prompt_wanted(case: DraftCase) -> str:
    """What the author has to say in place of a missing prompt."""
    if case.polarity == "negative":
        return placeholder("a request close to the skill's subject that is none of its business")
    return placeholder("what a user of the skill would ask, in words of their own")


def checks_wanted(case: DraftCase) -> tuple[Check, ...]:
    """The case's checks, with placeholders where there is nothing that could fail."""
    file = {
        "files": placeholder("a file that the agent should write or change"),
        "contains": placeholder("a text that must then be in it"),
    }
    if case.polarity == "negative":
        own = [check for check in case.checks if "files" in check]
        return ({"calls": {"opens_skill": "never"}}, *(own or [file]))
    return case.checks or (file,)
