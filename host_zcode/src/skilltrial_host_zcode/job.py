"""What the bridge is told of one turn, and the lines with which it says where it stands.

The bridge is started for each turn: what it imports is paid for each time, so this is the standard library alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server that the session gets: by `url`, or by `command`."""

    name: str
    url: str | None = None
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """As the protocol wants it: one key too many refuses the whole session."""
        if self.url is not None:
            return {"name": self.name, "type": "http", "url": self.url, "headers": []}
        variables = [{"name": name, "value": value} for name, value in self.environment.items()]
        return {"name": self.name, "command": self.command[0], "args": list(self.command[1:]), "env": variables}


@dataclass(frozen=True, slots=True)
class Job:
    """One turn. `session` is the conversation that is taken up, None for a new one."""

    prompt: str
    session: str | None = None
    model: Mapping[str, Any] = field(default_factory=dict)
    """`providerId`, `modelId` and perhaps `options`."""
    effort: str | None = None
    mode: str = "build"
    servers: tuple[Server, ...] = ()
    tools: tuple[str, ...] = ()
    """Native names of the fixtures' tools: a call of one is always allowed."""
    programs: tuple[str, ...] = ()
    """Names of a fixture's programs: a command that starts nothing but these is always allowed."""
    allow: tuple[str, ...] = ()
    """What the suite allows: `TOOL`, `TOOL(command)` or `TOOL(beginning of a command:*)`."""
    plugin: str | None = None
    """A plugin that the program is to find; it is asked what it found."""
    patience: float = 60.0
    """Seconds that an answer of the program may take; a turn may take as long as its trial."""

    def write(self) -> bytes:
        """As the bridge reads it."""
        return json.dumps(asdict(self)).encode("ascii")

    @classmethod
    def read(cls, data: bytes) -> Job:
        """What `write` wrote."""
        value = json.loads(data)
        return cls(**{**value, "servers": tuple(Server(**one) for one in value["servers"])})


Stage = Literal["sent", "failed", "odd", "closed"]
"""`sent`: this message went to the program. `failed`: the turn did not end as turns do, `word` says how. `odd`: the
program printed what could be mistaken for a line of the bridge's. `closed`: the program is gone, with this `code`."""
Fault = Literal["no_start", "refused", "no_answer", "gone", "turn_end_lost", "unsettled", "stopped"]
"""`no_start`: it ended before its first answer. `refused`: a request of ours came back as an error. `no_answer`: it did
not come back in time. `gone`: the program ended in the middle. `turn_end_lost`: the prompt is over and the turn's end
was never told. `unsettled`: the other way round. `stopped`: the bridge was told to end."""
