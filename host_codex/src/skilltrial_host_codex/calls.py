"""Calls of tools as events, in the order in which they happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from posixpath import join, normpath
from typing import Literal, NamedTuple

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
from .trail import Steps, Trail

_SERVER = "mcp__"


class _Moment(NamedTuple):
    """A point of the log: something asked, said, requested, or come `back`. It stands behind record `now`."""

    now: int
    what: Asked | Said | Call
    back: bool = False


def stream_calls(turn: StreamTurn, items: Sequence[Item], skills: Skills) -> tuple[Steps, Steps]:
    """The calls that only the stream shows, as they are asked for and as they come back.

    The ids of its items begin anew in each turn.
    """

    def asked(trail: Trail) -> Iterator[None]:
        writer = _Writer(trail, skills, agent=None)
        for item in sorted(items, key=lambda each: each.first):
            writer.requested(_of_stream(turn, item), item.first)
            yield

    def back(trail: Trail) -> Iterator[None]:
        writer = _Writer(trail, skills, agent=None)
        for item in sorted(items, key=lambda each: each.completed or each.first):
            done = of_item(item.kind, item.value, item.completed) if item.completed is not None else Outcome()
            writer.back(_of_stream(turn, item), done, item.completed or item.first, None)
            yield

    return asked, back


def _of_stream(turn: StreamTurn, item: Item) -> Call:
    value = item.value
    call = Call(item.first, turn.turn, f"turn-{turn.turn}-{item.id}", tool_of(item.kind, value))
    call.asked, call.stream = input_of(item.kind, value), item
    return call


def log_calls(log: Thread, turns: Mapping[int, StreamTurn], skills: Skills, agent: str | None) -> Steps:
    """The calls of a log; each stands where the stream shows it, else behind what the log has before it."""
    moments, at = _placed(log, turns)
    known = scripts(log)

    def steps(trail: Trail) -> Iterator[None]:
        writer = _Writer(trail, skills, agent)
        for moment in moments:
            writer.moment(log, moment, known)
            yield

    if agent is None:
        return steps

    def with_usage(trail: Trail) -> Iterator[None]:
        yield from steps(trail)
        last = {step.turn: step for step in log.steps if isinstance(step, Asked)}
        for number, asked in last.items():
            trail.add(usage(asked.seq, number, asked.whole, {}, agent), at[number])
            yield

    return with_usage


def _placed(log: Thread, turns: Mapping[int, StreamTurn]) -> tuple[list[_Moment], dict[int, int]]:
    """The moments of a log in their order among the records, and where each turn's last one stands."""
    found: list[_Moment] = []
    at: dict[int, int] = {}
    for seq, _, what, back in _happenings(log):
        now = at.get(what.turn)
        if now is None:
            turn = turns.get(what.turn)
            now = seq if turn is None else turn.began or turn.last
        if isinstance(what, Call) and what.stream is not None:
            shown = what.stream.completed if back else what.stream.first
            now = max(now, shown or now)
        at[what.turn] = now
        found.append(_Moment(now, what, back))
    found.sort(key=itemgetter(0))
    return found, at


def _happenings(log: Thread) -> list[tuple[int, int, Asked | Said | Call, bool]]:
    """The log in the order of happening. A response's tokens are logged behind its calls: it was asked for before."""
    found: list[tuple[int, int, Asked | Said | Call, bool]] = []
    asked_at = 0
    first: Call | None = None
    for place, step in enumerate(log.steps):
        if isinstance(step, Asked):
            seq = first.seq if first is not None and first.seq > asked_at else step.seq
            found.append((seq, -1, step, False))
            asked_at, first = step.seq, None
        else:
            found.append((step.seq, place, step, False))
            if isinstance(step, Call):
                first = first or (step if step.item_seq != step.seq else None)
                found.append((_back(step), len(log.steps) + place, step, True))
    found.sort(key=itemgetter(0, 1))
    return found


def _back(call: Call) -> int:
    """Where the log has the end of a call: carried out, else answered, else never (right behind the request)."""
    carried_out, answered = call.item_seq, call.output_seq
    if carried_out is None or answered is None:
        return carried_out or answered or call.seq
    return min(carried_out, answered)


@dataclass(frozen=True)
class _Writer:
    """Writes the events of calls."""

    trail: Trail
    skills: Skills
    agent: str | None

    def moment(self, log: Thread, moment: _Moment, known: Mapping[str, Script]) -> None:
        """What happened at a moment of a log."""
        what, now = moment.what, moment.now
        if isinstance(what, Call):
            if not moment.back:
                self.requested(what, now)
                return
            if what.id in known:
                self.hidden(known[what.id], now)
            self.back(what, outcome_of(what), now, log.cwd)
        elif isinstance(what, Asked):
            self.trail.add(
                ModelRequested(
                    seq=what.seq,
                    turn=what.turn,
                    agent=self.agent,
                    provider=log.provider,
                    model=what.model,
                    request=what.response,
                ),
                now,
            )
        else:
            self.said(what, now)

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
            call.asked, call.parent = spelled.input, script.call
            call.done = {"server": spelled.server}
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
