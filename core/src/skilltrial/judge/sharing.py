"""Parts of reports that are equal, held once: the trials of an arm are told with the same few."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeVar

T = TypeVar("T", bound=Hashable)


class Shared:
    """The parts that were met, of the reports of one archive."""

    def __init__(self) -> None:
        self._met: dict[Hashable, Any] = {}

    def one(self, part: T) -> T:
        """The first part that was equal to this one."""
        first: T = self._met.setdefault(part, part)
        return first
