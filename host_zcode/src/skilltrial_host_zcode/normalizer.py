"""The record format `zcode`: what `zcode app-server` and the bridge said to each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from skilltrial.api import (
    Cause,
    Declared,
    Ending,
    Event,
    Exited,
    ModelRequested,
    Note,
    Offered,
    Owner,
    PluginPlaced,
    Record,
    Retry,
    SessionEnded,
    SessionStarted,
    SkillPlaced,
    SkillStep,
    Source,
    Spawned,
    Truncated,
    TurnEnded,
    TurnSent,
    TurnStarted,
    Unrecognized,
    Usage,
    ending_by_notes,
    notes,
)

from . import causes
from .calls import At, Calls
from .lines import Object, inner, number, several, text
from .naming import Names
from .plugin import ASKED, Installed
from .skills import Skills
from .talking import NotALine, Talking, Told

DECLARED = "zcode"
"""The name under which the host puts on record which servers a session got, where it works, and in which version."""


@dataclass(frozen=True)
class ZcodeNormalizer:
    """Reads the conversation with `zcode app-server`; made from its documentation, not from recordings of it."""

    def normalize(self, records: Sequence[Record]) -> Sequence[Event]:
        """See NormalizerSpec."""
        return tuple(_events(records))


def _events(records: Iterable[Record]) -> Iterator[Event]:
    reading, told, last = _Reading(), list[Record](), None
    for record in records:
        last = record
        if record.source is Source.STDOUT:
            yield from reading.line(record)
        elif record.source is Source.STDERR:
            reading.complained(record)
        elif record.source is Source.RUNNER:
            told.append(record)
            for _, note in notes((record,)):
                yield from reading.note(record, note)
    seq, turn = (last.seq, last.turn) if last else (0, 0)
    yield from reading.over(At(seq, turn))
    ending, cause, owner = ending_by_notes(told) or reading.outcome()
    yield SessionEnded(seq=seq, turn=turn, ending=ending, cause=cause, owner=owner)


@dataclass
class _Process:
    """One process of the conversation."""

    calls: Calls
    talking: Talking = field(default_factory=Talking)
    failure: causes.Failure | None = None
    refusal: Object = field(default_factory=dict)
    """The last error that came back for a request of ours."""
    code: int | None = None
    plugin: Installed | None = None
    last: int | None = None
    """The number of the last event; None before the session was subscribed to."""
    complaints: list[str] = field(default_factory=list)

    @property
    def completed(self) -> bool:
        """Whether the program ended the turn as turns should, and itself."""
        following = self.talking.following
        return self.code == 0 and following is not None and following.completed

    @property
    def answer(self) -> str:
        """The last word of the turn."""
        following = self.talking.following
        return (text(following.end or {}, "response") or "") if following is not None else ""


@dataclass
class _Reading:
    names: Names = field(default_factory=Names)
    skills: Skills = field(default_factory=Skills)
    processes: list[_Process] = field(default_factory=list)
    plugin: PluginPlaced | None = None
    version: str | None = None
    session: str | None = None
    sent: int = 0
    damaged: bool = False

    def note(self, record: Record, note: Note) -> Iterator[Event]:
        match note:
            case Declared(name=name, value=dict(value)) if name == DECLARED:
                self._declared(value)
            case SkillPlaced():
                self.skills.placed.append(note)
            case PluginPlaced():
                self.plugin = note
                self.names.plugin = self.skills.plugin = note.plugin
            case TurnSent(turn=turn, prompt_sha256=digest):
                self.sent += 1
                yield TurnStarted(seq=record.seq, turn=turn, prompt_sha256=digest)
            case Spawned():
                yield from self.over(At(record.seq, record.turn))
                plugin = Installed(self.plugin) if self.plugin is not None else None
                self.processes.append(_Process(Calls(self.names, self.skills), plugin=plugin))
            case Exited(code=code) if self.processes:
                self.processes[-1].code = code
            case _:
                pass

    def _declared(self, value: dict[str, JsonValue]) -> None:
        self.version, self.skills.project = text(value, "version"), text(value, "project") or "/"
        servers = inner(value, "servers")
        self.names.servers = {
            name: tuple(tool for tool in several(servers, name) if isinstance(tool, str)) for name in servers
        }

    def complained(self, record: Record) -> None:
        """A line of standard error: it tells why a program did not start."""
        if self.processes and len(self.processes[-1].complaints) < 20:
            self.processes[-1].complaints.append(record.raw)

    def over(self, at: At) -> Iterator[Event]:
        """The last process so far tells no more."""
        if self.processes and self.processes[-1].failure is None:
            yield from self.processes[-1].calls.over(at)
            if self.processes[-1].completed and not self.processes[-1].talking.whole:
                yield self._fault(at, "question_not_answered")

    def line(self, record: Record) -> Iterator[Event]:
        at = At(record.seq, record.turn)
        if not self.processes:
            yield self._fault(at, "no_process")
            return
        process = self.processes[-1]
        try:
            told = process.talking.read(record.raw)
        except NotALine as error:
            self.damaged = self.damaged or error.cut
            yield (
                Truncated(seq=at.seq, turn=at.turn, where="stdout")
                if error.cut
                else Unrecognized(seq=at.seq, turn=at.turn, why="not_a_message")
            )
            return
        yield from self._told(at, process, told)

    def _told(self, at: At, process: _Process, told: Told) -> Iterator[Event]:
        match told.kind:
            case "answered":
                yield from self._answered(at, process, told)
            case "refused":
                # Whether that ended the turn says the bridge: some are tried again, some are not needed.
                process.refusal = told.body
            case "event":
                yield from self._event(at, process, told)
            case "decided":
                yield from process.calls.answered(at, told.body, told.word)
            case "fault":
                process.failure = process.failure or _failure(process, told.word)
            case "alone":
                yield self._fault(at, "answer_to_nothing")
            case "unknown":
                yield Unrecognized(seq=at.seq, turn=at.turn, why="message_unknown")
            case _:
                pass

    def _answered(self, at: At, process: _Process, told: Told) -> Iterator[Event]:
        """An answer to a request of ours."""
        if process.plugin is not None and told.word in ASKED:
            process.plugin.told[told.word] = told.body
            if told.word == ASKED[-1]:
                yield process.plugin.found(at.seq, at.turn)
        match told.word:
            case "session/create" | "session/resume":
                yield from self._opened(at, process, told.body)
            case "session/subscribe":
                process.last = number(told.body, "eventSeq")
                if process.last is None:
                    yield self._fault(at, "no_event_number")
            case "skills/referenceCatalog":
                names = (text(one, "name") for one in several(told.body, "skills"))
                yield Offered(seq=at.seq, turn=at.turn, skills=tuple(sorted({name for name in names if name})))
                for skill, step in self.skills.offered(told.body):
                    yield SkillStep(seq=at.seq, turn=at.turn, skill=skill, step=step)
            case _:
                pass

    def _opened(self, at: At, process: _Process, snapshot: Object) -> Iterator[Event]:
        session = process.talking.session
        if self.session is None:
            self.session = session
            model = text(inner(inner(inner(snapshot, "settings"), "model"), "current"), "modelId")
            model = model or text(inner(inner(snapshot, "session"), "model"), "modelId")
            yield SessionStarted(seq=at.seq, turn=at.turn, session=session, version=self.version, model=model)
        told = text(inner(snapshot, "session"), "sessionId")
        if session is None or session != self.session or told not in (None, session):
            yield self._fault(at, "session_changed")

    def _event(self, at: At, process: _Process, told: Told) -> Iterator[Event]:
        """A `session/event`: numbered without gaps, of our session, after it was subscribed to."""
        params, seq = told.body, number(told.body, "seq")
        if text(params, "sessionId") != self.session:
            yield self._fault(at, "another_session")
            return
        if process.last is None:
            yield self._fault(at, "not_subscribed")
        elif seq is None:
            yield self._fault(at, "event_without_number")
        elif seq <= process.last:
            yield self._fault(at, "event_repeated")
            return
        elif seq > process.last + 1:
            yield self._fault(at, "events_missing")
        process.last = seq if seq is not None else process.last
        yield from self._happened(At(at.seq, at.turn, text(inner(params, "payload"), "agentId")), process, told)

    def _happened(self, at: At, process: _Process, told: Told) -> Iterator[Event]:
        payload = inner(told.body, "payload")
        match told.word:
            case "model.streaming":
                yield from process.calls.streamed(at, payload)
            case "tool.updated":
                yield from process.calls.updated(at, payload)
            case "permission.resolved":
                yield from process.calls.resolved(at, payload)
            case "session.updated":
                yield from self._updated(at, process, payload)
            case "turn.completed" if told.news == "ended":
                yield from self._completed(at, process, told.body, payload)
            case "turn.failed" if told.news == "ended":
                process.failure = process.failure or causes.of_turn(payload)
            case word if word not in _NO_NEWS:
                yield Unrecognized(seq=at.seq, turn=at.turn, agent=at.agent, why="event_unknown")
            case _:
                pass

    def _updated(self, at: At, process: _Process, payload: Object) -> Iterator[Event]:
        """A `session.updated`: a bag of what has no name of its own."""
        provider, model = text(payload, "providerId"), text(payload, "modelId")
        if provider and model and "messageCount" in payload:
            messages = number(payload, "messageCount")
            yield ModelRequested(**at.fields(), provider=provider, model=model, messages=messages)
        elif retry := inner(inner(inner(payload, "_meta"), "zcode"), "apiRetry"):
            yield Retry(**at.fields(), cause=causes.of_retry(retry))
        elif any(isinstance(value, str) and value.startswith("hook_run_") for value in payload.values()):
            process.calls.hooked(payload)

    def _completed(self, at: At, process: _Process, event: Object, payload: Object) -> Iterator[Event]:
        kind = text(payload, "resultType") or "success"
        if kind != "success":
            process.failure = process.failure or causes.of_result(kind)
            return
        yield TurnEnded(
            seq=at.seq, turn=at.turn, answer=text(payload, "response") or "", native_turn=text(event, "turnId")
        )
        usage = inner(payload, "usage")
        yield Usage(
            seq=at.seq,
            turn=at.turn,
            input=number(usage, "inputTokens"),
            output=number(usage, "outputTokens"),
            cached=number(usage, "cacheReadTokens"),
            reasoning=number(usage, "reasoningTokens"),
        )

    def outcome(self) -> tuple[Ending, Cause | None, Owner | None]:
        """How the conversation ended. A failure that was told beats exit codes; what is missing is never a success."""
        for process in self.processes:
            if process.failure is not None:
                return Ending.HOST_FAILED, *process.failure
        if any(process.code for process in self.processes):
            return Ending.HOST_FAILED, *causes.HOSTS
        whole = all(process.completed for process in self.processes)
        damaged = self.damaged or any(process.calls.damaged for process in self.processes)
        if damaged or not self.processes or not whole or len(self.processes) < self.sent:
            return Ending.INVALID_EVENTS, None, Owner.HOST
        if not all(process.answer.strip() for process in self.processes):
            return Ending.HOST_FAILED, Cause.EMPTY, Owner.MODEL
        return Ending.COMPLETED, None, None

    def _fault(self, at: At, code: str) -> Event:
        """What speaks against the records themselves, under a code that stays."""
        self.damaged = True
        return Unrecognized(seq=at.seq, turn=at.turn, why=code)


def _failure(process: _Process, word: str) -> causes.Failure:
    """Why the bridge gave up."""
    match word:
        case "no_start":
            return causes.of_start(process.complaints)
        case "refused":
            return causes.of_reply(process.refusal)
        case _:
            return causes.HOSTS


_NO_NEWS = frozenset(
    {
        "session.created",
        "session.resumed",
        "session.titleUpdated",
        "session.closed",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "turn.steerQueued",
        "turn.steerDrained",
        "message.upserted",
        "message.removed",
        "part.started",
        "part.delta",
        "part.upserted",
        "part.removed",
        "permission.requested",
        "userInput.requested",
        "userInput.resolved",
        "checkpoint.created",
        "rewind.triggered",
        "streamRecovery.updated",
    }
)
"""Events that tell nothing of what the agent did, or of turns that nobody asked for."""
