"""What the bridge is told of one turn, and the lines with which it says where it stands."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from skilltrial.api import Part


class Server(Part):
    """An MCP server that the session gets: by `url`, or by `command`."""

    name: str
    url: str | None = None
    command: tuple[str, ...] = ()
    environment: dict[str, str] = Field(default_factory=dict)


class Job(Part):
    """One turn. `session` is the conversation that is taken up, None for a new one."""

    prompt: str
    session: str | None = None
    servers: tuple[Server, ...] = ()
    tools: tuple[str, ...] = ()
    """Names of the servers' tools: a call of one is always allowed."""
    programs: tuple[str, ...] = ()
    """Names of a fixture's programs: a line of commands of these is always allowed."""
    allow: tuple[str, ...] = ()
    """What the suite allows: names of tools, kinds of calls, or beginnings of their titles and of commands."""


Stage = Literal["prompted", "refused", "failed"]
"""`prompted`: the prompt goes out now, what comes next belongs to this turn. `refused`: the agent can't do what the
session needs. `failed`: the conversation broke."""
