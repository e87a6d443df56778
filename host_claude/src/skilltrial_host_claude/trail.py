"""Where events are written down, each with the place of the line that told them."""

from __future__ import annotations

from typing import Any, NamedTuple

from skilltrial.api import Event


class At(NamedTuple):
    """Where a line stands: its record's number, its turn, and the subagent that it is about.

    `place` is its index among the records, where it can be read again.
    """

    seq: int
    turn: int
    agent: str | None = None
    redacted: bool = False
    place: int = -1


class Trail:
    """The events that nobody took yet."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def add(self, at: At, kind: type[Event], **fields: Any) -> None:
        """Write an event of this kind down."""
        self.events.append(kind(seq=at[0], turn=at[1], agent=at[2], **fields))

    def taken(self) -> list[Event]:
        """What was written down since the last time."""
        events, self.events = self.events, []
        return events
