"""Which item of the stream is which call of the session log: their ids differ, so by what they did, in order."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Hashable, Sequence
from hashlib import blake2b

from .lines import Object, several, text
from .stream import Item, StreamTurn, digest
from .thread import Call, Thread, command_of, plain

_LONG = 200


def join(thread: Thread, turns: Sequence[StreamTurn], *, many: bool = False) -> None:
    """Give each call its stream item; a turn keeps the items that no call of the log has.

    Where there are `many` of them, what an item did is told by a number in place of its text.
    """
    waiting: dict[Hashable, Item | deque[Item]] = {}
    shown = [(turn, list(turn.items.values())) for turn in turns]
    for turn, items in shown:
        turn.items = {}
        for item in items:
            key: Hashable = turn.turn, _key(item.kind, item.value)
            _wait(waiting, _number(key) if many else key, item)
    for call in thread.steps:
        if isinstance(call, Call) and (told := _asked_or_done(call)) is not None:
            key = call.turn, told
            call.stream = _next(waiting, _number(key) if many else key)
    left = {id(item) for found in waiting.values() for item in (found if isinstance(found, deque) else (found,))}
    for turn, items in shown:
        turn.items = {item.id: item for item in items if id(item) in left}


def _wait(waiting: dict[Hashable, Item | deque[Item]], key: Hashable, item: Item) -> None:
    before = waiting.get(key)
    if before is None:
        waiting[key] = item
    elif isinstance(before, deque):
        before.append(item)
    else:
        waiting[key] = deque((before, item))


def _next(waiting: dict[Hashable, Item | deque[Item]], key: Hashable) -> Item | None:
    """The first one that waits under that key; it waits no longer."""
    found = waiting.get(key)
    if isinstance(found, deque):
        return found.popleft() if found else None
    if found is not None:
        del waiting[key]
    return found


def _asked_or_done(call: Call) -> Hashable | None:
    """What its item would look like: as it was carried out, else as it was asked for; None where it has none."""
    if call.item_kind is not None:
        return _key(call.item_kind, call.item)
    if call.output_seq is not None:
        return None  # answered, and nothing was carried out: the stream has no item of it
    if call.namespace is not None and call.namespace.startswith("mcp__"):
        server = call.namespace.removeprefix("mcp__")
        return "mcp", server, plain(call.tool), _canonical(call.input)
    if call.tool == "exec_command" and isinstance(call.input, dict):
        command = text(call.input, "cmd")
        return "command", None if command is None else _short(command)
    return None


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


def _number(key: Hashable) -> int:
    """A number of what is done; two different ones have the same one time in 10 milliards."""
    return int.from_bytes(blake2b(repr(key).encode("ascii", "backslashreplace"), digest_size=8).digest(), "big")


def _short(told: str) -> str:
    """The text, or in place of a long one its digest: so many are held at once."""
    return told if len(told) < _LONG else digest(told)
