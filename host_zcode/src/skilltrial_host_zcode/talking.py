"""The lines of one bridge process, followed: which answer is to which request, what the turn came to. Total."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from skilltrial.api import read_strict_json

from .following import Following
from .lines import NOTHING, Object, inner, text

Kind = Literal[
    "answered", "refused", "event", "state", "asked", "decided", "fault", "closed", "noise", "unknown", "alone"
]
_NO_NEWS = frozenset(
    {
        "startup/storageState",
        "computer-use/operation-event",
        "process/resourceSample",
        "process/mcpTelemetry",
        "process/mcpResourceSamples",
        "process/toolExecResource",
        "plugins/operationProgress",
        "interaction/providerRuntimeHeadersCancelled",
        "v4/conversation/frame",
    }
)
"""Notifications that tell nothing of what an agent did."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one line told. `word` is a method, a decision or a fault; `body` the params, result or error.

    `alone` is an answer to something that nobody asked.
    """

    kind: Kind
    word: str = ""
    body: Object = field(default_factory=dict)
    news: Literal["begun", "ended"] | None = None
    """What became of the turn that was asked for with this very line."""


class NotALine(Exception):
    """It is no line of the conversation. `cut` says that it means to be one."""

    def __init__(self, *, cut: bool) -> None:
        super().__init__()
        self.cut = cut


@dataclass
class Talking:
    """The conversation of one process so far."""

    session: str | None = None
    following: Following | None = None
    ours: dict[str, tuple[str, Object]] = field(default_factory=dict)
    """Our requests that were not answered yet: id → method and params."""
    theirs: dict[str, tuple[str, Object]] = field(default_factory=dict)
    """The program's, likewise."""

    def read(self, raw: str) -> Told:
        """Read the next line. Raises NotALine."""
        try:
            value = read_strict_json(raw)
        except (ValueError, RecursionError):
            raise NotALine(cut=raw.lstrip().startswith("{")) from None
        if not isinstance(value, dict):
            raise NotALine(cut=False)
        if "bridge" in value:
            return self._own(value)
        method, id = text(value, "method"), _id(value)
        if method is None:
            return self._reply(value, id)
        params = inner(value, "params")
        if id is None:
            return self._notified(method, params)
        self.theirs[id] = method, params
        return Told("asked", method, params)

    @property
    def whole(self) -> bool:
        """Whether all that one side asked was answered by the other."""
        return not self.ours and not self.theirs

    def _own(self, line: Object) -> Told:
        """A line of the bridge's."""
        match text(line, "bridge"):
            case "sent":
                return self._sent(inner(line, "message"))
            case "failed":
                return Told("fault", text(line, "word") or "", line)
            case "closed":
                return Told("closed", body=line)
            case _:
                return Told("unknown")

    def _sent(self, message: Object) -> Told:
        method, id = text(message, "method"), _id(message)
        if method is not None and id is not None:
            params = inner(message, "params")
            self.ours[id] = method, params
            given = text(params, "inputId")
            if method == "session/send" and given and (self.following is None or self.following.input != given):
                prompt = text(params, "content") or ""
                self.following = Following(text(params, "sessionId") or "", given, prompt)
            return Told("noise")
        asked, params = self.theirs.pop(id or "", ("", NOTHING))
        if not asked:
            return Told("alone")
        if asked != "interaction/requestPermission":
            return Told("noise")
        return Told("decided", text(inner(message, "result"), "decision") or "", params)

    def _reply(self, message: Object, id: str | None) -> Told:
        method, params = self.ours.pop(id or "", ("", NOTHING))
        if "result" not in message and "error" not in message:
            return Told("unknown")
        if not method:
            return Told("alone")
        if "error" in message:
            return Told("refused", method, inner(message, "error"))
        result = inner(message, "result")
        if method == "session/create":
            self.session = text(inner(result, "session"), "sessionId")
        elif method == "session/resume":
            self.session = text(params, "sessionId")
        return Told("answered", method, result)

    def _notified(self, method: str, params: Object) -> Told:
        news = self.following.hear(method, params) if self.following is not None else None
        match method:
            case "session/event":
                return Told("event", text(params, "type") or "", params, news)
            case "state.updated":
                return Told("state", text(params, "reason") or "", params)
            case _:
                return Told("noise" if method in _NO_NEWS else "unknown", method)


def _id(message: Mapping[str, JsonValue]) -> str | None:
    """An id as a text that tells numbers and texts apart."""
    one = message.get("id")
    return json.dumps(one) if isinstance(one, str) or type(one) is int else None
