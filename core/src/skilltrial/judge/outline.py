"""A trajectory in one walk: what a report says of it, where it is too long to be held or gone through often."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from skilltrial.archive.trajectory import Trajectory
from skilltrial.model.events import Event, ModelRequested, ToolRequested, ToolResult, ToolStarted


@dataclass(frozen=True, slots=True)
class Outline:
    """`few` are the events without results and repetitions; `calls` is how many calls were asked for."""

    few: Sequence[Event]
    calls: int


def outline(events: Sequence[Event]) -> Outline:
    """The outline. Of a trajectory that is held, `few` are all its events.

    Of one that is not, they lack beginnings and results of calls, every request of a tool but the first, and every
    request of a model that was asked before.
    """
    if not isinstance(events, Trajectory):
        requests = (event for event in events if isinstance(event, ToolRequested))
        return Outline(events, len({(event.agent, event.call) for event in requests}))
    few: list[Event] = []
    models: set[str | None] = set()
    calls = array("Q")
    for event in events:
        if isinstance(event, ToolRequested):
            if not calls:
                few.append(event)
            calls.append(_number(event))
        elif isinstance(event, ModelRequested):
            if event.model not in models:
                models.add(event.model)
                few.append(event)
        elif not isinstance(event, ToolStarted | ToolResult):
            few.append(event)
    return Outline(tuple(few), len(set(calls)))


def _number(request: ToolRequested) -> int:
    """A number of a call, in place of its id: they are many. Two calls have the same one time in 10 milliards."""
    name = repr((request.agent, request.call)).encode("ascii", "backslashreplace")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big")
