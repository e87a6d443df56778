"""How a session ended: by the runner's facts, then by the trajectory, then by what is missing from both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .capabilities import Sees
from .causes import owner_of_cause
from .events import Event, SessionEnded, ToolRequested, TurnEnded, Usage
from .notes import Note, ending_by
from .records import Record
from .words import Cause, Ending, Owner

_OWNERS: Mapping[Ending, Owner] = {
    Ending.HOST_FAILED: Owner.HOST,
    Ending.HOST_UNAVAILABLE: Owner.OPERATOR,
    Ending.TIME_LIMIT: Owner.AGENT,
    Ending.OUTPUT_LIMIT: Owner.AGENT,
    Ending.INVALID_EVENTS: Owner.HOST,
    Ending.INTERRUPTED: Owner.OPERATOR,
    Ending.NOT_BEGUN: Owner.OPERATOR,
}


@dataclass(frozen=True, slots=True)
class Ended:
    """An ending. `reason` and `owner` are None only where the trial may be judged by its checks."""

    ending: Ending
    cause: Cause | None = None
    reason: str | None = None
    owner: Owner | None = None


def ended(
    noted: Iterable[Note], records: Sequence[Record], events: Sequence[Event], *, turns: int, sees: frozenset[Sees]
) -> Ended:
    """How the session of a case with so many `turns` ended; `noted` are the runner's notes among the `records`.

    The runner's facts beat whatever the program said. A trajectory without exactly one end has none. A session that
    calls itself completed and never reached the last turn, or shows no sign of a model where the host shows
    answers, is incomplete all the same.
    """
    if forced := ending_by(noted):
        return _not_completed(*forced)
    ends = [event for event in events if isinstance(event, SessionEnded)]
    if len(ends) != 1:
        return _not_completed(Ending.INVALID_EVENTS, None, None)
    end = ends[0]
    if end.ending is not Ending.COMPLETED:
        return _not_completed(end.ending, end.cause, end.owner)
    if max((record.turn for record in records), default=0) < turns:
        return Ended(Ending.COMPLETED, end.cause, "turn_missing", Owner.HOST)
    if Sees.ANSWERS in sees and not any(_shows_model(event) for event in events):
        return Ended(Ending.COMPLETED, Cause.EMPTY, "empty", Owner.MODEL)
    return Ended(Ending.COMPLETED, end.cause)


def _not_completed(ending: Ending, cause: Cause | None, owner: Owner | None) -> Ended:
    if owner is None and cause is not None and cause is not Cause.UNCLASSIFIED:
        owner = owner_of_cause(cause)
    return Ended(ending, cause, str(ending), owner or _OWNERS[ending])


def _shows_model(event: Event) -> bool:
    """Whether the event can't be there without a model that took a turn."""
    match event:
        case ToolRequested():
            return True
        case Usage(output=int(count)):
            return count > 0
        case TurnEnded(answer=str(answer)):
            return bool(answer.strip())
        case _:
            return False
