"""Which arm decides about a run, by which rule; and what chance alone makes of that rule."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb, prod
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from .part import Part, Slug

RULES = ("require", "majority_of", "min_pass_rate")
"""The keys of a gate that say how it decides; it has exactly one."""
Rate = Annotated[float, Field(gt=0, le=1)]
Majority = Literal[3, 5, 7, 9]


class Gate(Part):
    """Which arm decides, and how.

    `require: all` wants every trial passed. `min_pass_rate` wants that share of the arm's trials passed. `majority_of`
    runs each case once and one that fails so many times in all; red is a case of which most of these fail.
    """

    arm: Slug
    require: Literal["all"] | None = None
    majority_of: Majority | None = None
    min_pass_rate: Rate | None = None

    @model_validator(mode="before")
    @classmethod
    def _says_how(cls, value: Any) -> Any:
        if isinstance(value, dict) and all(value.get(name) is None for name in RULES):
            return {**value, "require": "all"}
        return value

    @model_validator(mode="after")
    def _says_it_once(self) -> Gate:
        if sum(getattr(self, name) is not None for name in RULES) != 1:
            raise ValueError(f"a gate has one rule: {', '.join(RULES)}")
        return self

    @property
    def rule(self) -> str:
        """The rule as `--gate` takes it: `all`, `majority_of=5`, `min_pass_rate=0.9`."""
        if self.majority_of is not None:
            return f"majority_of={self.majority_of}"
        return "all" if self.min_pass_rate is None else f"min_pass_rate={self.min_pass_rate:g}"

    @property
    def least_rate(self) -> Fraction:
        """The share of trials that must have passed, exactly as it is written."""
        return Fraction(1) if self.min_pass_rate is None else Fraction(str(self.min_pass_rate))


def chance_red(gate: Gate, passing: Sequence[float], attempts: int = 1) -> float:
    """The exact chance that `gate` fails a run in which nothing but chance decides, from 0 to 1.

    `passing` holds for each case the chance that one trial of it in the gate's arm passes: what a gate costs an
    unchanged skill (0.95 everywhere), and what it catches (0.2 for the case that broke). `attempts` is of each case;
    `majority_of` has one. Trials are taken as independent and as seen whole: nothing is incomplete.
    """
    if gate.majority_of is not None:
        return 1 - prod(1 - _case_red(one, gate.majority_of) for one in passing)
    trials = [one for one in passing for _ in range(attempts)]
    if gate.min_pass_rate is None:
        return 1 - prod(trials)
    least = gate.least_rate * len(trials)
    return sum(chance for passed, chance in enumerate(_passed(trials)) if passed < least)


def mean_sessions(gate: Gate, passing: Sequence[float], attempts: int = 1) -> float:
    """How many sessions the gate's arm takes on average, in a run as `chance_red` has it."""
    if gate.majority_of is None:
        return float(len(passing) * attempts)
    return len(passing) + sum((1 - one) * (gate.majority_of - 1) for one in passing)


def _case_red(passing: float, of: int) -> float:
    """The first trial fails, and of the others so many that most of them all did."""
    failing, more = 1 - passing, of - 1
    enough = range(of // 2, more + 1)
    return failing * sum(comb(more, n) * failing**n * passing ** (more - n) for n in enough)


def _passed(passing: Sequence[float]) -> list[float]:
    """The chance of each number of passed trials, from none to all."""
    chances = [1.0]
    for one in passing:
        fewer, more = [*chances, 0.0], [0.0, *chances]
        chances = [low * (1 - one) + high * one for low, high in zip(fewer, more, strict=True)]
    return chances
