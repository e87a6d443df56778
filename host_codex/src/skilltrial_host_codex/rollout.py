"""The session log (`rollout-*.jsonl`): every call by its id, also those that the stream hides."""

from __future__ import annotations

from collections.abc import Iterator
from sys import intern
from typing import Any

from skilltrial.api import Event, Unrecognized, read_json

from .lines import Line, Object, inner, number, text, texts
from .shelf import Shelf
from .thread import EXECUTED, Asked, Call, Done, Said, Thread, input_of, tool_of

_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
_CALLS = frozenset({"function_call", "custom_tool_call", "tool_search_call", "web_search_call"})
_SILENT = frozenset({"token_count", "thread_settings_applied", "turn_aborted", "task_started"})
_SILENT_ITEMS = frozenset({"AgentMessage", "UserMessage", "Reasoning"})


class Threads:
    """The conversations of a trial, in the order in which their logs were read, as lines are told.

    A log begins with its `session_meta`. In a later turn it is read on without one: the main conversation's first,
    then each whose rows take up its count.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._known: dict[str | None, Thread] = {}
        self._thread, self._turn = Thread(), 0
        self._shelf = shelf

    @property
    def found(self) -> list[Thread]:
        """All of them. Empty where there is no log."""
        return list(self._known.values())

    def tell(self, line: Line | Event) -> None:
        """Take a row of a log."""
        thread, known = self._thread, self._known
        resumed = line.turn != self._turn
        if resumed:
            thread = next((each for each in known.values() if each.parent is None), thread)
            self._turn = line.turn
        if not isinstance(line, Line):
            self._thread = thread = known.setdefault(thread.id, thread)
            thread.events.append(line)
            return
        row, ordinal = line.value.get("type"), number(line.value, "ordinal")
        if row == "session_meta":
            self._thread = _begun(known, line)
            return
        if not known:  # a log without its beginning
            known[thread.id] = thread
        elif not (resumed or ordinal is None or thread.ordinal is None or ordinal == thread.ordinal + 1):
            thread = next((other for other in known.values() if other.ordinal == ordinal - 1), thread)
        self._thread = thread
        thread.ordinal = ordinal
        _row(thread, line, row, self._shelf)


def _begun(known: dict[str | None, Thread], line: Line) -> Thread:
    """The conversation whose log begins here."""
    meta = inner(line.value, "payload")
    id = text(meta, "id")
    thread = known.setdefault(id, Thread(line.seq, id))
    thread.parent = text(meta, "parent_thread_id")
    thread.version = text(meta, "cli_version")
    thread.provider, thread.cwd = text(meta, "model_provider"), text(meta, "cwd")
    thread.ordinal = number(line.value, "ordinal")
    return thread


def _row(thread: Thread, line: Line, row: object, shelf: Shelf) -> None:
    payload = inner(line.value, "payload")
    match row:
        case "response_item":
            _response(thread, line, payload, shelf)
        case "event_msg":
            _happened(thread, line, payload, shelf)
        case "token_usage_record":
            whole = inner(payload, "turn_token_usage")
            thread.steps.append(Asked(line.seq, line.turn, thread.model, text(payload, "response_id"), whole))
        case "turn_context":
            thread.model = text(payload, "model") or thread.model
            thread.turn_ids[line.turn] = text(payload, "turn_id") or ""
            if isinstance(off := payload.get("disabled_plugin_ids"), list):
                thread.disabled[line.turn] = (line.seq, tuple(one for one in off if isinstance(one, str)))
        case "world_state":
            pass
        case _:
            thread.events.append(Unrecognized(seq=line.seq, turn=line.turn, why="session_log"))


def _happened(thread: Thread, line: Line, payload: Object, shelf: Shelf) -> None:
    """What the program did."""
    what = text(payload, "type") or ""
    if what in _SILENT:
        return
    if what == "item_completed":
        _item(thread, line, inner(payload, "item"), shelf)
    elif what == "task_complete":
        thread.done.append(Done(line.seq, line.turn, text(payload, "turn_id"), inner(payload, "error")))
    else:
        thread.events.append(Unrecognized(seq=line.seq, turn=line.turn, why="session_log"))


def _response(thread: Thread, line: Line, payload: Object, shelf: Shelf) -> None:
    """An item of the conversation as the model has it."""
    what = text(payload, "type") or ""
    if what == "message":
        _message(thread, line, payload)
    elif what in _CALLS:
        _call(thread, line, payload, what, shelf)
    elif what in _OUTPUTS:
        _output(thread, line, payload, what, shelf)
    elif what == "additional_tools":
        thread.tools.extend(_names(payload))
    elif what != "reasoning":
        thread.events.append(Unrecognized(seq=line.seq, turn=line.turn, why="session_log"))


def _message(thread: Thread, line: Line, payload: Object) -> None:
    role, content = text(payload, "role") or "", payload.get("content")
    if role == "assistant":
        return
    for part in content if isinstance(content, list) else [content]:
        if told := text(part, "text") if isinstance(part, dict) else texts(part):
            thread.steps.append(Said(line.seq, line.turn, role, told, line.redacted))


def _call(thread: Thread, line: Line, payload: Object, what: str, shelf: Shelf) -> None:
    id = text(payload, "call_id") or text(payload, "id") or f"line-{line.seq}"
    tool = intern(text(payload, "name") or what.removesuffix("_call"))
    call = Call(line.seq, line.turn, id, tool, text(payload, "namespace"), shelf=shelf)
    if what == "function_call":
        value, parsed = _arguments(payload.get("arguments"))
        call.asked = shelf.kept(line, value, "arguments", text=parsed)
    else:
        key = {"custom_tool_call": "input", "web_search_call": "action"}.get(what, "arguments")
        call.asked = shelf.kept(line, payload.get(key), key)
    call.redacted = line.redacted
    thread.calls[id] = call
    thread.steps.append(call)
    if what == "custom_tool_call" and call.tool == "exec":
        call.is_script, thread.script = True, call


def _arguments(raw: object) -> tuple[Any, bool]:
    """What the model wrote as arguments, and whether that was JSON in a text."""
    if not isinstance(raw, str):
        return raw, False
    try:
        return read_json(raw), True
    except (ValueError, RecursionError):
        return raw, False


def _output(thread: Thread, line: Line, payload: Object, what: str, shelf: Shelf) -> None:
    call = thread.calls.get(text(payload, "call_id") or "")
    if call is None:
        thread.events.append(Unrecognized(seq=line.seq, turn=line.turn, why="output_without_call"))
        return
    key = "tools" if what == "tool_search_output" else "output"
    call.answered = shelf.kept(line, payload.get(key), key)
    call.output_seq, call.redacted = line.seq, call.redacted or line.redacted
    if call is thread.script:
        thread.script = None


def _item(thread: Thread, line: Line, item: Object, shelf: Shelf) -> None:
    what, id = text(item, "type"), text(item, "id")
    kind = EXECUTED.get(what or "")
    if kind is None or id is None:
        if what not in _SILENT_ITEMS:
            thread.events.append(Unrecognized(seq=line.seq, turn=line.turn, why="session_log_item"))
        return
    call = thread.calls.get(id)
    if call is None:
        # Code mode: the id is the program's own, and only the order says which script made the call.
        tool = intern(tool_of(kind, item))
        call = thread.calls[id] = Call(line.seq, line.turn, id, tool, parent=thread.script, shelf=shelf)
        call.asked = input_of(kind, item)
        thread.steps.append(call)
    call.done, call.item_kind, call.item_seq = shelf.kept(line, item, "item"), kind, line.seq
    call.redacted = call.redacted or line.redacted


def _names(payload: Object) -> Iterator[str]:
    """The tools of a list of tools; those of a namespace as `namespace.tool`."""
    found = payload.get("tools")
    for tool in found if isinstance(found, list) else ():
        name = text(tool, "name")
        within = tool.get("tools") if isinstance(tool, dict) else None
        if isinstance(within, list):
            yield from (f"{name}.{text(one, 'name')}" for one in within if text(one, "name"))
        elif name:
            yield name
