"""The record format `portable`: nothing that the program prints is understood, only that it ran and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skilltrial.api import (
    Cause,
    Ending,
    Event,
    Exited,
    Owner,
    Record,
    SessionEnded,
    SessionStarted,
    Spawned,
    TurnSent,
    TurnStarted,
    ending_by_notes,
    notes,
)


@dataclass(frozen=True)
class PortableNormalizer:
    """Reads the runner's notes. Output is kept in the records and never parsed."""

    def normalize(self, records: Sequence[Record]) -> Sequence[Event]:
        """See NormalizerSpec."""
        return (*_begun(records), _ended(records))


def _begun(records: Sequence[Record]) -> Iterator[Event]:
    started = False
    for record, note in notes(records):
        match note:
            case Spawned() if not started:
                started = True
                yield SessionStarted(seq=record.seq, turn=record.turn)
            case TurnSent(turn=turn, prompt_sha256=digest):
                yield TurnStarted(seq=record.seq, turn=turn, prompt_sha256=digest)
            case _:
                pass


def _ended(records: Sequence[Record]) -> SessionEnded:
    last = records[-1] if records else None
    ending, cause, owner = ending_by_notes(records) or _by_codes(records)
    return SessionEnded(
        seq=last.seq if last else 0, turn=last.turn if last else 0, ending=ending, cause=cause, owner=owner
    )


def _by_codes(records: Sequence[Record]) -> tuple[Ending, Cause | None, Owner | None]:
    """Completed where a program was started for each prompt and every one ended with 0."""
    told = [note for _, note in notes(records)]
    codes = [note.code for note in told if isinstance(note, Exited)]
    if any(codes):
        return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
    sent = sum(isinstance(note, TurnSent) for note in told)
    started = sum(isinstance(note, Spawned) for note in told)
    if not codes or len(codes) < max(sent, started):
        return Ending.INVALID_EVENTS, None, Owner.HOST
    return Ending.COMPLETED, None, None
