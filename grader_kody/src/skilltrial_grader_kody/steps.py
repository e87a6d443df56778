"""The events of a case, shrunk to what rules ask of them: payloads are compared and let go as they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from .jsontext import same
from .transcript import AnyEvent, Exact, Invocation, Search
from .words import Action

F = TypeVar("F")
F_co = TypeVar("F_co", covariant=True)


class Step(NamedTuple, Generic[F]):
    """One event. `number` counts from 1; `seen` is what the profile found in it.

    `exact` is the entity that a search found to do the job; `target` the one that an invocation names. `differs`: its
    payload is not that of the first event with the same call id.
    """

    number: int
    call: str
    action: Action
    execute: bool
    failed: bool
    exact: str | None
    target: str | None
    differs: bool
    seen: F


class Look(Protocol[F_co]):
    """How a profile looks at an event."""

    def __call__(self, event: AnyEvent) -> F_co:
        """What the rules of the profile will ask of this event."""


ACTIONS = {action.value: action for action in Action}


class Ledger:
    """The first payload of each call id in a case, by its place; read again only where the id comes again."""

    def __init__(self, again: Callable[[int], AnyEvent]) -> None:
        self._again = again
        self._first: dict[str, int] = {}
        self._payloads: dict[str, list[Any]] = {}

    def differs(self, event: AnyEvent, place: int) -> bool:
        """Whether the payload of an event is another than the first of its call id."""
        call = event.callId
        first = self._first.setdefault(call, place)
        if first == place:
            return False
        if call not in self._payloads:
            self._payloads[call] = payload(self._again(first))
        return not same(self._payloads[call], payload(event))


def payload(event: AnyEvent) -> list[Any]:
    """Input and output, as they are compared. A key `__proto__` of the input is not one."""
    return [{key: value for key, value in event.input.items() if key != "__proto__"}, event.output]


def step(number: int, event: AnyEvent, differs: bool, seen: F) -> Step[F]:
    """An event as a step."""
    execute, exact, target = event.toolName == "execute", None, None
    if execute:
        if isinstance(event, Invocation):
            target = event.targetEntityId
    elif isinstance(event, Search) and isinstance(event.match, Exact):
        exact = event.match.entityId
    action = ACTIONS[event.action]
    return Step(number, event.callId, action, execute, event.status == "failed", exact, target, differs, seen)


def steps(events: Iterator[tuple[int, AnyEvent]], again: Callable[[int], AnyEvent], look: Look[F]) -> list[Step[F]]:
    """The steps of one case. `events` come with their places, by which `again` can give them a second time."""
    ledger = Ledger(again)
    return [
        step(number, event, ledger.differs(event, place), look(event))
        for number, (place, event) in enumerate(events, start=1)
    ]
