"""What an observer is told of a run while it goes on: names, counts, times; never prompts, answers or paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from .trial import HostIdentity, TrialKey
from .words import Cause, Ending, Owner


@dataclass(frozen=True, slots=True)
class RunOutline:
    """A run that begins. `suite_sha256` is of the suite's long form; `trials` are those that will be run now."""

    id: str
    suite: str
    suite_sha256: str
    host: HostIdentity
    trials: int
    scripted: bool
    """Whether the model is a scripted one: a rehearsal."""


@dataclass(frozen=True, slots=True)
class TrialTold:
    """A trial that is in the archive. `spent` are the dollars that the run is known to have cost so far."""

    ending: Ending
    cause: Cause | None = None
    owner: Owner | None = None
    input: int | None = None
    """Tokens that went in, as this host counts them; None where it does not show them."""
    output: int | None = None
    cost: Decimal | None = None
    """Dollars of this trial; None where unknown."""
    spent: Decimal | None = None


class Observer:
    """Is told how a run goes, and can't change it. A method that is not overridden does nothing.

    Never called by two threads at once. What it raises is told to the user once, and it is asked no more.
    """

    def trial_started(self, key: TrialKey) -> None:
        """A trial begins."""

    def turn_started(self, key: TrialKey, turn: int) -> None:
        """A prompt is given to the program; `turn` counts from 1, anew in each try."""

    def turn_ended(self, key: TrialKey, turn: int) -> None:
        """The program answered, or no further turn is possible."""

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        """A trial is in the archive. Not called for one that was interrupted."""

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        """The gate's rule adds these trials to the run."""
