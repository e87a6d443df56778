"""The stream of `codex exec --json`: what one process, and so one turn, printed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from skilltrial.api import Event, Notice, Retry, Unrecognized

from .causes import cause_of
from .lines import Line, Object, inner, text
from .shelf import Shelf

CALLS: Mapping[str, str] = MappingProxyType(
    {kind: kind for kind in ("command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search")}
)
"""Items that are a tool's call; each kind is one text, however many items are of it."""
_OTHERS = frozenset({"reasoning", "todo_list"})
RETRYING = "Reconnecting..."


@dataclass(slots=True)
class Item:
    """One item: its call begins at `started` and ends at `completed` (sequence numbers, or None)."""

    id: str
    kind: str
    started: int | None = None
    completed: int | None = None
    told: Object | int = field(default_factory=dict)
    """What its last line says, or where that stands."""
    shelf: Shelf | None = None

    @property
    def value(self) -> Object:
        """What its last line says."""
        if isinstance(self.told, dict):
            return self.told
        return self.shelf.again(self.told, "item") if self.shelf is not None else {}

    @property
    def first(self) -> int:
        """Where it was first seen."""
        return self.started if self.started is not None else self.completed or 0


@dataclass(slots=True)
class StreamTurn:
    """What the stream says about one turn."""

    turn: int
    thread: str | None = None
    opened: int | None = None
    began: int | None = None
    answer: str | None = None
    items: dict[str, Item] = field(default_factory=dict)
    completed: int | None = None
    usage: Object = field(default_factory=dict)
    failed: int | None = None
    error: int | None = None
    message: str = ""
    last: int = 0
    events: list[Event] = field(default_factory=list)


class Turns:
    """The turns of a trial, by their number, as lines are told."""

    def __init__(self, shelf: Shelf) -> None:
        self.found: dict[int, StreamTurn] = {}
        self._shelf = shelf

    def tell(self, line: Line | Event) -> None:
        """Take a line of the stream."""
        turn = self.found.get(line.turn)
        if turn is None:
            turn = self.found[line.turn] = StreamTurn(line.turn)
        turn.last = line.seq
        if isinstance(line, Line):
            _take(turn, line, self._shelf)
        else:
            turn.events.append(line)


def _take(turn: StreamTurn, line: Line, shelf: Shelf) -> None:
    match line.value.get("type"):
        case "thread.started":
            turn.thread, turn.opened = text(line.value, "thread_id"), line.seq
        case "turn.started":
            turn.began = line.seq
        case "turn.completed":
            turn.completed, turn.usage = line.seq, inner(line.value, "usage")
        case "turn.failed":
            turn.failed = line.seq
            turn.message = text(inner(line.value, "error"), "message") or turn.message
        case "error":
            _error(turn, line)
        case "item.started" | "item.updated" | "item.completed" as kind:
            _item(turn, line, kind, shelf)
        case _:
            turn.events.append(Unrecognized(seq=line.seq, turn=line.turn, why="line"))


def _error(turn: StreamTurn, line: Line) -> None:
    message = text(line.value, "message") or ""
    if message.startswith(RETRYING):
        turn.events.append(Retry(seq=line.seq, turn=line.turn, cause=cause_of(message, None)))
    else:
        # The last word before `turn.failed`; where the turn goes on all the same, it was a warning.
        turn.error, turn.message = line.seq, message


def _item(turn: StreamTurn, line: Line, kind: str, shelf: Shelf) -> None:
    value = inner(line.value, "item")
    what, id = text(value, "type"), text(value, "id")
    if what is not None and what in CALLS and id is not None:
        item = turn.items.get(id)
        if item is None:
            item = turn.items[id] = Item(id, CALLS[what], shelf=shelf)
        item.told = value if shelf.holds(line) else line.place
        if kind == "item.completed":
            item.completed = line.seq
        elif item.started is None:
            item.started = line.seq
    elif what == "agent_message":
        if kind == "item.completed":
            turn.answer = text(value, "text")
    elif what == "error":
        turn.events.append(Notice(seq=line.seq, turn=line.turn, text_sha256=digest(text(value, "message") or "")))
    elif what not in _OTHERS:
        turn.events.append(Unrecognized(seq=line.seq, turn=line.turn, why="item"))


def digest(value: str) -> str:
    """SHA-256 of a text's UTF-8 bytes; lone surrogates are the bytes that they stand for, where they stand for one."""
    try:
        return hashlib.sha256(value.encode("utf-8", "surrogateescape")).hexdigest()
    except UnicodeEncodeError:
        return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
