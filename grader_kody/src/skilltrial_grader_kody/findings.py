"""What a rule found in a case."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that is broken; or, where not `certain`, one of which the evidence does not say whether it is."""

    rule: str
    text: str
    certain: bool = True

    def __str__(self) -> str:
        return f"{self.rule}: {self.text}" if self.certain else f"{self.rule} (undecidable): {self.text}"
