"""What a measurement yields: a figure, the floor it is held against, and the goal."""

from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. `ours` and `floor` are repetitions in `unit`; with a floor they are pairs, in order.

    The goal is for the median of the pairs' ratios, or for the median of `ours` where there is no floor. It is the
    most that is allowed, or the least where `at_least`. `against` says what the floor is; `note` adds a remark.
    """

    name: str
    unit: str
    ours: tuple[float, ...]
    goal: float
    floor: tuple[float, ...] = ()
    against: str = ""
    at_least: bool = False
    note: str = ""

    @property
    def ratios(self) -> tuple[float, ...]:
        """Ours by the floor's, pair by pair."""
        return tuple(one / other for one, other in zip(self.ours, self.floor, strict=True)) if self.floor else ()

    @property
    def value(self) -> float:
        """What the goal is about."""
        return statistics.median(self.ratios or self.ours)

    @property
    def met(self) -> bool:
        """The goal is reached."""
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    @property
    def missed_by(self) -> float:
        """By how much of the goal it is missed; 0 where it is met. Meaningless for a goal of 0."""
        return 0.0 if self.met or not self.goal else abs(self.value / self.goal - 1)


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure that can't be had on this machine, and why."""

    name: str
    why: str
