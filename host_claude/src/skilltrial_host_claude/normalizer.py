"""The records of a Claude Code trial → its trajectory.

The event stream tells nearly all. The session log adds what prompts became (slash commands, files named with `@`) and
which instruction files there were; without it `Truncated(where="session_log")` says that this is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from skilltrial.api import (
    Cause,
    Ending,
    Event,
    Exited,
    Note,
    Notice,
    Owner,
    Record,
    SessionEnded,
    SkillPlaced,
    Source,
    Spawned,
    Truncated,
    TurnEnded,
    TurnSent,
    TurnStarted,
    Usage,
    ending_by_notes,
    notes,
)

from .calls import Calls
from .processes import Outcome, Process
from .reading import Stream, digest
from .sessionlog import row
from .skills import Skills
from .trail import At, Trail
from .usage import NOTHING, Count, running, used


@dataclass(frozen=True)
class ClaudeNormalizer:
    """Reads what `claude -p --output-format stream-json` prints, and its session log."""

    def normalize(self, records: Sequence[Record]) -> tuple[Event, ...]:
        """See NormalizerSpec. Goes through the records once: they may be many, and lie in a file."""
        conversation = _Conversation()
        told: list[Record] = []
        for record in records:
            if record.source is Source.RUNNER:
                told.append(record)
            conversation.record(record)
        conversation.over()
        ending, cause, owner = ending_by_notes(told) or conversation.outcome()
        conversation.trail.add(conversation.at, SessionEnded, ending=ending, cause=cause, owner=owner)
        return tuple(conversation.trail.events)


@dataclass
class _Conversation:
    trail: Trail = field(default_factory=Trail)
    skills: Skills = field(default_factory=Skills)
    done: list[Outcome] = field(default_factory=list)
    process: Process | None = None
    before: Count | None = NOTHING
    sent: int = 0
    at: At = field(default_factory=lambda: At(0, 0))

    def __post_init__(self) -> None:
        self.calls = Calls(self.trail, self.skills)
        self.stream = Stream(self.trail, self.skills, self.calls)

    def record(self, record: Record) -> None:
        self.at = At(record.seq, record.turn)
        match record.source:
            case Source.RUNNER:
                for _, note in notes((record,)):
                    self._note(note)
            case Source.STDOUT:
                self.stream.line(record, self._process())
            case Source.STDERR if record.raw.strip():
                self._process().told(record.raw)
                self.trail.add(self.at, Notice, text_sha256=digest(record.raw))
            case Source.SESSION_LOG:
                self._process().logged = True
                row(record, self.trail, self.skills)
            case _:
                pass

    def _note(self, note: Note) -> None:
        match note:
            case SkillPlaced():
                self.skills.placed.append(note)
            case TurnSent(turn=turn, prompt_sha256=prompt):
                self.sent += 1
                self.over()
                self.trail.add(At(self.at.seq, turn), TurnStarted, prompt_sha256=prompt)
            case Spawned():
                self.over()
                self.process = Process(self.at.turn)
            case Exited(code=code) if self.process is not None:
                self.process.code = code
            case _:
                pass

    def _process(self) -> Process:
        if self.process is None:
            # Output of a program that nobody started: records that are not whole.
            self.process = Process(self.at.turn, damaged=True)
        return self.process

    def over(self) -> None:
        """Close the process that was running, if one was."""
        process, self.process = self.process, None
        if process is None:
            return
        at = At(process.last or self.at.seq, process.turn)
        self.stream.over()
        self.calls.lost(at)
        self.calls.folders.clear()
        if process.inits and not process.logged:
            self.trail.add(at, Truncated, where="session_log")
        count = used(process.results, self.before)
        if count is not None:
            self.trail.add(at, Usage, **count.fields())
        if process.results:
            self.before = running(process.results)
        if process.answer is not None:
            self.trail.add(at, TurnEnded, answer=process.answer)
        self.done.append(process.outcome())

    def outcome(self) -> tuple[Ending, Cause | None, Owner | None]:
        """How the conversation ended: by the first process that failed, else by what is missing."""
        failed = next((outcome for outcome in self.done if outcome[0] is not Ending.COMPLETED), None)
        if failed is not None:
            return failed
        if not self.done or len(self.done) < self.sent:
            return Ending.INVALID_EVENTS, None, Owner.HOST
        return Ending.COMPLETED, None, None
