"""Calls of tools: what was asked for, who allowed it, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from skilltrial.api import (
    ABSENT,
    PermissionDecided,
    Record,
    Step,
    ToolError,
    ToolRejected,
    ToolRequested,
    ToolResult,
)

from .lines import Object, inner, read, several, text, texts
from .plugin import Installed
from .skills import Skills, Steps, file_of
from .trail import At, Trail
from .uses import Uses, uses

Reason = Literal["schema", "unknown_tool", "permission", "hook", "policy"]

_REJECTED: tuple[tuple[re.Pattern[str], Reason], ...] = (
    (re.compile(r"<tool_use_error>InputValidationError"), "schema"),
    (re.compile(r"<tool_use_error>Error: No such tool available"), "unknown_tool"),
)
_DECISIONS: Mapping[str, Literal["allowed", "denied"]] = MappingProxyType({"accept": "allowed", "reject": "denied"})
_WRITERS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
_AWAY = re.compile(r"Shell cwd was reset to ([^\n]+)")


@dataclass(slots=True)
class Call:
    """A call that was asked for."""

    at: At
    id: str
    tool: str
    input: Any
    denied: bool = False
    decided: bool = False
    uses: Uses | None = None
    """Of a shell command: what it reads and starts."""

    def has(self, key: str) -> str:
        """The text at `key` of its input."""
        return text(self.input, key) or ""


@dataclass
class Calls:
    """All calls of a trial. Of one that is over only the place of its request is kept: it is read again at need."""

    trail: Trail
    skills: Skills
    plugin: Installed = field(default_factory=Installed)
    records: Sequence[Record] = ()
    open: dict[str, Call] = field(default_factory=dict)
    """Those that nothing came back from yet."""
    over: dict[str, int] = field(default_factory=dict)
    """Those that are over → the index of the record that asked for them."""
    refused: set[str] = field(default_factory=set)
    """Those of them that were denied."""
    loaders: set[str] = field(default_factory=set)
    """Calls of the tool that loads skills."""
    folders: dict[str | None, str | None] = field(default_factory=dict)
    """Agent → the working folder of its shell, which keeps it from one command to the next; absent: the project."""

    def requested(self, at: At, block: Object, line: Object) -> None:
        """A `tool_use` block."""
        id, native = text(block, "id"), text(block, "name")
        if not id or not native:
            self.trail.unrecognized(at, "call_without_id" if native else "call_without_name")
            return
        before = self._known(id)
        if before is not None:
            # A stream that was begun anew repeats what it had; a call is made once.
            if before.input != block.get("input"):
                self.trail.unrecognized(at, "call_repeated")
            return
        call = self.open[id] = Call(at, id, native, block.get("input"))
        if native == "Skill":
            self.loaders.add(id)
        tool, server = _named(native, id, line)
        server = None if server is None else self.plugin.server(server)
        given = block.get("input", ABSENT)
        self.trail.add(
            ToolRequested(seq=at.seq, turn=at.turn, agent=at.agent, call=id, tool=tool, server=server, input=given)
        )
        self._steps(at, self._asked(call))

    def denied(self, at: At, line: Object) -> None:
        """A `system/permission_denied` line, or an entry of a result's `permission_denials`."""
        id = text(line, "tool_use_id")
        call = self._known(id) if id else None
        if call is not None and call.denied:
            return
        where = call.at if call is not None and call.id in self.over else at
        self.trail.add(
            PermissionDecided(
                seq=where.seq,
                turn=where.turn,
                agent=where.agent,
                call=id,
                tool=text(line, "tool_name") or (call.tool if call else ""),
                decision="denied",
                by=text(line, "decision_reason_type") or "host",
            )
        )
        if call is not None:
            call.denied = call.decided = True
            if call.id in self.over:
                self.refused.add(call.id)

    def returned(self, at: At, block: Object, line: Object) -> None:
        """A `tool_result` block."""
        id = text(block, "tool_use_id")
        call = self.open.get(id) if id else None
        if id is None or call is None:
            self.trail.unrecognized(at, "result_without_call")
            return
        meta = _about(line, "tool_result_meta", id)
        self._decided(at, call, meta)
        content, failed = block.get("content"), block.get("is_error") is True
        reason = _reason(call, meta, texts(content)) if failed else None
        if reason is not None:
            self.trail.add(ToolRejected(seq=at.seq, turn=at.turn, agent=at.agent, call=id, reason=reason))
        elif failed and text(meta, "non_execution_kind") is not None:
            self.trail.add(ToolError(seq=at.seq, turn=at.turn, agent=at.agent, call=id, message=texts(content)))
        else:
            self.trail.add(
                ToolResult(seq=at.seq, turn=at.turn, agent=at.agent, call=id, content=content, is_error=failed)
            )
        self._steps(at, self._came(call, line, texts(content), failed=failed, carried_out=reason is None, at=at))
        self._ended(call)

    def lost(self, at: At) -> None:
        """The process is over: what has not come back by now never will."""
        for call in list(self.open.values()):
            self.trail.add(
                ToolError(seq=at.seq, turn=at.turn, agent=call.at.agent, call=call.id, message="no result came back")
            )
            self._ended(call)

    def loads(self, id: object) -> bool:
        """Whether `id` is a call of the tool that loads skills."""
        return isinstance(id, str) and id in self.loaders

    def _ended(self, call: Call) -> None:
        del self.open[call.id]
        self.over[call.id] = call.at.place
        if call.denied:
            self.refused.add(call.id)

    def _known(self, id: str) -> Call | None:
        """The call of that id, where it was asked for."""
        if id not in self.over:
            return self.open.get(id)
        record = self.records[self.over[id]]
        line = read(record)
        at = At(record.seq, record.turn, text(line, "parent_tool_use_id"), bool(record.redacted), self.over[id])
        blocks = (each for each in several(line.get("message"), "content") if text(each, "type") == "tool_use")
        block = next(each for each in blocks if text(each, "id") == id and text(each, "name"))
        return Call(at, id, block["name"], block.get("input"), denied=id in self.refused)

    def _decided(self, at: At, call: Call, meta: Object) -> None:
        decision = inner(meta, "permission_decision")
        word = _DECISIONS.get(text(decision, "decision") or "")
        if call.decided or word is None:
            return
        by = text(decision, "reason_type") or text(decision, "source") or "host"
        self.trail.add(
            PermissionDecided(
                seq=at.seq, turn=at.turn, agent=at.agent, call=call.id, tool=call.tool, decision=word, by=by
            )
        )
        call.decided, call.denied = True, word == "denied"

    def _asked(self, call: Call) -> Steps:
        match call.tool:
            case "Skill":
                yield from self.skills.named(call.has("skill") or call.has("command"))
            case "Read":
                yield from ((skill.skill, Step.REQUESTED) for skill in self.skills.at(call.has("file_path")))
            case "Bash":
                call.uses = uses(call.has("command"), self.folders.get(call.at.agent, self.skills.root or "/"))
                yield from self.skills.asked_of_shell(call.uses)
                if not call.uses.understood and any(skill.path in call.has("command") for skill in self.skills.placed):
                    # It may read the skill or not: nobody can say that it did not.
                    self.trail.unrecognized(call.at, "shell_command")

    def _came(self, call: Call, line: Object, output: str, *, failed: bool, carried_out: bool, at: At) -> Steps:
        match call.tool:
            case "Skill" if failed:
                yield from ((skill, Step.ERRORED) for skill, _ in self._asked(call))
            case "Read" if failed:
                yield from ((skill.skill, Step.ERRORED) for skill in self.skills.at(call.has("file_path")))
            case "Read":
                file = dict(file_of(line.get("tool_use_result"))) or _read_by(call, output)
                file["filePath"] = call.has("file_path")
                yield from self.skills.shown(file, redacted=at.redacted)
            case "Bash" if call.uses is not None and carried_out:
                self._moved(call, output, failed=failed)
                yield from self.skills.done_by_shell(call.uses, _printed(call, line, output), failed=failed)
            case tool if tool in _WRITERS and not failed:
                self.skills.wrote(call.has("file_path"))
            case _:
                pass

    def _moved(self, call: Call, output: str, *, failed: bool) -> None:
        agent = call.at.agent
        before = self.folders.get(agent, self.skills.root or "/")
        after = call.uses.cwd if call.uses is not None else before
        if found := _AWAY.search(output):
            after = found[1].strip()
        elif failed and after != before:
            after = None  # how far it came before it failed is not told
        self.folders[agent] = after

    def _steps(self, at: At, steps: Steps) -> None:
        for skill, step in steps:
            self.trail.step(at, skill, step)


def _named(native: str, id: str, line: Object) -> tuple[str, str | None]:
    """The tool as its owner calls it, and the MCP server that owns it; None for the program's own."""
    if not native.startswith("mcp__"):
        return native, None
    rest = native.removeprefix("mcp__")
    meta = _about(line, "tool_use_meta", id)
    tool = text(meta, "tool_name") or ""
    if tool and rest.endswith(f"__{tool}"):
        return tool, rest.removesuffix(f"__{tool}")
    server, parted, tool = rest.partition("__")
    return (tool, server) if parted else (native, None)


def _about(line: Object, key: str, id: str) -> Object:
    """What a line says beside its blocks about the call `id`."""
    for each in several(line, key):
        if text(each, "id") == id and isinstance(each, dict):
            return each
    return {}


def _reason(call: Call, meta: Object, message: str) -> Reason | None:
    """Why a call was not carried out; None where it was, and failed."""
    if text(inner(meta, "permission_decision"), "source") == "hook" and call.denied:
        return "hook"
    if call.denied:
        return "permission"
    return next((reason for pattern, reason in _REJECTED if pattern.match(message)), None)


def _read_by(call: Call, output: str) -> dict[str, Any]:
    """What the model was given of a file, where the program does not tell it apart from the line numbers."""
    part = isinstance(call.input, dict) and ("offset" in call.input or "limit" in call.input)
    return {"content": re.sub(r"(?m)^ *\d+[\t→]", "", output), "startLine": None if part else 1, "numLines": -1}


def _printed(call: Call, line: Object, output: str) -> str | None:
    """What a command printed; None where that went elsewhere."""
    result = line.get("tool_use_result")
    background = isinstance(call.input, dict) and call.input.get("run_in_background") is True
    if background or text(result, "backgroundTaskId"):
        return None
    return text(result, "stdout") or output
