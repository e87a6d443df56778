"""Which item of the stream is which call of the session log: their ids differ, so by what they did, in order."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence

from .lines import Object, several, text
from .stream import Item, StreamTurn, digest
from .thread import Call, Thread, command_of, plain

_LONG = 200


def join(thread: Thread, turns: Sequence[StreamTurn]) -> dict[int, list[Item]]:
    """Give each call its stream item; return the items of each turn that no call of the log has."""
    waiting: dict[Hashable, list[Item]] = {}
    for turn in turns:
        for item in turn.items.values():
            waiting.setdefault((turn.turn, _key(item.kind, item.value)), []).append(item)
    for call in (step for step in thread.steps if isinstance(step, Call)):
        for key in _keys(call):
            if found := waiting.get((call.turn, key)):
                call.stream = found.pop(0)
                break
    left = {id(item) for items in waiting.values() for item in items}
    return {turn.turn: [item for item in turn.items.values() if id(item) in left] for turn in turns}


def _keys(call: Call) -> list[Hashable]:
    """What its item would look like: as it was carried out, else as it was asked for."""
    if call.item_kind is not None:
        return [_key(call.item_kind, call.item)]
    if call.output_seq is not None:
        return []  # answered, and nothing was carried out: the stream has no item of it
    if call.namespace is not None and call.namespace.startswith("mcp__"):
        server = call.namespace.removeprefix("mcp__")
        return [("mcp", server, plain(call.tool), _canonical(call.input))]
    if call.tool == "exec_command" and isinstance(call.input, dict):
        command = text(call.input, "cmd")
        return [("command", None if command is None else _short(command))]
    return []


def _key(kind: str, item: Object) -> Hashable:
    match kind:
        case "command_execution":
            return "command", _short(command_of(item))
        case "mcp_tool_call":
            names = plain(text(item, "server") or ""), plain(text(item, "tool") or "")
            return "mcp", *names, _canonical(item.get("arguments"))
        case "file_change":
            return "files", _changed(item)
        case _:
            return kind, text(item, "tool") or text(item, "query")


def _changed(item: Object) -> tuple[str, ...]:
    changes = item.get("changes")
    if isinstance(changes, dict):
        return tuple(sorted(changes))
    return tuple(sorted(path for change in several(item, "changes") if (path := text(change, "path")) is not None))


def _canonical(value: object) -> str:
    try:
        return _short(json.dumps(value, sort_keys=True))
    except (TypeError, ValueError, RecursionError):
        return repr(type(value))


def _short(told: str) -> str:
    """The text, or in place of a long one its digest: so many are held at once."""
    return told if len(told) < _LONG else digest(told)
