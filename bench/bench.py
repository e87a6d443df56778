"""What every row gets: the workshop, and how much time it may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .workshop import Workshop

Effort = Literal["quick", "usual", "full"]


@dataclass(frozen=True, slots=True)
class Bench:
    """`effort` is `quick` (under a minute in all), `usual` (under four) or `full` (as long as it takes)."""

    shop: Workshop
    effort: Effort

    def of(self, quick: int, usual: int, full: int) -> int:
        """The number for this effort: repetitions, or a size."""
        return {"quick": quick, "usual": usual, "full": full}[self.effort]
