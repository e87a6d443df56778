"""How a try ended and what it cost, read from its records as judging will read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from skilltrial.model.endings import Ended, ended
from skilltrial.model.events import Event, Usage
from skilltrial.model.records import Record
from skilltrial.model.trial import HostIdentity
from skilltrial.model.words import Ending, Owner, Source
from skilltrial.plugins.facades import NormalizerFacade


@dataclass(frozen=True, slots=True)
class Seen:
    """An ending, and tokens (input and output) and cost (US dollars) as far as the host shows them."""

    ended: Ended
    tokens: int | None = None
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True)
class EndReader:
    """Reads endings with the normalizer that judging will use."""

    normalizer: NormalizerFacade
    identity: HostIdentity

    def read(self, records: Sequence[Record], turns: int) -> Seen:
        """The ending of a try of a case with so many turns. Never raises for what the records hold."""
        runner = [record for record in records if record.source is Source.RUNNER]
        try:
            events = self.normalizer.normalize(records)
        except Exception:  # noqa: BLE001 - judging says whose fault this is; here it only must not cost the run
            return Seen(Ended(Ending.INVALID_EVENTS, None, "normalizer_raised", Owner.GRADER))
        end = ended(runner, records, events, turns=turns, sees=self.identity.sees)
        return Seen(end, _tokens(events), _cost(events))


def _tokens(events: Sequence[Event]) -> int | None:
    counts = [
        None if event.input is None or event.output is None else event.input + event.output
        for event in events
        if isinstance(event, Usage)
    ]
    return sum(count for count in counts if count is not None) if counts and None not in counts else None


def _cost(events: Sequence[Event]) -> Decimal | None:
    costs = [event.cost for event in events if isinstance(event, Usage)]
    return sum((cost for cost in costs if cost is not None), Decimal(0)) if costs and None not in costs else None
