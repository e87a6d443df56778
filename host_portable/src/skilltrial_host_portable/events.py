"""The record format `events`: a program that prints skilltrial's own events, one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from skilltrial.api import (
    Cause,
    Ending,
    Event,
    Exited,
    Note,
    Owner,
    Record,
    SessionEnded,
    SkillPlaced,
    SkillStep,
    Source,
    Spawned,
    TurnSent,
    TurnStarted,
    Unrecognized,
    ending_by,
    note_of,
)
from skilltrial.causes import owner_of_cause

from .lines import Damaged, read

Outcome = tuple[Ending, Cause | None, Owner | None]


@dataclass(frozen=True)
class EventsNormalizer:
    """Takes the program at its word about what it did, never about which skill it was or how its process ended."""

    def normalize(self, records: Sequence[Record]) -> Iterator[Event]:
        """See NormalizerSpec. Goes through the records once and holds none of them."""
        reading, last = _Reading(), None
        for record in records:
            last = record
            if record.source is Source.STDOUT:
                reading.line(record)
            elif (note := note_of(record) if record.source is Source.RUNNER else None) is not None:
                reading.note(record, note)
            if reading.events:
                yield from reading.taken()
        ending, cause, owner = ending_by(reading.notes) or reading.outcome()
        seq, turn = (last.seq, last.turn) if last else (0, 0)
        yield SessionEnded(seq=seq, turn=turn, ending=ending, cause=cause, owner=owner)


@dataclass
class _Process:
    """One process of the conversation: how it said that it ended, and how it did."""

    said: SessionEnded | None = None
    code: int | None = None


@dataclass
class _Reading:
    events: list[Event] = field(default_factory=list)
    """Those that nobody took yet."""
    notes: list[Note] = field(default_factory=list)
    placed: dict[tuple[str, str], str] = field(default_factory=dict)
    """(path of a SKILL.md, its digest) → the suite's skill."""
    processes: list[_Process] = field(default_factory=list)
    sent: int = 0
    damaged: bool = False

    def taken(self) -> list[Event]:
        events, self.events = self.events, []
        return events

    def note(self, record: Record, note: Note) -> None:
        self.notes.append(note)
        match note:
            case SkillPlaced(skill=skill, path=path, body_sha256=digest):
                self.placed[f"{path}/SKILL.md", digest] = skill
            case TurnSent(turn=turn, prompt_sha256=digest):
                self.sent += 1
                self.events.append(TurnStarted(seq=record.seq, turn=turn, prompt_sha256=digest))
            case Spawned():
                self.processes.append(_Process())
            case Exited(code=code) if self.processes:
                self.processes[-1].code = code
            case _:
                pass

    def line(self, record: Record) -> None:
        try:
            told = read(record)
        except Damaged as error:
            # What it would have told is missing, and a missing call must not look like a call that was not made.
            self.damaged = True
            self.events.append(Unrecognized(seq=record.seq, turn=record.turn, why=f"damaged_{error}"))
            return
        match told.event:
            case SessionEnded() as ended:
                self._ended(ended)
            case SkillStep() as step:
                skill = self.placed.get(told.claim) if told.claim else None
                self.events.append(
                    replace(step, skill=skill)
                    if skill
                    else Unrecognized(seq=record.seq, turn=record.turn, why="not_a_placed_skill")
                )
            case event:
                self.events.append(event)

    def _ended(self, ended: SessionEnded) -> None:
        """Remember how a process said it ended. A failure that it told once is not taken back by a later line."""
        if not self.processes:
            self.damaged = True
        elif self.processes[-1].said is None or self.processes[-1].said.ending is Ending.COMPLETED:
            self.processes[-1].said = ended

    def outcome(self) -> Outcome:
        """How the conversation ended. A failure that was told beats exit codes; what is missing is never a success."""
        for process in self.processes:
            if process.said is not None and process.said.ending is Ending.HOST_FAILED:
                cause = process.said.cause or Cause.UNCLASSIFIED
                return Ending.HOST_FAILED, cause, owner_of_cause(cause)
        if any(process.code for process in self.processes):
            return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
        whole = all(process.said is not None and process.code == 0 for process in self.processes)
        if self.damaged or not self.processes or not whole or len(self.processes) < self.sent:
            return Ending.INVALID_EVENTS, None, Owner.HOST
        return Ending.COMPLETED, None, None
