"""A conversation as its session log has it: calls, responses, messages, ends of turns."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skilltrial.api import ABSENT, Absent, Event

from .lines import Object, text
from .shelf import Later, Shelf
from .stream import Item

EXECUTED = {
    "CommandExecution": "command_execution",
    "FileChange": "file_change",
    "McpToolCall": "mcp_tool_call",
    "CollabAgentToolCall": "collab_tool_call",
    "WebSearch": "web_search",
}
"""A session log's item that is a carried-out call → the stream's word for it."""

_SHELL = re.compile(
    r"""[^ \t\r\n'"\\]+ (?:-c|-lc) (?:'([^']*)'|"([^"\\]*)"|([^ \t\r\n'"\\]+))""",
)
"""`SHELL -lc SCRIPT` where nothing is escaped: shlex would say the same, and takes its time."""


@dataclass(slots=True)
class Call:
    """A tool's call. `parent` is the `exec` call whose script made it (code mode).

    `asked` is its input, `answered` what the model was told, `done` what was carried out; each may lie on the shelf.
    """

    seq: int
    turn: int
    id: str
    tool: str
    namespace: str | None = None
    asked: Any | Absent | Later = ABSENT
    answered: Any | Later = None
    output_seq: int | None = None
    done: Object | Later = field(default_factory=dict)
    item_kind: str | None = None
    item_seq: int | None = None
    parent: Call | None = None
    stream: Item | None = None
    shelf: Shelf | None = None
    redacted: bool = False
    is_script: bool = False
    """Code mode's `exec`: its input is JavaScript that calls the other tools."""

    @property
    def input(self) -> Any | Absent:
        """What it was asked for with."""
        return self._read(self.asked)

    @property
    def output(self) -> Any:
        """What the model was told; None where it was told nothing."""
        return self._read(self.answered)

    @property
    def item(self) -> Object:
        """What was carried out; empty where that is not known."""
        found: Object = self._read(self.done)
        return found

    def _read(self, value: Any) -> Any:
        return value if self.shelf is None else self.shelf.read(value)


class Asked(NamedTuple):
    """One response of the model, with its tokens; `whole` are the turn's tokens so far."""

    seq: int
    turn: int
    model: str | None
    response: str | None
    whole: Object


class Said(NamedTuple):
    """A message to the model that the program wrote: `role` is user or developer."""

    seq: int
    turn: int
    role: str
    text: str
    redacted: bool


@dataclass(slots=True)
class Done:
    """How the log says that a turn ended."""

    seq: int
    turn: int
    id: str | None
    error: Object


@dataclass(slots=True)
class Thread:
    """One conversation: the main one, or a subagent's (`parent` is then set)."""

    seq: int = 0
    id: str | None = None
    parent: str | None = None
    version: str | None = None
    provider: str | None = None
    cwd: str | None = None
    model: str | None = None
    turn_ids: dict[int, str] = field(default_factory=dict)
    disabled: dict[int, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    """Turn → the record that says which plugins are off, and which."""
    steps: list[Call | Asked | Said] = field(default_factory=list)
    """In the order in which they happened."""
    tools: list[str] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    calls: dict[str, Call] = field(default_factory=dict)
    ordinal: int | None = None
    """The number of its last row; the log of a conversation that is taken up again goes on counting."""
    script: Call | None = None
    """The `exec` call (code mode) that runs just now."""


def tool_of(kind: str, item: Object) -> str:
    """The native name of the tool that does this kind of thing."""
    return {"command_execution": "exec_command", "file_change": "apply_patch"}.get(kind) or text(item, "tool") or kind


def input_of(kind: str, item: Object) -> Any:
    """The input of a call that is known only by what was carried out, stream item or log item."""
    match kind:
        case "command_execution":
            return {"cmd": command_of(item)}
        case "mcp_tool_call":
            return item.get("arguments", ABSENT)
        case "file_change":
            return {"changes": item.get("changes")}
        case _:
            return {key: item[key] for key in ("prompt", "query", "receiver_thread_ids") if key in item}


def command_of(item: Object) -> str:
    """The script of a command: in the log a list of words, in the stream one string of quoted words."""
    command = item.get("command")
    if isinstance(command, str):
        if found := _SHELL.fullmatch(command):
            return found[1] or found[2] or found[3] or ""
        try:
            words = shlex.split(command)
        except ValueError:
            return command
    else:
        words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    return words[2] if len(words) == 3 and words[1] in {"-c", "-lc"} else shlex.join(words)


def plain(name: str) -> str:
    """A server's or tool's name as the program tells it to its model: what is no letter or digit becomes `_`."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)
