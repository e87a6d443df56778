"""The replies file as it is written: named scripts of ordered rules."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from skilltrial.replies.written import Seconds, Word, Written

Name = Annotated[str, Field(min_length=1, max_length=100)]
Fault = Literal["hang", "crash", "missing"]


class Reply(Written):
    """What a program prints, writes, and ends with.

    A text is one as it is, a value that is taken from the call or the state (`{$argument: POINTER}`,
    `{$state: POINTER}`), or a list of such parts.
    """

    stdout: JsonValue = ""
    """A text."""
    json_: Annotated[JsonValue, Field(alias="json")] = None
    """In place of `stdout`: any JSON, printed on one line."""
    stderr: JsonValue = ""
    """A text."""
    exit: Annotated[int, Field(ge=0, le=255)] = 0
    """The exit code."""
    files: dict[str, JsonValue] = Field(default_factory=dict)
    """Path below the folder that it was called in → a text: files that it writes before it prints."""


class Rule(Written):
    """One rule: where it fits, one of `reply`, `fault` and `forward` is what happens. Or, alone, `include`."""

    include: Word | None = None
    """The rules of this script stand here. Its state is not taken over."""
    id: Word | None = None
    """A name, for people."""
    program: Annotated[Name | list[Name] | None, Field(union_mode="left_to_right")] = None
    """The program that is called, or one of several; without it any."""
    argv: list[str] | None = None
    """Its arguments are exactly these."""
    begins: list[str] | None = None
    """Its first arguments are these."""
    arguments: JsonValue = True
    """A JSON Schema that `{argv, cwd, stdin}` fits."""
    state: JsonValue = True
    """A JSON Schema that the state fits, as it is before this call."""
    set: dict[str, JsonValue] = Field(default_factory=dict)
    """Keys of the state that get a new value, before the reply is made. Values may be taken from the call."""
    delay: Seconds = 0.0
    """Seconds before it does anything."""
    reply: Reply | None = None
    fault: Fault | None = None
    """`hang`: it never ends. `crash`: it dies by a signal. `missing`: as if it were not installed."""
    forward: Literal[True] | None = None
    """The real program answers; what it printed is recorded first."""


class Script(Written):
    """Ordered rules; the first that fits decides. Where none fits the call is unexpected."""

    state: dict[str, JsonValue] = Field(default_factory=dict)
    """The state at the begin of each trial."""
    rules: list[Rule]


class RepliesFile(Written):
    """A replies file."""

    schema_version: Literal[1] = 1
    scripts: dict[Word, Script]
    """The scripts by name. A case says which one it plays."""
