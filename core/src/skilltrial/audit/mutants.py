"""A mutant: a passing trial's files with one thing changed; and the kinds of change that there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from skilltrial.archive import layout

from .specimen import Specimen
from .tape import Tape

Change = Mapping[str, bytes | None]
"""Name of a file of the trial → its new bytes; None where it is taken away."""


@dataclass(frozen=True)
class Mutant:
    """One change. `equivalent` is why it must still pass; None where it must not.

    `loss` says that something was only left out: where the rest tells the same to the judge, it must still pass.
    """

    name: str
    change: Change
    equivalent: str | None = None
    loss: bool = False


@dataclass(frozen=True)
class Mutation:
    """A kind of change; `make` yields every mutant of it that a specimen has."""

    kind: str
    says: str
    make: Callable[[Specimen], Iterable[Mutant]]


REDUNDANT = "what is left tells the judge the same"
IGNORED = "the case's checks leave this tool out"
OWN = "no check of the case counts the program's own tools"
UNNAMED = "no check of the case names it"
RENDERING = "what a host shows of a result is its own rendering; the fixture's record is judged"


def on_host(tape: Tape) -> Change:
    """The change that puts a tape in the place of the host's records."""
    return {layout.HOST_RECORDS: tape.data()}


def on_wire(fixture: str, tape: Tape) -> Change:
    """The change that puts a tape in the place of a fixture's records."""
    return {layout.fixture_records(fixture): tape.data()}
