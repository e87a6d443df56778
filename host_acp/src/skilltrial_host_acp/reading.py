"""The lines of one bridge process, followed: which request is which, what the turn came to. Pure and total."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

Object = Mapping[str, JsonValue]
NOTHING: Object = {}


@dataclass(frozen=True, slots=True)
class Told:
    """What one line told. `body` is an update, a request for permission, or the answer to one."""

    kind: Literal["begun", "opened", "update", "asked", "decided", "answered", "failed", "refused", "noise"]
    body: Object = field(default_factory=dict)
    call: str | None = None
    word: str = ""


class NotALine(Exception):
    """It is no line of the bridge. `cut` says that it means to be one."""

    def __init__(self, *, cut: bool) -> None:
        super().__init__()
        self.cut = cut


@dataclass
class Messages:
    """The conversation of one process so far."""

    session: str | None = None
    prompted: bool = False
    ended: bool = False
    stop: str | None = None
    answer: list[str] = field(default_factory=list)
    requests: dict[str, str] = field(default_factory=dict)
    """Our own requests: id → method."""
    asked: dict[str, tuple[str, Object]] = field(default_factory=dict)
    """The agent's requests for permission: id → call, and the options by which it is answered."""

    def line(self, raw: str) -> Told:
        """Read the next line; `noise` for one that tells nothing, and for one that can't be read."""
        try:
            return self.read(raw)
        except NotALine:
            return Told("noise")

    def read(self, raw: str) -> Told:
        """Read the next line. Raises NotALine."""
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            raise NotALine(cut=raw.lstrip().startswith("{")) from None
        if not isinstance(value, dict):
            raise NotALine(cut=False)
        if "bridge" in value:
            return self._own(text(value, "bridge"), text(value, "word") or "")
        message = inner(value, "message")
        if not message:
            raise NotALine(cut=False)
        return self._agent(message) if value.get("from") == "agent" else self._client(message)

    def _own(self, stage: str | None, word: str) -> Told:
        if stage == "prompted":
            self.prompted, self.session = True, word or None
            return Told("opened", word=word)
        if stage in ("refused", "failed"):
            self.ended = False
            return Told("refused" if stage == "refused" else "failed", word=word)
        return Told("noise")

    def _client(self, message: Object) -> Told:
        number, method = _id(message), text(message, "method")
        if method is not None and number is not None:
            self.requests[number] = method
            return Told("noise")
        call, options = self.asked.pop(number or "", (None, NOTHING))
        if call is None:
            return Told("noise")
        outcome = inner(inner(message, "result"), "outcome")
        chosen = text(outcome, "optionId")
        return Told("decided", call=call, word=str(options.get(chosen or "", "")))

    def _agent(self, message: Object) -> Told:
        method, number = text(message, "method"), _id(message)
        params = inner(message, "params")
        if method == "session/update":
            return self._update(inner(params, "update")) if self.prompted else Told("noise")
        if method == "session/request_permission" and number is not None:
            call = inner(params, "toolCall")
            self.asked[number] = (text(call, "toolCallId") or "", dict(_options(params)))
            return Told("asked", body=call, call=text(call, "toolCallId"))
        if method is not None or number is None:
            return Told("noise")
        asked = self.requests.pop(number, None)
        if "error" in message and asked is not None:
            self.ended = False
            return Told("failed", body=inner(message, "error"), word=asked)
        result = inner(message, "result")
        if asked == "initialize":
            return Told("begun", body=result)
        if asked == "session/prompt":
            self.stop = text(result, "stopReason")
            self.ended = self.stop == "end_turn"
            return Told("answered", body=result, word=self.stop or "")
        return Told("noise")

    def _update(self, update: Object) -> Told:
        kind = text(update, "sessionUpdate")
        if kind == "agent_message_chunk":
            self.answer.append(text(inner(update, "content"), "text") or "")
        elif kind == "tool_call":
            self.answer.clear()
        return Told("update", body=update, call=text(update, "toolCallId"), word=kind or "")


def _options(params: Object) -> Iterator[tuple[str, str]]:
    options = params.get("options")
    for option in options if isinstance(options, list) else ():
        if isinstance(option, dict) and (name := text(option, "optionId")) is not None:
            yield name, text(option, "kind") or ""


def text(value: JsonValue | Object, key: str) -> str | None:
    """The text at `key`; None where there is none."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if isinstance(one, str) else None


def inner(value: JsonValue | Object, key: str) -> Object:
    """The object at `key`; empty where there is none."""
    one = value.get(key) if isinstance(value, Mapping) else None
    return one if isinstance(one, dict) else NOTHING


def _id(message: Object) -> str | None:
    """A JSON-RPC id as a text that tells numbers and texts apart."""
    one = message.get("id")
    return None if one is None or isinstance(one, bool | list | dict) else json.dumps(one)
