"""Where events are written down, each with the place of the line that told them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from skilltrial.api import Event


@dataclass(frozen=True, slots=True)
class At:
    """Where a line stands: its record's number, its turn, and the subagent that it is about."""

    seq: int
    turn: int
    agent: str | None = None
    redacted: bool = False


@dataclass
class Trail:
    """The events so far."""

    events: list[Event] = field(default_factory=list)

    def add(self, at: At, kind: type[Event], **fields: Any) -> None:
        """Write an event of this kind down."""
        self.events.append(kind(seq=at.seq, turn=at.turn, agent=at.agent, **fields))
