"""How a try ended and what it cost, read from its records as judging will read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from skilltrial.archive.trajectory import trajectory
from skilltrial.model.endings import Ended, ended
from skilltrial.model.events import Usage
from skilltrial.model.notes import Unavailable, notes
from skilltrial.model.observing import TrialTold
from skilltrial.model.records import Record
from skilltrial.model.trial import HostIdentity
from skilltrial.model.words import Ending, Owner
from skilltrial.plugins.facades import NormalizerFacade


@dataclass(frozen=True, slots=True)
class Seen:
    """An ending, and tokens (input and output) and cost (US dollars) as far as the host shows them."""

    ended: Ended
    tokens: int | None = None
    cost: Decimal | None = None
    input: int | None = None
    output: int | None = None
    unavailable: str | None = None
    """Why the program could not be started, in a word."""


def told_of(seen: Seen, spent: Decimal | None) -> TrialTold:
    """What observers are told of a trial that ended so."""
    end = seen.ended
    return TrialTold(end.ending, end.cause, end.owner, seen.input, seen.output, seen.cost, spent)


@dataclass(frozen=True, slots=True)
class EndReader:
    """Reads endings with the normalizer that judging will use."""

    normalizer: NormalizerFacade
    identity: HostIdentity

    def read(self, records: Sequence[Record], turns: int) -> Seen:
        """The ending of a try of a case with so many turns. Never raises for what the records hold."""
        try:
            events = trajectory(self.normalizer, records)
            noted = [note for _, note in notes(records)]
            end = ended(noted, records, events, turns=turns, sees=self.identity.sees)
            used = [event for event in events if isinstance(event, Usage)]
        except Exception:  # noqa: BLE001 - judging says whose fault this is; here it only must not cost the run
            return Seen(Ended(Ending.INVALID_EVENTS, None, "normalizer_raised", Owner.GRADER))
        why = next((note.why for note in noted if isinstance(note, Unavailable)), None)
        return Seen(end, _tokens(used), _cost(used), *_sums(used), why)


def _tokens(used: Sequence[Usage]) -> int | None:
    counts = [None if one.input is None or one.output is None else one.input + one.output for one in used]
    return sum(count for count in counts if count is not None) if counts and None not in counts else None


def _sums(used: Sequence[Usage]) -> tuple[int | None, int | None]:
    """Tokens in and out; None for what one turn at least does not say."""
    into, out = [one.input for one in used], [one.output for one in used]
    return (
        sum(one for one in into if one is not None) if used and None not in into else None,
        sum(one for one in out if one is not None) if used and None not in out else None,
    )


def _cost(used: Sequence[Usage]) -> Decimal | None:
    costs = [one.cost for one in used]
    return sum((cost for cost in costs if cost is not None), Decimal(0)) if costs and None not in costs else None
