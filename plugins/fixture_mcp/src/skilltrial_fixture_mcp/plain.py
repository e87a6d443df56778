"""A script as plain data: what was written and found good, its includes in their places, and what is no file's.

The models of `replies` check what is written; from here on nothing is checked again, and a server that runs as a
process of its own is given this as JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypedDict

if TYPE_CHECKING:
    from pydantic import JsonValue

    from skilltrial.api import Source

Fault = Literal["hang", "drop", "malformed", "server_error"]
Speaks = Literal["both", "2026-07-28", "handshake"]
"""Which revisions a server speaks."""


class PlainReply(TypedDict, total=False):
    """See `replies.Reply`; a key that was not written is not there."""

    body: JsonValue
    text: JsonValue
    content: list[JsonValue] | None
    structuredContent: JsonValue
    isError: bool


class PlainRule(TypedDict, total=False):
    """See `replies.Rule`."""

    id: str
    tool: str | list[str] | None
    arguments: dict[str, JsonValue] | bool
    state: dict[str, JsonValue] | bool
    set: dict[str, JsonValue]
    hide: list[str]
    show: list[str]
    delay: float
    reply: PlainReply | None
    fault: Fault | None


class PlainRoute(TypedDict, total=False):
    """See `replies.Route`."""

    method: str
    path: str
    arguments: dict[str, JsonValue] | bool
    state: dict[str, JsonValue] | bool
    set: dict[str, JsonValue]
    delay: float
    status: int
    body: JsonValue
    text: JsonValue
    fault: Fault | None


class PlainScript(TypedDict):
    """See `replies.Script`."""

    state: dict[str, JsonValue]
    hidden: list[str]
    rules: list[PlainRule]
    routes: list[PlainRoute]


class Plan(TypedDict):
    """What is served: who the server is, its tools, and the script that is played, with the state that it begins in."""

    name: str
    version: str
    instructions: str | None
    speaks: Speaks
    tools: list[dict[str, JsonValue]]
    script: PlainScript


class Keeper(Protocol):
    """Where records go: that half of a Recorder which a server needs."""

    def record(self, source: Source, *lines: str) -> None:
        """Keep lines as they came; several are written as one."""
