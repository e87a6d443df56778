"""Parts of reports that are equal, held once: the trials of an arm are told with the same few."""

from __future__ import annotations

from typing import Any, TypeVar

from skilltrial.model.part import Part

P = TypeVar("P", bound=Part)


class Shared:
    """The parts that were met, of the reports of one archive."""

    def __init__(self) -> None:
        self._met: dict[Part, Any] = {}

    def one(self, part: P) -> P:
        """The first part that was equal to this one."""
        first: P = self._met.setdefault(part, part)
        return first
