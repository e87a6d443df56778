"""The record format `portable`: nothing that the program prints is understood, only that it ran and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skilltrial.api import (
    Cause,
    Ending,
    Event,
    Exited,
    Note,
    Owner,
    Record,
    SessionEnded,
    SessionStarted,
    Source,
    Spawned,
    TurnSent,
    TurnStarted,
    ending_by,
    note_of,
)


@dataclass(frozen=True)
class PortableNormalizer:
    """Reads the runner's notes. Output is kept in the records and never parsed."""

    def normalize(self, records: Sequence[Record]) -> Iterator[Event]:
        """See NormalizerSpec. Goes through the records once and holds only the notes."""
        told: list[Note] = []
        last = None
        for record in records:
            last = record
            note = note_of(record) if record.source is Source.RUNNER else None
            if note is None:
                continue
            match note:
                case Spawned() if not any(isinstance(each, Spawned) for each in told):
                    yield SessionStarted(seq=record.seq, turn=record.turn)
                case TurnSent(turn=turn, prompt_sha256=digest):
                    yield TurnStarted(seq=record.seq, turn=turn, prompt_sha256=digest)
                case _:
                    pass
            told.append(note)
        ending, cause, owner = ending_by(told) or _by_codes(told)
        seq, turn = (last.seq, last.turn) if last else (0, 0)
        yield SessionEnded(seq=seq, turn=turn, ending=ending, cause=cause, owner=owner)


def _by_codes(told: Sequence[Note]) -> tuple[Ending, Cause | None, Owner | None]:
    """Completed where a program was started for each prompt and every one ended with 0."""
    codes = [note.code for note in told if isinstance(note, Exited)]
    if any(codes):
        return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
    sent = sum(isinstance(note, TurnSent) for note in told)
    started = sum(isinstance(note, Spawned) for note in told)
    if not codes or len(codes) < max(sent, started):
        return Ending.INVALID_EVENTS, None, Owner.HOST
    return Ending.COMPLETED, None, None
