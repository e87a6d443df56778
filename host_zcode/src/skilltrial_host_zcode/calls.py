"""Calls of tools: what was asked for, who allowed it, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import JsonValue

from skilltrial.api import (
    ABSENT,
    Absent,
    Event,
    PermissionDecided,
    SkillStep,
    ToolError,
    ToolRejected,
    ToolRequested,
    ToolResult,
    ToolStarted,
    Unrecognized,
)

from .lines import Object, inner, text
from .naming import Names
from .skills import Skills, Steps

Reason = Literal["schema", "unknown_tool", "permission", "hook", "policy"]

_SCHEMA = "Tool input failed inputSchema validation"
_UNKNOWN = "Tool not found: "
_BROKE = frozenset({"tool_cancelled", "tool_timeout"})
"""Errors after which the model is given no result."""


@dataclass(slots=True)
class At:
    """Where something was told, and by whom it was done."""

    seq: int
    turn: int
    agent: str | None = None

    def fields(self) -> dict[str, Any]:
        """As fields of an event."""
        return {"seq": self.seq, "turn": self.turn, "agent": self.agent}


@dataclass(slots=True)
class Call:
    """A call that was asked for."""

    tool: str
    input: JsonValue | Absent = ABSENT
    started: bool = False
    ended: bool = False
    refused: bool = False
    hooked: bool = False

    @property
    def given(self) -> JsonValue:
        """Its input; None where it was not told."""
        return None if self.input is ABSENT else self.input


@dataclass
class Calls:
    """All calls of one process. What contradicts itself is told under a code, and damages the trial."""

    names: Names
    skills: Skills
    known: dict[str, Call] = field(default_factory=dict)
    decided: dict[str, bool] = field(default_factory=dict)
    """Requests for permission that we answered → whether it was allowed."""
    damaged: bool = False

    def streamed(self, at: At, payload: Object) -> Iterator[Event]:
        """A piece of the model's stream; only a whole call is evidence."""
        if text(payload, "kind") == "tool_call":
            yield from self._requested(at, payload, payload.get("input", ABSENT))

    def updated(self, at: At, payload: Object) -> Iterator[Event]:
        """A `tool.updated` event."""
        kind, id = text(payload, "kind"), text(payload, "toolCallId")
        if kind in ("batch", "progress"):
            return
        if kind == "scheduled":
            yield from self._requested(at, payload, payload.get("input", ABSENT))
            return
        call = self.known.get(id) if id else None
        if kind not in ("started", "result", "error"):
            yield Unrecognized(seq=at.seq, turn=at.turn, why="tool_update_unknown")
        elif call is None or id is None:
            yield self._fault(at, "call_unknown")
        elif call.ended or (kind == "started" and call.started):
            yield self._fault(at, "call_told_twice")
        elif call.refused and kind != "error":
            yield self._fault(at, "refused_call_ran")
        elif kind == "started":
            call.started = True
            yield ToolStarted(**at.fields(), call=id)
        elif kind == "result":
            yield from self._came(at, id, call, inner(payload, "result"))
        else:
            yield from self._failed(at, id, call, inner(payload, "error"))

    def answered(self, at: At, params: Object, decision: str) -> Iterator[Event]:
        """Our answer to a request for permission. One that is asked again is answered alike, and told once."""
        request, allowed = text(params, "requestId") or "", decision in ("allow", "modify")
        if request in self.decided:
            return
        self.decided[request] = allowed
        origin = text(inner(params, "origin"), "agentId")
        yield from self._decided(At(at.seq, at.turn, origin), params, allowed=allowed, by="client")

    def resolved(self, at: At, payload: Object) -> Iterator[Event]:
        """A `permission.resolved` event: the echo of our answer, or a decision of the program's own."""
        request, allowed = text(payload, "requestId"), text(payload, "decision") != "deny"
        if request is not None and request in self.decided:
            if self.decided[request] is not allowed:
                yield self._fault(at, "permission_disputed")
            return
        yield from self._decided(at, payload, allowed=allowed, by="policy")

    def hooked(self, payload: Object) -> None:
        """A hook ran on a call: where no more is told of it, the hook denied it."""
        call = self.known.get(text(payload, "toolCallId") or "")
        if call is not None:
            call.hooked = True

    def over(self, at: At) -> Iterator[Event]:
        """The process ended: of each call the end must have been told."""
        for id, call in self.known.items():
            if call.ended or call.refused:
                continue
            if call.hooked and not call.started:
                yield ToolRejected(**at.fields(), call=id, reason="hook")
            else:
                yield self._fault(at, "call_not_ended")

    def _requested(self, at: At, payload: Object, given: JsonValue | Absent) -> Iterator[Event]:
        id, native = text(payload, "toolCallId"), text(payload, "toolName")
        if not id or native is None:
            yield self._fault(at, "call_without_name" if id else "call_without_id")
            return
        before = self.known.get(id)
        if before is not None:
            # The stream tells a call whole, its scheduling may leave the input out; both tell of one call.
            both = given is not ABSENT and before.input is not ABSENT
            if before.tool != native or (both and not _same(given, before.input)):
                yield self._fault(at, "call_disputed")
            return
        call = self.known[id] = Call(native, given)
        tool, server = self.names.split(native)
        yield ToolRequested(**at.fields(), call=id, tool=tool, server=server, input=given)
        yield from self._steps(at, self.skills.asked(native, call.given))

    def _came(self, at: At, id: str, call: Call, result: Object) -> Iterator[Event]:
        call.ended, content = True, result.get("content")
        failed = result.get("success") is not True
        yield ToolResult(**at.fields(), call=id, content=content, is_error=failed)
        if failed:
            yield from self._steps(at, self.skills.failed(call.tool, call.given))
        else:
            yield from self._steps(at, self.skills.came(call.tool, call.given, content))

    def _failed(self, at: At, id: str, call: Call, error: Object) -> Iterator[Event]:
        call.ended = True
        if call.refused:
            return
        kind, message = text(error, "type"), text(error, "message") or ""
        reason: Reason | None = None
        if message == _SCHEMA and not call.started:
            reason = "schema"
        elif message.startswith(_UNKNOWN) and not call.started:
            reason = "unknown_tool"
        elif kind == "permission_denied":
            reason = "permission"
        if reason is not None:
            yield ToolRejected(**at.fields(), call=id, reason=reason)
        elif kind in _BROKE:
            yield ToolError(**at.fields(), call=id, message=message)
        else:
            # The model is given the message: a result, which says that it is an error.
            yield ToolResult(**at.fields(), call=id, content=message, is_error=True)
        yield from self._steps(at, self.skills.failed(call.tool, call.given))

    def _decided(self, at: At, told: Object, *, allowed: bool, by: str) -> Iterator[Event]:
        id = text(told, "toolCallId")
        call = self.known.get(id) if id else None
        native = text(told, "toolName") or (call.tool if call else "")
        decision: Literal["allowed", "denied"] = "allowed" if allowed else "denied"
        tool = self.names.split(native)[0]
        yield PermissionDecided(**at.fields(), call=id, tool=tool, decision=decision, by=by)
        if allowed or call is None or id is None or call.refused:
            return
        if call.started or call.ended:
            yield self._fault(at, "refused_call_ran")
            return
        call.refused = True
        yield ToolRejected(**at.fields(), call=id, reason="permission" if by == "client" else "policy")

    def _steps(self, at: At, steps: Steps) -> Iterator[Event]:
        return (SkillStep(**at.fields(), skill=skill, step=step) for skill, step in steps)

    def _fault(self, at: At, code: str) -> Event:
        self.damaged = True
        return Unrecognized(seq=at.seq, turn=at.turn, agent=at.agent, why=code)


def _same(one: JsonValue | Absent, other: JsonValue | Absent) -> bool:
    """Strictly: 1, 1.0 and true are three things."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and one == other
