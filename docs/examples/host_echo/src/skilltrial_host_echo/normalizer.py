"""What the records of the host `echo` mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from skilltrial.api import (
    Cause,
    Ending,
    Event,
    Owner,
    Record,
    SessionEnded,
    Source,
    TurnEnded,
    TurnSent,
    TurnStarted,
    Unrecognized,
    ending_by_notes,
    exit_codes,
    notes,
)

SAYS = "echo: "


@dataclass(frozen=True)
class EchoNormalizer:
    """Reads what sed said: lines that begin with `echo: ` are the answer."""

    def normalize(self, records: Sequence[Record]) -> Sequence[Event]:
        records = tuple(records)
        events: list[Event] = []
        answer: list[Record] = []
        for record, note in notes(records):
            if isinstance(note, TurnSent):
                events.append(TurnStarted(seq=record.seq, turn=note.turn, prompt_sha256=note.prompt_sha256))
        for record in records:
            if record.source is Source.STDOUT and record.raw.startswith(SAYS):
                answer.append(record)
            elif record.source is Source.STDOUT:
                events.append(Unrecognized(seq=record.seq, turn=record.turn))
        if answer:
            text = "\n".join(record.raw.removeprefix(SAYS) for record in answer)
            events.append(TurnEnded(seq=answer[0].seq, turn=answer[0].turn, answer=text))
        last = records[-1] if records else None
        ending, cause, owner = ending_by_notes(records) or _ended(exit_codes(records), answered=bool(answer))
        events.append(
            SessionEnded(
                seq=last.seq if last else 0, turn=last.turn if last else 0, ending=ending, cause=cause, owner=owner
            )
        )
        return events


def _ended(codes: tuple[int, ...], *, answered: bool) -> tuple[Ending, Cause | None, Owner | None]:
    if any(codes):
        return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
    if not codes or not answered:
        return Ending.INVALID_EVENTS, None, Owner.HOST
    return Ending.COMPLETED, None, None
