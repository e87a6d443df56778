"""The events of a trial: held where its records are, else told anew each time somebody goes through them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import overload

from pydantic import JsonValue

from skilltrial.model.events import Event, ToolResult
from skilltrial.model.records import Record
from skilltrial.plugins.facades import NormalizerFacade, told

from .records import RecordFile


class Trajectory(Sequence[Event]):
    """Events that `tell` gives, the same every time, and that nobody holds."""

    def __init__(self, tell: Callable[[], Iterator[Event]]) -> None:
        self._tell = tell
        self._length: int | None = None

    def __iter__(self) -> Iterator[Event]:
        """All of them, in order."""
        return self._tell()

    def __len__(self) -> int:
        """How many there are."""
        if self._length is None:
            self._length = sum(1 for _ in self)
        return self._length

    @overload
    def __getitem__(self, at: int) -> Event: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Event]: ...
    def __getitem__(self, at: int | slice) -> Event | Sequence[Event]:
        """One of them, or some."""
        if isinstance(at, slice):
            return tuple(islice(self, *at.indices(len(self)))) if (at.step or 1) > 0 else tuple(self)[at]
        place = at if at >= 0 else len(self) + at
        found = next(islice(self, place, None), None) if place >= 0 else None
        if found is None:
            raise IndexError(at)
        return found


def trajectory(normalizer: NormalizerFacade, records: Sequence[Record]) -> Sequence[Event]:
    """What the normalizer makes of `records`. Raises what it raises, later too where the records lie in a file."""
    if isinstance(records, RecordFile):
        return Trajectory(lambda: told(normalizer, records))
    return normalizer.normalize(records)


def chosen(events: Sequence[Event], choose: Callable[[Event], bool]) -> Sequence[Event]:
    """The events for which `choose` holds: held where `events` are."""
    if isinstance(events, Trajectory):
        return Trajectory(lambda: filter(choose, iter(events)))
    return tuple(filter(choose, events))


class Recalled(ToolResult):
    """A result whose content is asked of its trajectory each time."""

    __slots__ = ("_recall",)
    _recall: Callable[[], ToolResult]

    @classmethod
    def of(cls, result: ToolResult, recall: Callable[[], ToolResult]) -> Recalled:
        """`result` without its content, which `recall` gives."""
        made = object.__new__(cls)
        for name in ("seq", "turn", "agent", "call", "is_error"):
            object.__setattr__(made, name, getattr(result, name))
        object.__setattr__(made, "_recall", recall)
        return made

    @property
    def content(self) -> JsonValue:
        """What the call returned."""
        return self._recall().content


def recallable(events: Sequence[Event]) -> Sequence[Event]:
    """The events, to be held: of a long trajectory each result leaves its content where it is."""
    if not isinstance(events, Trajectory):
        return events
    memory = _Memory(events)
    return tuple(
        Recalled.of(event, partial(memory.result, at)) if isinstance(event, ToolResult) else event
        for at, event in enumerate(events)
    )


class _Memory:
    """Results by their number in a trajectory. Asked for in order, they cost one walk."""

    def __init__(self, events: Trajectory) -> None:
        self._events = events
        self._walk: Iterator[tuple[int, Event]] = iter(())
        self._next = 0
        self._last: tuple[int, ToolResult] | None = None

    def result(self, number: int) -> ToolResult:
        """The event of that number."""
        if self._last is not None and self._last[0] == number:
            return self._last[1]
        if number < self._next or self._next == 0:
            self._walk = enumerate(self._events)
        at, event = next(each for each in self._walk if each[0] == number)
        if not isinstance(event, ToolResult):
            raise TypeError(f"event {at} was a result, and is now {type(event).__name__}: the normalizer is not pure")
        self._next, self._last = at + 1, (at, event)
        return event
