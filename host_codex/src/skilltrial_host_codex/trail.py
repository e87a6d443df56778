"""The events of a trial in the order in which they happened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from itertools import chain
from operator import itemgetter

from skilltrial.api import Event

_LAST = 1 << 62
Placed = tuple[int, Event]
"""An event, and the record behind which it stands."""
Steps = Callable[["Trail"], Iterator[None]]
"""Adds events to a trail step by step, each step behind those before it."""
_WHERE = itemgetter(0)


class Trail:
    """Collects events. The log is read after the program ended, so a record's number alone is no order.

    Where there are `many`, what `follow` is given is carried out only when its events are asked for.
    """

    def __init__(self, *, many: bool = False) -> None:
        self.many = many
        self._parts: list[Iterable[Placed]] = []
        self._found: list[Placed] = []

    def add(self, event: Event, after: int | None) -> None:
        """Put `event` behind all that belongs to record `after` so far; None: at the end."""
        self._found.append((_LAST if after is None else after, event))

    def follow(self, steps: Steps) -> None:
        """Add all that `steps` adds."""
        if self.many:
            self._parts += [self.taken(), _flowing(steps)]
        else:
            for _ in steps(self):
                pass

    def events(self) -> Iterator[Event]:
        """All events, in order."""
        if not self._parts:
            return (event for _, event in self.taken())
        return (event for _, event in merge(*self._parts, self.taken(), key=_WHERE))

    def taken(self) -> list[Placed]:
        """What was added since the last time, in order."""
        found, self._found = sorted(self._found, key=_WHERE), []
        return found


def _flowing(steps: Steps) -> Iterator[Placed]:
    trail = Trail()
    return chain.from_iterable(trail.taken() for _ in steps(trail))
