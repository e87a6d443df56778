"""The record format `acp`: the messages between an agent and its client."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import join, normpath

from pydantic import JsonValue

from skilltrial.api import (
    ABSENT,
    Absent,
    Cause,
    Declared,
    Ending,
    Event,
    Exited,
    Note,
    Owner,
    PermissionDecided,
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
    ending_by_notes,
    notes,
)
from skilltrial.causes import owner_of_cause

from .causes import cause_of
from .reading import Messages, NotALine, Object, Told, inner, text

SERVERS = "acp"
"""The name under which the host puts on record which servers a session got, and their tools."""
_STOPS = {
    "refusal": (Cause.REFUSAL, Owner.MODEL),
    "max_tokens": (Cause.CONTEXT, Owner.AGENT),
    "max_turn_requests": (Cause.UNCLASSIFIED, Owner.AGENT),
}


@dataclass(frozen=True)
class AcpNormalizer:
    """Reads messages by the protocol alone: no agent is known to it."""

    def normalize(self, records: Sequence[Record]) -> Sequence[Event]:
        """See NormalizerSpec."""
        return tuple(_events(records))


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
    seq, turn = (last.seq, last.turn) if last else (0, 0)
    yield SessionEnded(seq=seq, turn=turn, ending=ending, cause=cause, owner=owner)


@dataclass
class _Process:
    """One process of the conversation, and what of its calls is not over."""

    messages: Messages = field(default_factory=Messages)
    failure: tuple[Cause, Owner] | None = None
    refused: bool = False
    """Whether a call of it was not allowed: some agents end the turn then, without a word."""
    code: int | None = None
    open: dict[str, _Call] = field(default_factory=dict)


@dataclass
class _Call:
    """A call that is not over. Agents tell it piece by piece: its input may come after its name."""

    title: str
    given: JsonValue | Absent = ABSENT
    locations: tuple[str, ...] = ()
    reads: bool = False
    told: bool = False
    """Whether it became an event."""
    skills: tuple[str, ...] = ()

    def hear(self, body: Object) -> None:
        """Take up what an update says of it."""
        if body.get("rawInput") is not None:
            self.given = body["rawInput"]
        locations = body.get("locations")
        if isinstance(locations, list):
            self.locations += tuple(path for one in locations if (path := text(one, "path")))
        self.reads = self.reads or text(body, "kind") == "read"


@dataclass
class _Reading:
    servers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    placed: list[SkillPlaced] = field(default_factory=list)
    processes: list[_Process] = field(default_factory=list)
    project: str = ""
    started: bool = False
    sent: int = 0
    damaged: bool = False

    def note(self, record: Record, note: Note) -> Iterator[Event]:
        match note:
            case Declared(name=name, value=dict(value)) if name == SERVERS:
                self._declared(value)
            case SkillPlaced():
                self.placed.append(note)
            case TurnSent(turn=turn, prompt_sha256=digest):
                self.sent += 1
                yield TurnStarted(seq=record.seq, turn=turn, prompt_sha256=digest)
            case Spawned():
                self.processes.append(_Process())
            case Exited(code=code) if self.processes:
                self.processes[-1].code = code
            case _:
                pass

    def _declared(self, value: dict[str, JsonValue]) -> None:
        self.project = text(value, "project") or ""
        for name, tools in inner(value, "servers").items():
            if isinstance(tools, list):
                self.servers[name] = tuple(tool for tool in tools if isinstance(tool, str))

    def line(self, record: Record) -> Iterator[Event]:
        seq, turn = record.seq, record.turn
        if not self.processes:
            self.damaged = True
            yield Unrecognized(seq=seq, turn=turn, why="no_process")
            return
        process = self.processes[-1]
        try:
            told = process.messages.read(record.raw)
        except NotALine as error:
            self.damaged = self.damaged or error.cut
            yield (
                Truncated(seq=seq, turn=turn, where="stdout")
                if error.cut
                else Unrecognized(seq=seq, turn=turn, why="not_a_message")
            )
            return
        yield from self._told(record, process, told)

    def _told(self, record: Record, process: _Process, told: Told) -> Iterator[Event]:
        seq, turn = record.seq, record.turn
        match told.kind:
            case "begun" if not self.started:
                self.started = True
                yield SessionStarted(seq=seq, turn=turn, version=text(inner(told.body, "agentInfo"), "version"))
            case "update":
                yield from self._update(record, process, told)
            case "decided" if told.call is not None:
                yield from self._decided(record, process, told.call, allowed=told.word.startswith("allow"))
            case "answered":
                if told.word == "end_turn":
                    yield TurnEnded(seq=seq, turn=turn, answer="".join(process.messages.answer))
                else:
                    process.failure = _STOPS.get(told.word, (Cause.UNCLASSIFIED, Owner.HOST))
            case "failed":
                cause = cause_of(told.body)
                process.failure = process.failure or (cause, owner_of_cause(cause))
            case "refused":
                process.failure = (Cause.UNCLASSIFIED, Owner.OPERATOR)
            case _:
                pass

    def _decided(self, record: Record, process: _Process, call: str, *, allowed: bool) -> Iterator[Event]:
        seq, turn, opened = record.seq, record.turn, process.open.get(call)
        if opened is not None:
            yield from self._asked(record, call, opened)
        yield PermissionDecided(
            seq=seq,
            turn=turn,
            call=call,
            tool=opened.title if opened else "",
            decision="allowed" if allowed else "denied",
            by="client",
        )
        if not allowed:
            process.refused = True
            if opened is not None:
                del process.open[call]
                yield ToolRejected(seq=seq, turn=turn, call=call, reason="permission")

    def _update(self, record: Record, process: _Process, told: Told) -> Iterator[Event]:
        seq, turn, call, body = record.seq, record.turn, told.call, told.body
        if told.word not in ("tool_call", "tool_call_update"):
            return
        if call is None:
            self.damaged = True
            yield Unrecognized(seq=seq, turn=turn, why="call_without_id")
            return
        if told.word == "tool_call" and call not in process.open:
            process.open[call] = _Call(text(body, "title") or text(body, "kind") or "")
        opened = process.open.get(call)
        if opened is None:
            return
        opened.hear(body)
        status = text(body, "status")
        if status in ("completed", "failed"):
            yield from self._asked(record, call, opened)
            del process.open[call]
            failed = status == "failed"
            yield ToolResult(seq=seq, turn=turn, call=call, content=_content(body), is_error=failed)
            for skill in opened.skills:
                yield SkillStep(seq=seq, turn=turn, skill=skill, step=Step.ERRORED if failed else Step.READ)

    def _asked(self, record: Record, call: str, opened: _Call) -> Iterator[Event]:
        """The call as an event, once: when somebody decides on it, or when it is over, all of it was told."""
        if opened.told:
            return
        opened.told = True
        seq, turn = record.seq, record.turn
        tool, server = self._named(opened.title)
        yield ToolRequested(seq=seq, turn=turn, call=call, tool=tool, server=server, input=opened.given)
        opened.skills = tuple(self._read_by(opened)) if opened.reads else ()
        for skill in opened.skills:
            yield SkillStep(seq=seq, turn=turn, skill=skill, step=Step.REQUESTED)

    def _named(self, title: str) -> tuple[str, str | None]:
        """A server's tool by its title: agents join the server's name and the tool's by signs of their own."""
        plain = _plain(title)
        for server, tools in self.servers.items():
            for tool in tools:
                if plain in (_plain(f"{server} {tool}"), _plain(f"mcp {server} {tool}")):
                    return tool, server
        return title, None

    def _read_by(self, opened: _Call) -> Iterator[str]:
        """The placed skills whose SKILL.md is among the files that a reading call names."""
        paths = {normpath(join(self.project, path)) for path in opened.locations}
        for skill in self.placed:
            if normpath(join(self.project, skill.path, "SKILL.md")) in paths:
                yield skill.skill

    def outcome(self) -> tuple[Ending, Cause | None, Owner | None]:
        """How the conversation ended. A failure that was told beats exit codes; what is missing is never a success."""
        for process in self.processes:
            if process.failure is not None:
                return Ending.HOST_FAILED, *process.failure
        if any(process.code for process in self.processes):
            return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
        whole = all(process.messages.ended and process.code == 0 for process in self.processes)
        calls_open = any(process.open for process in self.processes)
        if self.damaged or calls_open or not self.processes or not whole or len(self.processes) < self.sent:
            return Ending.INVALID_EVENTS, None, Owner.HOST
        if not all(process.refused or "".join(process.messages.answer).strip() for process in self.processes):
            return Ending.HOST_FAILED, Cause.EMPTY, Owner.MODEL
        return Ending.COMPLETED, None, None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", name.lower()).strip()


def _content(body: Object) -> JsonValue:
    """What a call returned: what the agent shows of it, else its raw output."""
    content = body.get("content")
    return content if content else body.get("rawOutput")
