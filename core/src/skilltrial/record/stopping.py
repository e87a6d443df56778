"""When a trial is tried again, when a run stops early, and what a run may spend."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Generic, TypeVar

from skilltrial.model.words import Cause, Ending, Owner

from .endings import Seen

IN_A_ROW = 3
"""So many trials in a row that end for reasons outside the agent stop the run."""
BACKOFF = (1.0, 5.0, 20.0)
"""Seconds before the next try."""
BACKOFF_BUSY = (5.0, 30.0, 60.0)
"""The same where the provider said that it is asked too often."""
_AT_ONCE = frozenset({Cause.QUOTA})
"""Causes that every further trial would meet as well. A refused key is not among them: it costs nothing to see it
three times, and a provider's login service has hiccups."""
_NEVER_AGAIN = frozenset({Cause.AUTH, Cause.QUOTA, Cause.CONTEXT})
"""Causes that another try can't mend."""

_UNAVAILABLE = {
    "missing": "there is none of that name (one such as `./agent` must lie in the trial's project; any other may be "
    "named by its whole path)",
    "not_executable": "its file is not executable; `chmod +x` makes it so",
    "not_a_program": "its file is no program: the `#!` of a script must name an interpreter that is there",
}
_NOBODYS = frozenset({Ending.INTERRUPTED, Ending.NOT_BEGUN})
"""Endings that say nothing about the program or its provider."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may spend; None is without bound. `seconds` is wall time, `cost` US dollars."""

    sessions: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    cost: Decimal | None = None


N = TypeVar("N", int, Decimal)


class _Ledger(Generic[N]):
    """What sessions have cost. One that did not show its cost counts as the dearest that did: never as nothing."""

    def __init__(self, nothing: N) -> None:
        self._spent: N = nothing
        self._dearest: N = nothing
        self._unknown = 0

    def add(self, cost: N | None) -> None:
        """Count one try."""
        if cost is None:
            self._unknown += 1
            return
        self._spent += cost
        self._dearest = max(self._dearest, cost)

    @property
    def known(self) -> N | None:
        """What is known to be spent; None where no session showed it."""
        return self._spent if self._spent else None

    def could_exceed(self, most: N | None, ahead: int) -> bool:
        """Whether so many sessions more, each as dear as the dearest so far, could go over `most`."""
        return most is not None and self._spent + (self._unknown + ahead) * self._dearest > most


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
        self._tokens = _Ledger(0)
        self._cost = _Ledger(Decimal(0))
        self._row: list[str] = []
        self.stopped: str | None = None
        """Why no further trial starts, as a sentence; None while they do."""

    @property
    def spent(self) -> Decimal | None:
        """Dollars that are known to be spent; None where no session showed any."""
        with self._lock:
            return self._cost.known

    def admit(self) -> bool:
        """Reserve one session; False (and `stopped` says why) where the run must not start another."""
        with self._lock:
            if self.stopped is None:
                self.stopped = self._exhausted(self._running + 1)
            if self.stopped is not None:
                return False
            self._sessions += 1
            self._running += 1
            return True

    def _exhausted(self, ahead: int) -> str | None:
        """Why not so many sessions, those that run included, may come to what they could cost."""
        budget = self._budget
        if budget.sessions is not None and self._sessions >= budget.sessions:
            return f"the budget of {budget.sessions} sessions is used up (--max-sessions)"
        if budget.seconds is not None and time.monotonic() - self._begin >= budget.seconds:
            return f"the budget of {budget.seconds:g} seconds is used up (--max-time)"
        if self._tokens.could_exceed(budget.tokens, ahead):
            return f"another session could go over {budget.tokens} tokens (--max-tokens)"
        if self._cost.could_exceed(budget.cost, ahead):
            return f"another session could go over {budget.cost} dollars (--max-cost)"
        return None

    def settle(self, seen: Seen | None) -> None:
        """A trial that was admitted has ended with this try (None: interrupted): did it show anything?"""
        with self._lock:
            self._running -= 1
            if seen is not None:
                self._watch(seen)

    def _watch(self, seen: Seen) -> None:
        end = seen.ended
        outside = end.owner in (Owner.HOST, Owner.MODEL, Owner.OPERATOR) and end.ending not in _NOBODYS
        self._row = [*self._row, f"{end.ending}" + (f" ({end.cause})" if end.cause else "")] if outside else []
        if not self._stops or self.stopped is not None:
            return
        if end.ending is Ending.HOST_UNAVAILABLE:
            why = _UNAVAILABLE.get(seen.unavailable or "")
            self.stopped = "the agent program can't be started" + (f": {why}" if why else "")
        elif end.owner is Owner.OPERATOR and end.cause in _AT_ONCE:
            self.stopped = f"the agent's provider refuses this account: {end.cause}"
        elif len(self._row) >= IN_A_ROW:
            self.stopped = f"{IN_A_ROW} trials in a row showed nothing: {', '.join(dict.fromkeys(self._row))}"

    def wait_before_retry(self, seen: Seen, tries: int) -> float | None:
        """Count what a try cost; return the seconds to wait before the next one, None where this was the last."""
        end = seen.ended
        with self._lock:
            self._tokens.add(seen.tokens)
            self._cost.add(seen.cost)
        if tries > self._retries or end.owner not in (Owner.HOST, Owner.MODEL) or end.cause in _NEVER_AGAIN:
            return None
        with self._lock:
            if self.stopped is not None or self._exhausted(self._running) is not None:
                return None
            self._sessions += 1
        waits = BACKOFF_BUSY if end.cause is Cause.RATE_LIMIT else BACKOFF
        return waits[min(tries, len(waits)) - 1]
