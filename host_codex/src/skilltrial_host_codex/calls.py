"""Calls of tools as events, in the order in which they happened."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import gt
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
from .trail import Steps, Trail

_SERVER = "mcp__"


def stream_calls(turn: StreamTurn, skills: Skills) -> tuple[Steps, Steps]:
    """The calls that only the stream shows, as they are asked for and as they come back.

    The ids of its items begin anew in each turn.
    """
    items = list(turn.items.values())

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
    order, nows, at = _placed(log, turns)
    known = scripts(log)

    def steps(trail: Trail) -> Iterator[None]:
        writer = _Writer(trail, skills, agent)
        for moment, now in zip(order, nows, strict=True):
            writer.moment(log, log.steps[moment // 2], now, known if moment % 2 else None)
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


def _placed(log: Thread, turns: Mapping[int, StreamTurn]) -> tuple[Sequence[int], Sequence[int], dict[int, int]]:
    """The moments of a log in the order of events, the record behind which each stands, and each turn's last of these.

    A moment is twice the index of its step, and one more where it is a call's end: a number, since there are many.
    """
    order, nows = array("q"), list[int]()
    at: dict[int, int] = {}
    size = len(log.steps)
    for moment in _happenings(log):
        seq, kind, place = moment // (3 * size), moment // size % 3, moment % size
        step = log.steps[place]
        now = at.get(step.turn)
        if now is None:
            turn = turns.get(step.turn)
            now = seq if turn is None else turn.began or turn.last
        if kind and isinstance(step, Call) and step.stream is not None:
            shown = step.stream.first if kind == _BEGUN else step.stream.completed
            now = max(now, shown or now)
        at[step.turn] = now
        nows.append(now)
        order.append(2 * place + (kind == _OVER))
    if any(map(gt, nows, islice(nows, 1, None))):
        numbers = sorted(range(len(nows)), key=nows.__getitem__)
        return [order[number] for number in numbers], [nows[number] for number in numbers], at
    return order, nows, at


_ASKED, _BEGUN, _OVER = 0, 1, 2


def _happenings(log: Thread) -> list[int]:
    """The moments of a log in the order of happening: `(3 * record + kind) * steps + index of the step`.

    A response's tokens are logged behind its calls: it was asked for before.
    """
    found: list[int] = []
    size = len(log.steps)
    asked_at = 0
    first: Call | None = None
    for place, step in enumerate(log.steps):
        if isinstance(step, Asked):
            seq = first.seq if first is not None and first.seq > asked_at else step.seq
            found.append((3 * seq + _ASKED) * size + place)
            asked_at, first = step.seq, None
        else:
            found.append((3 * step.seq + _BEGUN) * size + place)
            if isinstance(step, Call):
                first = first or (step if step.item_seq != step.seq else None)
                found.append((3 * _back(step) + _OVER) * size + place)
    found.sort()
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

    def moment(self, log: Thread, step: Asked | Said | Call, now: int, known: Mapping[str, Script] | None) -> None:
        """A step of a log happens, behind record `now`; with the `known` scripts, a call comes back."""
        if isinstance(step, Said):
            self.said(step, now)
        elif isinstance(step, Asked):
            self.trail.add(
                ModelRequested(
                    seq=step.seq,
                    turn=step.turn,
                    agent=self.agent,
                    provider=log.provider,
                    model=step.model,
                    request=step.response,
                ),
                now,
            )
        elif known is None:
            self.requested(step, now)
        else:
            if step.id in known:
                self.hidden(known[step.id], now)
            self.back(step, outcome_of(step), now, log.cwd)

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
