"""Where events are written down, each with the place of the line that told them."""

from __future__ import annotations

from typing import NamedTuple

from skilltrial.api import Event, SkillStep, Step, Unrecognized


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

    def add(self, event: Event) -> None:
        """Write an event down."""
        self.events.append(event)

    def unrecognized(self, at: At, why: str) -> None:
        """Write down that a line, or something of it, is not known."""
        self.events.append(Unrecognized(seq=at.seq, turn=at.turn, agent=at.agent, why=why))

    def step(self, at: At, skill: str, step: Step) -> None:
        """Write down how far a skill came."""
        self.events.append(SkillStep(seq=at.seq, turn=at.turn, agent=at.agent, skill=skill, step=step))

    def taken(self) -> list[Event]:
        """What was written down since the last time."""
        events, self.events = self.events, []
        return events
