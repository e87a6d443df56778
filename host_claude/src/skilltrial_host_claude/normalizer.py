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
    Exited,
    Note,
    Notice,
    Owner,
    PluginPlaced,
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
    ending_by,
    note_of,
)

from .calls import Calls
from .plugin import Installed
from .processes import Outcome, Process
from .reading import Stream, digest
from .sessionlog import row
from .skills import Skills
from .trail import At, Trail
from .usage import NOTHING, Count, running, used


@dataclass(frozen=True)
class ClaudeNormalizer:
    """Reads what `claude -p --output-format stream-json` prints, and its session log."""

    def normalize(self, records: Sequence[Record]) -> Iterator[Event]:
        """See NormalizerSpec. Goes through the records once; of a call that is over only its place is kept."""
        conversation = _Conversation(records)
        trail = conversation.trail
        for place, record in enumerate(records):
            conversation.record(record, place)
            if trail.events:
                yield from trail.taken()
        conversation.over()
        ending, cause, owner = ending_by(conversation.told) or conversation.outcome()
        trail.add(conversation.at, SessionEnded, ending=ending, cause=cause, owner=owner)
        yield from trail.taken()


@dataclass
class _Conversation:
    records: Sequence[Record]
    trail: Trail = field(default_factory=Trail)
    skills: Skills = field(default_factory=Skills)
    plugin: Installed = field(default_factory=Installed)
    done: list[Outcome] = field(default_factory=list)
    process: Process | None = None
    before: Count | None = NOTHING
    sent: int = 0
    told: list[Note] = field(default_factory=list)
    """The runner's notes."""
    at: At = field(default_factory=lambda: At(0, 0))

    def __post_init__(self) -> None:
        self.calls = Calls(self.trail, self.skills, self.plugin, self.records)
        self.stream = Stream(self.trail, self.skills, self.calls, self.plugin)

    def record(self, record: Record, place: int) -> None:
        self.at = At(record.seq, record.turn)
        source = record.source
        if source is Source.STDOUT:
            self.stream.line(record, place, self._process())
        elif source is Source.SESSION_LOG:
            self._process().logged = True
            row(record, self.trail, self.skills)
        elif source is Source.RUNNER:
            note = note_of(record)
            if note is not None:
                self.told.append(note)
                self._note(note)
        elif source is Source.STDERR and record.raw.strip():
            self._process().told(record.raw)
            self.trail.add(self.at, Notice, text_sha256=digest(record.raw))

    def _note(self, note: Note) -> None:
        match note:
            case SkillPlaced():
                self.skills.placed.append(note)
            case PluginPlaced():
                self.plugin.placed(note)
            case TurnSent(turn=turn, prompt_sha256=prompt):
                self.sent += 1
                self.over()
                self.trail.add(At(self.at.seq, turn), TurnStarted, prompt_sha256=prompt)
            case Spawned(argv=argv):
                self.over()
                self.process = Process(self.at.turn, logs="--no-session-persistence" not in argv)
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
            self.trail.add(at, Usage, **count._asdict())
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
