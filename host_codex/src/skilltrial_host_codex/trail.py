"""The events of a trial in the order in which they happened."""

from __future__ import annotations

from skilltrial.api import Event

_LAST = 1 << 62


class Trail:
    """Collects events. The log is read after the program ended, so a record's number alone is no order."""

    def __init__(self) -> None:
        self._found: list[tuple[int, Event]] = []

    def add(self, event: Event, after: int | None) -> None:
        """Put `event` behind all that belongs to record `after` so far; None: at the end."""
        self._found.append((_LAST if after is None else after, event))

    def events(self) -> tuple[Event, ...]:
        """All events, in order."""
        return tuple(event for _, event in sorted(self._found, key=lambda found: found[0]))
