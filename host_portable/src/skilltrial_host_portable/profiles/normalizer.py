"""The record format `profile`: a program's own lines, read by the profile that lies among the records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue, ValidationError

from skilltrial.api import (
    Cause,
    Declared,
    Ending,
    Event,
    Exited,
    ModelRequested,
    Note,
    Owner,
    Record,
    SessionEnded,
    SessionStarted,
    SkillPlaced,
    SkillStep,
    Source,
    Spawned,
    Step,
    ToolRejected,
    ToolRequested,
    ToolResult,
    Truncated,
    TurnEnded,
    TurnSent,
    TurnStarted,
    Unrecognized,
    Usage,
    ending_by_notes,
    notes,
)
from skilltrial.causes import owner_of_cause

from .loads import Loads
from .mapping import Call, Failure, Meaning, NotALine, Tokens, meaning_of, read_line
from .profile import Profile

PROFILE = "profile"
"""The name under which a host puts the profile on record, with the path of the project and the servers offered."""


@dataclass(frozen=True)
class ProfileNormalizer:
    """Reads lines by rules that were put on record, so that a stranger can read them again without the file."""

    def normalize(self, records: Sequence[Record]) -> Iterator[Event]:
        """See NormalizerSpec."""
        return _events(records)


def _events(records: Iterable[Record]) -> Iterator[Event]:
    reading, told, last = _Reading(), list[Record](), None
    for record in records:
        last = record
        if record.source is Source.STDOUT:
            yield from reading.line(record)
        elif record.source is Source.RUNNER:
            told.append(record)
            for _, note in notes((record,)):
                yield from reading.note(record, note)
    ending, cause, owner = ending_by_notes(told) or reading.outcome()
    yield SessionEnded(
        seq=last.seq if last else 0, turn=last.turn if last else 0, ending=ending, cause=cause, owner=owner
    )


@dataclass
class _Process:
    """One process of the conversation: what its lines came to, and its exit code."""

    ended: bool = False
    failure: Failure | None = None
    code: int | None = None
    answer: list[str] = field(default_factory=list)
    tokens: Tokens | None = None


@dataclass
class _Reading:
    profile: Profile | None = None
    servers: tuple[str, ...] = ()
    loads: Loads = field(default_factory=lambda: Loads(()))
    processes: list[_Process] = field(default_factory=list)
    started: bool = False
    sent: int = 0
    damaged: bool = False

    def note(self, record: Record, note: Note) -> Iterator[Event]:
        match note:
            case Declared(name=name, value=value) if name == PROFILE and self.profile is None:
                self._declared(value)
            case SkillPlaced():
                self.loads.placed.append(note)
            case TurnSent(turn=turn, prompt_sha256=digest):
                self.sent += 1
                yield TurnStarted(seq=record.seq, turn=turn, prompt_sha256=digest)
            case Spawned():
                self.processes.append(_Process())
            case Exited(code=code) if self.processes:
                self.processes[-1].code = code
                yield from self._turn_over(record, self.processes[-1])
            case _:
                pass

    def _declared(self, value: JsonValue) -> None:
        given = value if isinstance(value, dict) else {}
        try:
            self.profile = Profile.model_validate(given.get("profile"))
        except ValidationError:
            return
        servers, project = given.get("servers"), given.get("project")
        self.servers = tuple(one for one in servers if isinstance(one, str)) if isinstance(servers, list) else ()
        self.loads = Loads(self.profile.loads, project if isinstance(project, str) else None, list(self.loads.placed))

    def line(self, record: Record) -> Iterator[Event]:
        if self.profile is None or not self.processes:
            self.damaged = True
            yield Unrecognized(seq=record.seq, turn=record.turn, why="no_profile")
            return
        try:
            value = read_line(record.raw)
        except NotALine as error:
            self.damaged = self.damaged or error.cut
            yield (
                Truncated(seq=record.seq, turn=record.turn, where="stdout")
                if error.cut
                else Unrecognized(seq=record.seq, turn=record.turn, why="not_json")
            )
            return
        meaning = meaning_of(value, self.profile, self.loads.folders())
        if meaning.missing:
            # What it would have told is missing, and a missing call must not look like a call that was not made.
            self.damaged = True
            yield Unrecognized(seq=record.seq, turn=record.turn, why="not_as_mapped")
        elif not meaning.known:
            yield Unrecognized(seq=record.seq, turn=record.turn)
        yield from self._told(record, meaning)

    def _told(self, record: Record, meaning: Meaning) -> Iterator[Event]:
        process, seq, turn = self.processes[-1], record.seq, record.turn
        if meaning.session and not self.started:
            self.started = True
            yield SessionStarted(seq=seq, turn=turn, session=meaning.session, version=meaning.version)
        if meaning.model:
            yield ModelRequested(seq=seq, turn=turn, model=meaning.model)
        for skill in meaning.loaded:
            yield SkillStep(seq=seq, turn=turn, skill=skill, step=Step.READ)
        for call in meaning.calls:
            process.answer.clear()
            tool, server = self._named(call)
            yield ToolRequested(seq=seq, turn=turn, call=call.id, tool=tool, server=server, input=call.input)
            for skill, step in self.loads.called(call.id, call.tool, call.input):
                yield SkillStep(seq=seq, turn=turn, skill=skill, step=step)
        for rejected, reason in meaning.rejected:
            yield ToolRejected(seq=seq, turn=turn, call=rejected, reason=reason)  # type: ignore[arg-type]
        for result in meaning.results:
            yield ToolResult(seq=seq, turn=turn, call=result.id, content=result.content, is_error=result.failed)
            if self.loads.doubtful(result.id, result.content, failed=result.failed):
                self.damaged = True
                yield Unrecognized(seq=seq, turn=turn, why="skill_of_another_place")
            for skill, step in self.loads.returned(result.id, result.content, failed=result.failed):
                yield SkillStep(seq=seq, turn=turn, skill=skill, step=step)
        process.answer.extend(meaning.answer)
        if meaning.tokens:
            process.tokens = process.tokens.plus(meaning.tokens) if process.tokens else meaning.tokens
        if meaning.failure:
            process.failure, process.ended = meaning.failure, False
        if meaning.ends:
            process.failure, process.ended = None, True

    def _turn_over(self, record: Record, process: _Process) -> Iterator[Event]:
        if process.tokens:
            used = process.tokens
            yield Usage(
                seq=record.seq, turn=record.turn, input=used.input, output=used.output, cached=used.cached,
                reasoning=used.reasoning, cost=used.cost,
            )  # fmt: skip
        if process.ended:
            yield TurnEnded(seq=record.seq, turn=record.turn, answer="".join(process.answer) if self._answers else None)

    @property
    def _answers(self) -> bool:
        return self.profile is not None and any(rule.answer is not None for rule in self.profile.lines)

    def _named(self, call: Call) -> tuple[str, str | None]:
        """The tool's own name and its server, where the name is one of those that servers' tools get."""
        servers = self.profile.mcp if self.profile else None
        for server in sorted(self.servers, key=len, reverse=True) if servers else ():
            before, _, after = servers.tool.replace("{server}", server).partition("{tool}") if servers else ("", "", "")
            if call.tool.startswith(before) and call.tool.endswith(after) and len(call.tool) > len(before + after):
                return call.tool[len(before) : len(call.tool) - len(after)], server
        return call.tool, None

    def outcome(self) -> tuple[Ending, Cause | None, Owner | None]:
        """How the conversation ended. A failure that was told beats exit codes; what is missing is never a success."""
        for process in self.processes:
            if process.failure is not None:
                return Ending.HOST_FAILED, process.failure.cause, owner_of_cause(process.failure.cause)
        if any(process.code for process in self.processes):
            return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
        whole = all(process.ended and process.code == 0 for process in self.processes)
        if self.damaged or not self.processes or not whole or len(self.processes) < self.sent:
            return Ending.INVALID_EVENTS, None, Owner.HOST
        if self._answers and not all("".join(process.answer).strip() for process in self.processes):
            return Ending.HOST_FAILED, Cause.EMPTY, owner_of_cause(Cause.EMPTY)
        return Ending.COMPLETED, None, None
