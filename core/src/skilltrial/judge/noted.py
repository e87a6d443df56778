"""A trial's records with the runner's notes among them, which are read once for all who ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from skilltrial.model.notes import Note, Spawned, notes
from skilltrial.model.records import Record


@dataclass(frozen=True, slots=True)
class Noted:
    """The host's records of one trial. `told` are those of the runner's that hold a note, each with it."""

    records: Sequence[Record]
    told: tuple[tuple[Record, Note], ...]

    @classmethod
    def of(cls, records: Sequence[Record]) -> Self:
        """Read the notes."""
        return cls(records, tuple(notes(records)))

    @property
    def notes(self) -> list[Note]:
        """The notes, in order."""
        return [note for _, note in self.told]

    @property
    def started(self) -> frozenset[int]:
        """The turns in which a program was started."""
        return frozenset(record.turn for record, note in self.told if isinstance(note, Spawned) and record.turn)
