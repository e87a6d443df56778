"""Calls of tools as events, in the order in which they happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import join, normpath
from typing import Literal

from skilltrial.api import (
    ModelRequested,
    PermissionDecided,
    SkillStep,
    Step,
    ToolError,
    ToolRejected,
    ToolRequested,
    ToolResult,
    ToolStarted,
)

from .lines import text
from .outcomes import DENIED, Outcome, contradicted, of_item, outcome_of
from .scripts import Script, hidden_calls, scripts
from .skills import Printed, Skills
from .stream import Item, StreamTurn
from .thread import Asked, Call, Said, Thread, command_of, input_of, tool_of
from .tokens import usage
from .trail import Trail

_SERVER = "mcp__"


@dataclass(frozen=True, slots=True)
class _Moment:
    """A point of the log: something asked, said, requested, or come back."""

    seq: int
    what: Asked | Said | Call
    back: bool = False


def stream_events(trail: Trail, turn: StreamTurn, items: Sequence[Item], skills: Skills) -> None:
    """The calls that only the stream shows; its item ids begin anew in each turn."""
    for item in items:
        id = f"turn-{turn.turn}-{item.id}"
        call = Call(item.first, turn.turn, id, tool_of(item.kind, item.value), input=input_of(item.kind, item.value))
        call.stream = item
        _Writer(trail, skills, agent=None).whole(call, item)


def log_events(trail: Trail, log: Thread, turns: Mapping[int, StreamTurn], skills: Skills, agent: str | None) -> None:
    """The calls of a log; each stands where the stream shows it, else behind what the log has before it."""
    writer = _Writer(trail, skills, agent)
    for event in log.events:
        trail.add(event, event.seq)
    at: dict[int, int] = {}
    known = scripts(log)
    for moment in _moments(log):
        what = moment.what
        turn = turns.get(what.turn)
        began = moment.seq if turn is None else turn.began or turn.last
        now = at.get(what.turn, began)
        if isinstance(what, Call) and what.stream is not None:
            shown = what.stream.completed if moment.back else what.stream.first
            now = max(now, shown or now)
        at[what.turn] = now
        match what:
            case Asked():
                trail.add(
                    ModelRequested(
                        seq=what.seq,
                        turn=what.turn,
                        agent=agent,
                        provider=log.provider,
                        model=what.model,
                        request=what.response,
                    ),
                    now,
                )
            case Said():
                writer.said(what, now)
            case Call() if moment.back:
                if what.id in known:
                    writer.hidden(known[what.id], now)
                writer.back(what, outcome_of(what), now, log.cwd)
            case Call():
                writer.requested(what, now)
    if agent is not None:
        last = {step.turn: step for step in log.steps if isinstance(step, Asked)}
        for number, asked in last.items():
            trail.add(usage(asked.seq, number, asked.whole, {}, agent), at[number])


def _moments(log: Thread) -> Iterator[_Moment]:
    """The log in the order of happening. A response's tokens are logged behind its calls: it was asked for before."""
    found: list[tuple[tuple[int, int], _Moment]] = []
    asked_at = 0
    first: Call | None = None
    for place, step in enumerate(log.steps):
        if isinstance(step, Asked):
            seq = first.seq if first is not None and first.seq > asked_at else step.seq
            found.append(((seq, -1), _Moment(seq, step)))
            asked_at, first = step.seq, None
        else:
            found.append(((step.seq, place), _Moment(step.seq, step)))
            if isinstance(step, Call):
                first = first or (step if step.item_seq != step.seq else None)
                found.append(((_back(step), len(log.steps) + place), _Moment(_back(step), step, back=True)))
    return (moment for _, moment in sorted(found, key=lambda each: each[0]))


def _back(call: Call) -> int:
    """Where the log has the end of a call: carried out, else answered, else never (right behind the request)."""
    ends = [seq for seq in (call.item_seq, call.output_seq) if seq is not None]
    return min(ends, default=call.seq)


@dataclass(frozen=True)
class _Writer:
    """Writes the events of calls."""

    trail: Trail
    skills: Skills
    agent: str | None

    def whole(self, call: Call, item: Item) -> None:
        """Everything about a call that only the stream shows."""
        self.requested(call, item.first)
        done = of_item(item.kind, item.value, item.completed) if item.completed is not None else Outcome()
        self.back(call, done, item.completed or item.first, None)

    def requested(self, call: Call, now: int) -> None:
        """The request, and the beginning where the stream shows it."""
        seq = call.seq if call.stream is None else call.stream.first
        tool, server = _named(call)
        seen: Literal["stream", "session_log"] = "session_log" if call.stream is None else "stream"
        self.trail.add(
            ToolRequested(
                seq=seq,
                turn=call.turn,
                agent=self.agent,
                call=call.id,
                tool=tool,
                server=server,
                input=call.input,
                seen=seen,
            ),
            now,
        )
        if call.stream is not None and call.stream.started is not None:
            self.trail.add(ToolStarted(seq=call.stream.started, turn=call.turn, agent=self.agent, call=call.id), now)

    def back(self, call: Call, done: Outcome, now: int, cwd: str | None) -> None:
        """What came back, and what it says about skills."""
        unseen = call.item_kind is None and call.stream is None
        denied = unseen and done.exit not in {0, None} and bool(DENIED.search(done.output or ""))
        if (other := contradicted(call)) is not None:
            self._outcome(call.id, call.tool, call.turn, other, now, denied=False)
        self._outcome(call.id, call.tool, call.turn, done, now, denied=denied)
        script = _script(call)
        if script is not None and done.rejected is None:
            where = _where(call, cwd)
            steps = self.skills.of_command(script, where, Printed(done.exit, done.output, call.redacted))
            for skill, step in steps:
                self._step(skill, step, done.seq or call.seq, call.turn, now)

    def _outcome(self, id: str, tool: str, turn: int, done: Outcome, now: int, *, denied: bool) -> None:
        if done.seq is None:
            return
        seq, agent = done.seq, self.agent
        if done.rejected is not None:
            self.trail.add(ToolRejected(seq=seq, turn=turn, agent=agent, call=id, reason=done.rejected), now)
        elif done.error is not None:
            self.trail.add(ToolError(seq=seq, turn=turn, agent=agent, call=id, message=done.error), now)
        else:
            self.trail.add(
                ToolResult(seq=seq, turn=turn, agent=agent, call=id, content=done.content, is_error=done.is_error), now
            )
        if denied or done.rejected == "permission":
            # The program itself took the output for a denial: it keeps exactly these commands from its stream.
            by = "sandbox" if denied else "policy"
            self.trail.add(
                PermissionDecided(seq=seq, turn=turn, agent=agent, call=id, tool=tool, decision="denied", by=by), now
            )

    def hidden(self, script: Script, now: int) -> None:
        """The calls of a script (code mode) that left no trace but its text and its output."""
        for number, (spelled, done) in enumerate(hidden_calls(script), 1):
            call = Call(script.call.seq, script.call.turn, f"{script.call.id}:{number}", spelled.tool)
            call.input, call.parent = spelled.input, script.call
            call.item = {"server": spelled.server}
            self.requested(call, now)
            self.back(call, done, now, None)

    def said(self, said: Said, now: int) -> None:
        """A skill that the program put into the conversation because the prompt mentioned it."""
        if said.role == "user":
            for skill, step in self.skills.of_message(said.text, changed=said.redacted):
                self._step(skill, step, said.seq, said.turn, now)

    def _step(self, skill: str, step: Step, seq: int, turn: int, now: int) -> None:
        self.trail.add(SkillStep(seq=seq, turn=turn, agent=self.agent, skill=skill, step=step), now)


def _named(call: Call) -> tuple[str, str | None]:
    """The tool's native name, and the MCP server whose it is; both as the server has them, once it was asked."""
    shown = call.item if call.item_kind == "mcp_tool_call" or call.stream is None else call.stream.value
    server = text(shown, "server")
    if server is not None:
        return text(shown, "tool") or call.tool, server
    if call.namespace is not None and call.namespace.startswith(_SERVER):
        return call.tool, call.namespace.removeprefix(_SERVER)
    return (call.tool if call.namespace is None else f"{call.namespace}.{call.tool}"), None


def _script(call: Call) -> str | None:
    """The shell script of a command, as it was carried out, else as it was asked for."""
    if call.item_kind == "command_execution":
        return command_of(call.item)
    if call.tool == "exec_command":
        return text(call.input, "cmd")
    return None


def _where(call: Call, cwd: str | None) -> str:
    """The working directory of a command; relative to the project where its path is unknown."""
    told = text(call.item, "cwd")
    if told is not None:
        return told.removeprefix("file://")
    return normpath(join(cwd or "", text(call.input, "workdir") or ".")) if cwd else text(call.input, "workdir") or ""
