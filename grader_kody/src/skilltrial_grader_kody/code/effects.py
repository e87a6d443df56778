"""What code does, as a tree: acts one after the other, choices between branches, and repetitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from typing import TypeAlias


class Kind(StrEnum):
    """What an act is."""

    OPERATION = "operation"
    """A function that the runtime gives was called: `name` is `kody.packageSave`, `workflows.create`."""
    PACKAGE = "package"
    """An export of an imported package was called: `name` is the import's specifier, empty where it is unknown."""
    STRAY = "stray"
    """A function of an object that nobody declared was called: `name` is its last name."""
    UNCLEAR = "unclear"
    """Something whose effect can't be told: `name` says what."""


@dataclass(slots=True)
class Act:
    """One call, or one thing that can't be told. `line` and `column` count from 1, in characters of the code.

    `texts` are the constant texts among the arguments. `deferred` is whether `runAt` was given to
    `workflows.create`, None where that can't be told; `nested` is what its own module does. `rehearsal`: an argument
    asks for nothing to be changed (None: can't be told).
    """

    kind: Kind
    name: str
    line: int
    column: int
    export: str | None = None
    texts: frozenset[str] = frozenset()
    deferred: bool | None = False
    rehearsal: bool | None = False
    nested: Effect | None = None


@dataclass(slots=True)
class Sequel:
    """One after the other."""

    parts: list[Effect] = field(default_factory=list)


@dataclass(slots=True)
class Choice:
    """One of these."""

    options: Sequence[Effect]


@dataclass(slots=True)
class Repeat:
    """The body, so many times."""

    body: Effect
    least: float = 0
    most: float = inf


Effect: TypeAlias = "Act | Sequel | Choice | Repeat"
NOTHING = Sequel()

Interval = tuple[float, float]


def count(effect: Effect, wanted: Callable[[Act], Interval]) -> Interval:
    """At least and at most how often the acts happen; `wanted` says how often one act counts."""
    match effect:
        case Act():
            return wanted(effect)
        case Sequel(parts):
            least, most = 0.0, 0.0
            for part in parts:
                low, high = count(part, wanted)
                least, most = least + low, most + high
            return least, most
        case Choice(options):
            counts = [count(option, wanted) for option in options]
            return min(low for low, _ in counts), max(high for _, high in counts)
        case Repeat(body, times, at_most):
            low, high = count(body, wanted)
            return low * times if low else 0.0, high * at_most if high and at_most else 0.0


def acts(effect: Effect, certain: bool = True) -> Iterator[tuple[Act, bool]]:
    """Every act in the order of the code, and whether it certainly happens."""
    match effect:
        case Act():
            yield effect, certain
        case Sequel(parts):
            for part in parts:
                yield from acts(part, certain)
        case Choice(options):
            for option in options:
                yield from acts(option, False)
        case Repeat(body, times, _):
            yield from acts(body, certain and times >= 1)
