"""Records without an archive."""

from __future__ import annotations

import threading

from skilltrial.model.notes import as_raw
from skilltrial.model.part import Part
from skilltrial.model.records import Record
from skilltrial.model.words import Source


class MemoryRecorder:
    """Keeps records in a list, numbered as an archive would. Safe from any thread; time stands still at 0."""

    def __init__(self) -> None:
        self.turn = 0
        self.records: list[Record] = []
        self._lock = threading.Lock()

    def record(self, source: Source, *lines: str) -> None:
        """Keep these lines."""
        with self._lock:
            for raw in lines:
                self.records.append(Record(len(self.records) + 1, 0.0, source, self.turn, raw))

    def note(self, note: Part) -> None:
        """Keep a fact of the runner's."""
        self.record(Source.RUNNER, as_raw(note))


def records(*lines: tuple[Source, str] | Part, turn: int = 1) -> tuple[Record, ...]:
    """Records of these lines and notes, in order: what a normalizer gets."""
    recorder = MemoryRecorder()
    recorder.turn = turn
    for line in lines:
        if isinstance(line, Part):
            recorder.note(line)
        else:
            recorder.record(*line)
    return tuple(recorder.records)
