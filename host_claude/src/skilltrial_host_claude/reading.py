"""The lines of the event stream, one after the other, as events."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from skilltrial.api import (
    ModelRequested,
    Notice,
    Offered,
    PluginFound,
    Record,
    Retry,
    SessionStarted,
    Truncated,
)

from .calls import Calls
from .causes import retried
from .lines import Object, Unreadable, read, several, strings, text
from .plugin import Installed, named
from .processes import Process
from .skills import Skills, Steps, id_of
from .trail import At, Trail
from .versions import is_recorded

_SYNTHETIC = "<synthetic>"
"""The model of messages that the program wrote itself."""
_SILENT = frozenset(
    {"status", "thinking_tokens", "ui_invalidate", "model_refusal_no_fallback"}
    | {"task_started", "task_updated", "task_progress", "hook_started", "hook_progress"}
)
"""`system` lines that say nothing that another line does not."""
_BLOCKS = frozenset({"text", "thinking", "redacted_thinking"})
_ABSENT_SERVERS = frozenset({"failed", "disabled"})


@dataclass
class Stream:
    """Reads one line at a time; `trail`, `skills` and `calls` live as long as the trial."""

    trail: Trail
    skills: Skills
    calls: Calls
    plugin: Installed
    found: tuple[At, dict[str, Any]] | None = None
    """What the process that runs has last said of the plugin, and its last line."""
    asked: set[str] = field(default_factory=set)
    """Ids of the model's messages."""
    session: str | None = None
    opened: bool = False
    unread: tuple[At, str] | None = None
    """The last line, where it is no event: cut, if nothing follows it."""

    def line(self, record: Record, place: int, process: Process) -> None:
        """Read a line of standard output."""
        try:
            line = read(record)
        except Unreadable as why:
            if not record.raw or record.raw.isspace():
                return
            self._unread()
            # What it would have told is missing, and a missing call must not look like one that was not made.
            process.damaged = True
            begun = str(why) == "not_json" and record.raw.lstrip().startswith("{")
            at = At(record.seq, record.turn, redacted=bool(record.redacted))
            self.unread = (at, "cut" if begun else str(why))
            return
        if self.unread is not None:
            self._unread()
        at = At(record.seq, record.turn, text(line, "parent_tool_use_id"), record.redacted > 0, place)
        match line["type"]:
            case "assistant":
                self._assistant(at, line, process)
            case "user":
                self._user(at, line, process)
            case "system":
                self._system(at, line, process)
            case "result":
                self._result(at, line, process)
            case "stream_event":
                pass  # a piece of what an `assistant` line then has as a whole
            case _:
                self.trail.unrecognized(at, "unknown_type")

    def over(self) -> None:
        """The process has ended: a line that is no event was its last."""
        if self.unread is not None and self.unread[1] == "cut":
            at = self.unread[0]
            self.trail.add(Truncated(seq=at.seq, turn=at.turn, where="stdout"))
            self.unread = None
        self._unread()
        if self.found is not None and self.plugin.failed_hooks:
            at, fields = self.found
            fields["faults"] += self.plugin.failed_hooks
            self.trail.add(PluginFound(seq=at.seq, turn=at.turn, agent=at.agent, **fields))
        self.found, self.plugin.failed_hooks = None, 0

    def _unread(self) -> None:
        if self.unread is not None:
            at, why = self.unread
            self.trail.unrecognized(at, "not_json" if why == "cut" else why)
            self.unread = None

    def _system(self, at: At, line: Object, process: Process) -> None:
        match text(line, "subtype"):
            case "init":
                process.inits += 1
                process.unserved = process.unserved or _unserved(line)
                self._init(at, line)
            case "api_retry":
                self.trail.add(Retry(seq=at.seq, turn=at.turn, agent=at.agent, cause=retried(line)))
            case "permission_denied":
                self.calls.denied(at, line)
            case "informational":
                self.trail.add(
                    Notice(seq=at.seq, turn=at.turn, agent=at.agent, text_sha256=digest(text(line, "content") or ""))
                )
            case "background_tasks_changed":
                process.tasks = bool(several(line, "tasks"))
            case "hook_response":
                self.plugin.hook(line)
                self.found = (at, self.found[1]) if self.found is not None else None
            case "task_notification":
                process.notified = True
            case known if known in _SILENT:
                pass
            case _:
                self.trail.unrecognized(at, "unknown_system_line")

    def _init(self, at: At, line: Object) -> None:
        version, session = text(line, "claude_code_version"), text(line, "session_id")
        if not self.opened:
            self.opened = True
            self.skills.root = text(line, "cwd")
            self.trail.add(
                SessionStarted(
                    seq=at.seq,
                    turn=at.turn,
                    agent=at.agent,
                    session=session,
                    version=version,
                    model=text(line, "model"),
                )
            )
            if version is not None and not is_recorded(version):
                told = digest(f"Claude Code {version} is newer than this normalizer's recordings")
                self.trail.add(Notice(seq=at.seq, turn=at.turn, agent=at.agent, text_sha256=told))
        listed = strings(line, "skills")
        skills = None if listed is None else tuple([id_of(each) if each.endswith(")") else each for each in listed])
        if (found := self.plugin.found(line)) is not None:
            self.found = (at, found)
            self.trail.add(PluginFound(seq=at.seq, turn=at.turn, agent=at.agent, **found))
        self.trail.add(
            Offered(
                seq=at.seq,
                turn=at.turn,
                agent=at.agent,
                skills=skills,
                tools=strings(line, "tools"),
                servers=_names(line, "mcp_servers"),
                plugins=_names(line, "plugins"),
            )
        )
        self._steps(at, self.skills.offered(map(self.plugin.listed, skills or ())))

    def _assistant(self, at: At, line: Object, process: Process) -> None:
        message = line.get("message")
        model, id = text(message, "model"), text(message, "id")
        if model == _SYNTHETIC or line.get("is_api_error_message") is True:
            if line.get("is_api_error_message") is True and at.agent is None:
                process.error = line
        else:
            process.by_model = process.by_model or at.agent is None
            process.error = process.error if at.agent else {}
            if id is None or id not in self.asked:
                self.asked.add(id or "")
                self.trail.add(
                    ModelRequested(
                        seq=at.seq, turn=at.turn, agent=at.agent, model=model, request=text(line, "request_id")
                    )
                )
        for block in several(message, "content"):
            kind = text(block, "type")
            if kind == "tool_use":
                self.calls.requested(at, block, line)
            elif kind not in _BLOCKS:
                self.trail.unrecognized(at, "unknown_block")

    def _user(self, at: At, line: Object, process: Process) -> None:
        message = line.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else several(message, "content")
        # Only the program writes these: its own words, and the first prompt of a skill's own subagent.
        own = line.get("isSynthetic") is True or self.calls.loads(at.agent)
        for block in blocks:
            kind = text(block, "type")
            if kind == "tool_result":
                self.calls.returned(at, block, line)
            elif kind == "text" and own:
                self._steps(at, self.skills.loaded(text(block, "text") or ""))
            elif kind not in ("text", "image", "document"):
                self.trail.unrecognized(at, "unknown_block")

    def _result(self, at: At, line: Object, process: Process) -> None:
        process.results.append(line)
        process.notified = False
        process.last = at.seq
        for denial in several(line, "permission_denials"):
            self.calls.denied(at, denial)

    def _steps(self, at: At, steps: Steps) -> None:
        for skill, step in steps:
            self.trail.step(at, skill, step)


def _unserved(line: Object) -> bool:
    """Whether a server that the command line named is not there, or none of its tools is.

    Only such servers are of the source `dynamic`.
    """
    servers = [each for each in several(line, "mcp_servers") if text(each, "source") == "dynamic"]
    tools = strings(line, "tools")
    return any(
        text(each, "status") != "connected"
        or (tools is not None and not any(tool.startswith(named(text(each, "name") or "")) for tool in tools))
        for each in servers
    )


def _names(line: Object, key: str) -> tuple[str, ...] | None:
    """The names in a list of objects, without servers that never came up; None where there is no list."""
    listed = line.get(key)
    if not isinstance(listed, list):
        return None
    there = [each for each in listed if text(each, "status") not in _ABSENT_SERVERS]
    return tuple([name for each in there if (name := text(each, "name")) is not None])


def digest(told: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
