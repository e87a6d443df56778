"""The real server behind a fixture that forwards: one connection for each trial, and what can go wrong with it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .params import repeated_of
from .passing import Said, UpstreamFailed
from .revisions import CAPABILITIES_KEY, CLIENT_KEY, HANDSHAKE, MODERN, VERSION_KEY
from .rpc import Params

if TYPE_CHECKING:
    from pydantic import JsonValue

CLIENT: Params = {"name": "skilltrial-fixture-mcp", "version": "1"}
CALL_SECONDS = 300.0
"""How long a real server may take for one answer."""
MOST_PAGES = 1000


class Line(Protocol):
    """A connection to a server, over whatever transport. All methods raise UpstreamFailed."""

    @abstractmethod
    async def ask(self, method: str, params: Params, revision: str, repeated: Mapping[str, str]) -> Said:
        """Send a request and wait for its answer. `repeated` are headers that say again what the body says."""

    @abstractmethod
    async def tell(self, method: str, revision: str) -> None:
        """Send a notification."""

    @abstractmethod
    async def close(self) -> None:
        """End the connection, and what was started for it."""


@dataclass(slots=True)
class Upstream:
    """A real server as a trial uses it. `revision` is the one that both speak."""

    line: Line
    revision: str = MODERN
    schemas: dict[str, JsonValue] = field(default_factory=dict)
    """The tools' input schemas as the server lists them, by name."""

    async def connect(self) -> None:
        """Find the revision that the server speaks, the stateless one first. Raises UpstreamFailed."""
        found = await self._probe()
        if found:
            return
        asked: Params = {"protocolVersion": HANDSHAKE[-1], "capabilities": {}, "clientInfo": CLIENT}
        said = await self.line.ask("initialize", asked, HANDSHAKE[-1], {})
        spoken = None if said.result is None else said.result.get("protocolVersion")
        if not isinstance(spoken, str) or spoken not in HANDSHAKE:
            raise UpstreamFailed("no_common_revision")
        self.revision = spoken
        await self.line.tell("notifications/initialized", spoken)

    async def list_tools(self) -> Mapping[str, JsonValue]:
        """The tools' input schemas by name, from all pages. Raises UpstreamFailed."""
        cursor: JsonValue = None
        for _ in range(MOST_PAGES):
            said = await self.ask("tools/list", {} if cursor is None else {"cursor": cursor})
            tools = None if said.result is None else said.result.get("tools")
            if not isinstance(tools, list) or said.result is None:
                raise UpstreamFailed("no_tools")
            for tool in tools:
                if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                    self.schemas[name] = tool.get("inputSchema")
            cursor = said.result.get("nextCursor")
            if cursor is None:
                return self.schemas
        raise UpstreamFailed("no_tools")

    async def call(self, name: str, arguments: JsonValue) -> Said:
        """Call a tool. Raises UpstreamFailed."""
        wanted = repeated_of(self.schemas.get(name)) if self.revision == MODERN else ()
        repeated = {one.header: says for one in wanted if (says := one.says(arguments)) is not None}
        said = await self.ask("tools/call", {"name": name, "arguments": arguments}, repeated)
        if said.result is not None and said.result.get("resultType", "complete") != "complete":
            raise UpstreamFailed("wants_input")  # of the user, which no trial has
        return said

    async def ask(self, method: str, params: Params, repeated: Mapping[str, str] | None = None) -> Said:
        """Ask in the revision that was found. Raises UpstreamFailed."""
        given = {**params, "_meta": _envelope()} if self.revision == MODERN else params
        return await self.line.ask(method, given, self.revision, repeated or {})

    async def _probe(self) -> bool:
        """Whether the server speaks the stateless revision. One that does not may answer this in any way."""
        try:
            said = await self.line.ask("server/discover", {"_meta": _envelope()}, MODERN, {})
        except UpstreamFailed as failed:
            if failed.why in ("unreachable", "not_authorized", "ended"):
                raise
            return False
        spoken = None if said.result is None else said.result.get("supportedVersions")
        return isinstance(spoken, list) and MODERN in spoken


def _envelope() -> Params:
    return {VERSION_KEY: MODERN, CLIENT_KEY: CLIENT, CAPABILITIES_KEY: {}}
