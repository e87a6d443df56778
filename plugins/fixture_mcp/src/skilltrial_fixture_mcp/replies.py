"""The replies file as it is written: named scripts of ordered rules."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from skilltrial.replies.written import Seconds, Word, Written

ToolName = Annotated[str, Field(min_length=1, max_length=200)]
Fault = Literal["hang", "drop", "malformed", "server_error"]


class Reply(Written):
    """What a call is answered: exactly one of `body`, `text` and `content`.

    In all of them `{$argument: POINTER}` and `{$state: POINTER}` stand for a value of the call's arguments or of the
    state after `set`, with `else` for where there is none (default null); `{$literal: VALUE}` is VALUE as it stands.
    """

    body: JsonValue = None
    """Any JSON, sent as one text (a text as it is) and as structured content too where the tool promises some."""
    text: JsonValue = None
    """One text."""
    content: list[JsonValue] | None = None
    """Content blocks, as MCP has them."""
    structured: Annotated[JsonValue, Field(alias="structuredContent")] = None
    """Beside `text` or `content`: what is sent as structured content, and recorded as the result."""
    is_error: Annotated[bool, Field(alias="isError")] = False
    """Whether it is sent as an error of the tool."""


class Rule(Written):
    """One rule: where it fits, its `reply` or its `fault` is what happens. Or, alone, `include`."""

    include: Word | None = None
    """The rules of this script stand here. Its state and hidden tools are not taken over."""
    id: Word | None = None
    """A name, for people."""
    tool: Annotated[ToolName | list[ToolName] | None, Field(union_mode="left_to_right")] = None
    """The tool that is called, or one of several; without it any tool of the catalog."""
    arguments: JsonValue = True
    """A JSON Schema that the arguments fit."""
    state: JsonValue = True
    """A JSON Schema that the state fits, as it is before this call."""
    set: dict[str, JsonValue] = Field(default_factory=dict)
    """Keys of the state that get a new value, before the reply is made. Values may be taken from the call."""
    hide: list[ToolName] = Field(default_factory=list)
    """Tools that are no longer listed; clients hear that the list has changed."""
    show: list[ToolName] = Field(default_factory=list)
    """Tools that are listed from now on."""
    delay: Seconds = 0.0
    """Seconds before the answer is sent."""
    reply: Reply | None = None
    fault: Fault | None = None
    """`hang`: no answer. `drop`: the connection breaks. `malformed`: no JSON. `server_error`: HTTP status 500."""


class Route(Written):
    """A request over plain HTTP and its answer: exactly one of `body`, `text` and `fault`.

    The rules see arguments with `path` (its open places by name), `query` and `body`.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    path: Annotated[str, Field(pattern=r"^/[^?#]*$", max_length=500)]
    """Below the trial's own path; `{name}` is one step, whatever it is."""
    arguments: JsonValue = True
    """A JSON Schema that the arguments fit."""
    state: JsonValue = True
    """A JSON Schema that the state fits."""
    set: dict[str, JsonValue] = Field(default_factory=dict)
    """Keys of the state that get a new value, before the answer is made."""
    delay: Seconds = 0.0
    """Seconds before the answer is sent."""
    status: Annotated[int, Field(ge=200, le=599)] = 200
    body: JsonValue = None
    """Any JSON, with values taken from arguments and state."""
    text: JsonValue = None
    """A plain text."""
    fault: Fault | None = None


class Script(Written):
    """Ordered rules; the first that fits decides. Where none fits the operation is unexpected."""

    state: dict[str, JsonValue] = Field(default_factory=dict)
    """The state at the begin of each trial."""
    hidden: list[ToolName] = Field(default_factory=list)
    """Tools of the catalog that are not listed at first."""
    rules: list[Rule]
    routes: list[Route] = Field(default_factory=list)
    """Plain HTTP below the trial's path, the first that fits; then those of included scripts."""


class RepliesFile(Written):
    """A replies file."""

    schema_version: Literal[1] = 1
    scripts: dict[Word, Script]
    """The scripts by name. A case says which one it plays."""
