"""When a trial is tried again, when a run stops early, and what a run may spend."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from decimal import Decimal

from skilltrial.model.words import Cause, Ending, Owner

from .endings import Seen

IN_A_ROW = 3
"""So many trials in a row that end for reasons outside the agent stop the run."""
BACKOFF = (1.0, 5.0, 20.0)
"""Seconds before the next try."""
BACKOFF_BUSY = (5.0, 30.0, 60.0)
"""The same where the provider said that it is asked too often."""
_NEVER_AGAIN = frozenset({Cause.AUTH, Cause.QUOTA, Cause.CONTEXT})
"""Causes that another try can't mend."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend; None is without bound. `seconds` is wall time, `cost` US dollars."""

    sessions: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost: Decimal | None = None


class Conduct:
    """Decides about retries, stops and budgets. Safe from any thread.

    Each launch reserves what the dearest session so far has cost, so that sessions that run at the same time do not
    overspend together; the first ones can only reserve themselves.
    """

    def __init__(self, budget: Budget = Budget(), retries: int = 2, *, stops: bool = True) -> None:
        self._budget = budget
        self._retries = retries
        self._stops = stops
        self._lock = threading.Lock()
        self._begin = time.monotonic()
        self._sessions = 0
        self._running = 0
        self._tokens, self._dearest_tokens = 0, 0
        self._cost, self._dearest_cost = Decimal(0), Decimal(0)
        self._row: list[str] = []
        self.stopped: str | None = None
        """Why no further trial starts, as a sentence; None while they do."""

    def admit(self) -> bool:
        """Reserve one session; False (and `stopped` says why) where the run must not start another."""
        with self._lock:
            if self.stopped is None:
                self.stopped = self._exhausted()
            if self.stopped is not None:
                return False
            self._sessions += 1
            self._running += 1
            return True

    def _exhausted(self) -> str | None:
        budget, ahead = self._budget, self._running + 1
        if budget.sessions is not None and self._sessions >= budget.sessions:
            return f"the budget of {budget.sessions} sessions is used up (--max-sessions)"
        if budget.seconds is not None and time.monotonic() - self._begin >= budget.seconds:
            return f"the budget of {budget.seconds:g} seconds is used up (--max-time)"
        if budget.tokens is not None and self._tokens + ahead * self._dearest_tokens > budget.tokens:
            return f"another session could go over {budget.tokens} tokens (--max-tokens)"
        if budget.cost is not None and self._cost + ahead * self._dearest_cost > budget.cost:
            return f"another session could go over {budget.cost} dollars (--max-cost)"
        return None

    def settle(self, seen: Seen | None) -> None:
        """A session that was admitted has ended: count what it cost, and whether it showed anything."""
        with self._lock:
            self._running -= 1
            if seen is None:
                return
            if seen.tokens is not None:
                self._tokens += seen.tokens
                self._dearest_tokens = max(self._dearest_tokens, seen.tokens)
            if seen.cost is not None:
                self._cost += seen.cost
                self._dearest_cost = max(self._dearest_cost, seen.cost)
            self._watch(seen)

    def _watch(self, seen: Seen) -> None:
        end = seen.ended
        outside = end.owner in (Owner.HOST, Owner.MODEL, Owner.OPERATOR) and end.ending is not Ending.INTERRUPTED
        self._row = [*self._row, f"{end.ending}" + (f" ({end.cause})" if end.cause else "")] if outside else []
        if not self._stops or self.stopped is not None:
            return
        if end.ending is Ending.HOST_UNAVAILABLE:
            self.stopped = "the agent program can't be started"
        elif len(self._row) >= IN_A_ROW:
            self.stopped = f"{IN_A_ROW} trials in a row showed nothing: {', '.join(dict.fromkeys(self._row))}"

    def wait_before_retry(self, seen: Seen, tries: int) -> float | None:
        """Seconds to wait before the next try; None where this was the last."""
        end = seen.ended
        if tries > self._retries or end.owner not in (Owner.HOST, Owner.MODEL) or end.cause in _NEVER_AGAIN:
            return None
        with self._lock:
            if self.stopped is not None or self._exhausted() is not None:
                return None
            self._sessions += 1
        waits = BACKOFF_BUSY if end.cause is Cause.RATE_LIMIT else BACKOFF
        return waits[min(tries, len(waits)) - 1]
