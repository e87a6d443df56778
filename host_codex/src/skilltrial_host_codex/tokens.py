"""What a turn used, from counts that go on over a conversation or over a turn."""

from __future__ import annotations

from skilltrial.api import Usage

from .lines import Object, number


def usage(seq: int, turn: int, counted: Object, before: Object, agent: str | None = None) -> Usage:
    """The tokens of `counted` that were not in `before`; a count that is missing or went down is unknown."""

    def of(key: str) -> int | None:
        now, then = number(counted, key), number(before, key) or 0
        return now - then if now is not None and now >= then else None

    return Usage(
        seq=seq,
        turn=turn,
        agent=agent,
        input=of("input_tokens"),
        output=of("output_tokens"),
        cached=of("cached_input_tokens"),
        reasoning=of("reasoning_output_tokens"),
    )
