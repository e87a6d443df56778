"""The trajectory: what a host did, in one vocabulary. Made by normalizers, read by graders.

Every event has `seq` (of its first record), `turn` (from 1; 0 before the first) and `agent` (None, or the id of the
subagent that did it). The list is closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Literal

from pydantic import JsonValue

from .words import Cause, Ending, Owner


class Absent(Enum):
    """The value of a field that the record did not hold, where null would be a value."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events have."""

    seq: int
    turn: int = 0
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted(Event):
    """The program opened a conversation."""

    session: str | None = None
    version: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded(Event):
    """How it ended. A trajectory without one has the ending `invalid_events`."""

    ending: Ending
    cause: Cause | None = None
    owner: Owner | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """A prompt was sent."""

    prompt_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(Event):
    """The program answered; `answer` is None where the program does not show it."""

    answer: str | None = None
    native_turn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered(Event):
    """What the program said it had. None where it did not say; an empty tuple where it said it had none."""

    skills: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    servers: tuple[str, ...] | None = None
    plugins: tuple[str, ...] | None = None
    instructions: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class FoundServer:
    """An MCP server of a plugin, as the program found it: is it connected, and how many tools has it.

    None where the program does not say; the fixture's own record of its listing tells all the same.
    """

    name: str
    connected: bool | None = None
    tools: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginFound(Event):
    """What the program found where the plugin was installed. `skills` are without the plugin's name.

    `enabled` is None where it does not say; that its servers were reached, whose addresses stand in the plugin alone,
    shows it all the same. `faults` counts what it found wrong with it (a manifest that can't be read, a hook that
    failed).
    """

    plugin: str
    enabled: bool | None
    skills: tuple[str, ...] = ()
    servers: tuple[FoundServer, ...] = ()
    faults: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequested(Event):
    """The program asked its model."""

    provider: str | None = None
    model: str | None = None
    messages: int | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequested(Event):
    """The model asked for a tool. `tool` is the program's own name of it, of an MCP tool the server's name.

    `server` is the MCP server under the name by which it was offered, None for the program's own tools.
    """

    call: str
    tool: str
    server: str | None = None
    input: JsonValue | Absent = ABSENT
    seen: Literal["stream", "session_log", "model"] = "stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRejected(Event):
    """The call was not carried out."""

    call: str
    reason: Literal["schema", "unknown_tool", "permission", "hook", "policy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(Event):
    """The call began."""

    call: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Event):
    """What the call returned to the model."""

    call: str
    content: JsonValue = None
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolError(Event):
    """The call broke down: no result."""

    call: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionDecided(Event):
    """Somebody allowed or refused a call."""

    call: str | None
    tool: str
    decision: Literal["allowed", "denied"]
    by: str = "host"


class Step(StrEnum):
    """How far a skill came, from weakest to strongest; `errored` is a load that failed."""

    OFFERED = "offered"
    MENTIONED = "mentioned"
    REQUESTED = "requested"
    ERRORED = "errored"
    READ = "read"
    SCRIPT_RUN = "script_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillStep(Event):
    """A suite's skill was offered, read ...: known by path and content digest of *this* skill, never by name alone."""

    skill: str
    step: Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(Event):
    """Tokens and cost of this turn only; None where unknown. `cost` is in US dollars."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None
    cost: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry(Event):
    """The program asked its model again."""

    cause: Cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Event):
    """The program said something to its user (a warning); kept as a digest."""

    text_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncated(Event):
    """A record was cut; `where` says in which stream."""

    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unrecognized(Event):
    """A record that the normalizer does not know. Never dropped, never a crash; `seq` leads to it."""

    why: str = "unknown"


EVENTS: tuple[type[Event], ...] = (
    SessionStarted,
    SessionEnded,
    TurnStarted,
    TurnEnded,
    Offered,
    PluginFound,
    ModelRequested,
    ToolRequested,
    ToolRejected,
    ToolStarted,
    ToolResult,
    ToolError,
    PermissionDecided,
    SkillStep,
    Usage,
    Retry,
    Notice,
    Truncated,
    Unrecognized,
)
"""All of them."""
