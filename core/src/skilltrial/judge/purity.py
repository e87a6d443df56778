"""Whether an arm was shown a skill that it does not have: by the skill's own lines, under whatever name and path."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from skilltrial.model.records import Record
from skilltrial.model.words import Source

SHORTEST = 40
"""Shorter lines may stand in any text."""
ENOUGH = 3
"""So many of its lines in one record are the skill, or all of them where it has fewer."""

Canaries = Mapping[str, frozenset[str]]
"""A skill that the arm does not have → lines by which its text is known."""


def canaries(bodies: Mapping[str, str], present: Collection[str], elsewhere: Iterable[str]) -> Canaries:
    """The distinct lines of each of the `bodies` whose skill is not `present`.

    What a present skill or another text of the case (`elsewhere`: its prompts) holds too is not distinct.
    """
    known = [*(text for skill, text in bodies.items() if skill in present), *elsewhere]
    found = {
        skill: frozenset(line for line in _lines(text) if not any(line in other for other in known))
        for skill, text in bodies.items()
        if skill not in present
    }
    return {skill: lines for skill, lines in found.items() if lines}


def shows(records: Sequence[Record], known: Canaries) -> bool:
    """Whether something that the program printed or logged holds the text of a skill that the arm does not have."""
    return any(
        sum(line in record.raw for line in lines) >= min(ENOUGH, len(lines))
        for lines in known.values()
        for record in records
        if record.source is not Source.RUNNER
    )


def _lines(text: str) -> Iterable[str]:
    """Lines that are the same however often JSON has wrapped them."""
    lines = (line.strip() for line in text.splitlines())
    return (line for line in lines if len(line) >= SHORTEST and line.isascii() and not {'"', "\\"} & set(line))
