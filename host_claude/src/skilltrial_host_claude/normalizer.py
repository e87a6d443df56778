"""The records of a Claude Code trial → its trajectory.

The event stream tells nearly all. The session log adds what prompts became (slash commands, files named with `@`) and
which instruction files there were; without it `Truncated(where="session_log")` says that this is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from skilltrial.api import (
    Cause,
    Ending,
    Event,
    Note,
    Notice,
    Owner,
    Record,
    SessionEnded,
    Source,
    Truncated,
    TurnEnded,
    TurnStarted,
    Usage,
    ending_by,
    note_of,
)

from .calls import Calls
from .lines import Object
from .plugin import Installed
from .processes import Outcome, Process
from .reading import Stream, digest
from .sessionlog import row
from .skills import Skills
from .trail import At, Trail
from .usage import NOTHING, running, used

_STDOUT, _STDERR, _LOG, _RUNNER = Source.STDOUT, Source.STDERR, Source.SESSION_LOG, Source.RUNNER
"""Looked up once: in Python 3.11 a member of an enumeration costs as much as a call."""
_MANY = 100
"""More events than these are not held."""


@dataclass(frozen=True)
class ClaudeNormalizer:
    """Reads what `claude -p --output-format stream-json` prints, and its session log."""

    def normalize(self, records: Sequence[Record]) -> Iterator[Event]:
        """See NormalizerSpec. Goes through the records once; of a call that is over only its place is kept."""
        conversation = _Conversation(records)
        trail = conversation.trail
        for place, record in enumerate(records):
            conversation.record(record, place)
            if len(trail.events) > _MANY:
                yield from trail.taken()
        conversation.over()
        ending, cause, owner = ending_by(conversation.told) or conversation.outcome()
        trail.add(SessionEnded(seq=conversation.seq, turn=conversation.turn, ending=ending, cause=cause, owner=owner))
        yield from trail.taken()


@dataclass
class _Conversation:
    records: Sequence[Record]
    trail: Trail = field(default_factory=Trail)
    skills: Skills = field(default_factory=Skills)
    plugin: Installed = field(default_factory=Installed)
    done: list[Outcome] = field(default_factory=list)
    process: Process | None = None
    counted: Sequence[Object] = ()
    """The results of the process before, which count what the conversation has used."""
    sent: int = 0
    told: list[Note] = field(default_factory=list)
    """The runner's notes."""
    seq: int = 0
    turn: int = 0
    """Of the last record."""

    def __post_init__(self) -> None:
        self.calls = Calls(self.trail, self.skills, self.plugin, self.records)
        self.stream = Stream(self.trail, self.skills, self.calls, self.plugin)

    def record(self, record: Record, place: int) -> None:
        self.seq, self.turn = record.seq, record.turn
        source = record.source
        if source is _STDOUT:
            self.stream.line(record, place, self.process or self._process())
        elif source is _LOG:
            (self.process or self._process()).logged = True
            row(record, self.trail, self.skills)
        elif source is _RUNNER:
            note = note_of(record)
            if note is not None:
                self.told.append(note)
                self._note(note)
        elif source is _STDERR and record.raw.strip():
            self._process().told(record.raw)
            self.trail.add(Notice(seq=self.seq, turn=self.turn, text_sha256=digest(record.raw)))

    def _note(self, note: Note) -> None:
        # By its word: whether a note is of a class is asked of pydantic, which takes its time.
        if note.note == "skill_placed":
            self.skills.placed.append(note)
        elif note.note == "plugin_placed":
            self.plugin.placed(note)
        elif note.note == "turn_sent":
            self.sent += 1
            self.over()
            self.trail.add(TurnStarted(seq=self.seq, turn=note.turn, prompt_sha256=note.prompt_sha256))
        elif note.note == "spawned":
            self.over()
            self.process = Process(self.turn, logs="--no-session-persistence" not in note.argv)
        elif note.note == "exited" and self.process is not None:
            self.process.code = note.code

    def _process(self) -> Process:
        if self.process is None:
            # Output of a program that nobody started: records that are not whole.
            self.process = Process(self.turn, damaged=True)
        return self.process

    def over(self) -> None:
        """Close the process that was running, if one was."""
        process, self.process = self.process, None
        if process is None:
            return
        at = At(process.last or self.seq, process.turn)
        self.stream.over()
        self.calls.lost(at)
        self.calls.folders.clear()
        if process.inits and not process.logged:
            self.trail.add(Truncated(seq=at.seq, turn=at.turn, where="session_log"))
        count = used(process.results, running(self.counted) if self.counted else NOTHING)
        if count is not None:
            given, made, cached, reasoning, cost = count
            self.trail.add(
                Usage(
                    seq=at.seq,
                    turn=at.turn,
                    input=given,
                    output=made,
                    cached=cached,
                    reasoning=reasoning,
                    cost=cost,
                )
            )
        if process.results:
            self.counted = process.results
        answer = process.answer
        if answer is not None:
            self.trail.add(TurnEnded(seq=at.seq, turn=at.turn, answer=answer))
        self.done.append(process.outcome(answer))

    def outcome(self) -> tuple[Ending, Cause | None, Owner | None]:
        """How the conversation ended: by the first process that failed, else by what is missing."""
        failed = next((outcome for outcome in self.done if outcome[0] is not Ending.COMPLETED), None)
        if failed is not None:
            return failed
        if not self.done or len(self.done) < self.sent:
            return Ending.INVALID_EVENTS, None, Owner.HOST
        return Ending.COMPLETED, None, None
