"""The fixture `mcp`: its options and its hooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue
from pydantic.dataclasses import dataclass

from skilltrial.api import Answerer, Can, CatalogIdentity, FixtureIdentity, FixtureRun, RunInfo

File = Annotated[str, Field(min_length=1, max_length=500)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class McpFixture:
    """An MCP server whose tools are frozen and whose replies are data."""

    catalog: File
    """The catalog, a file beside the suite (`skilltrial catalog capture` writes one)."""
    replies: File
    """The scripts that cases may play, a file beside the suite."""
    transport: Literal["http", "stdio"] = "http"
    """How the host reaches it."""
    instructions: Annotated[str, Field(min_length=1, max_length=10_000)] | None = None
    """What the server tells of itself when it is connected, alike in all arms; by default nothing."""
    era: Literal["both", "2026-07-28", "handshake"] = "both"
    """Which protocol it speaks: the stateless revision, the `initialize` handshake of the earlier ones, or both."""
    server_name: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """How the server calls itself; by default as in the catalog."""

    def fixture_assets(self) -> Sequence[str]:
        """The catalog and the replies (see FixtureSpec)."""
        return tuple(dict.fromkeys((self.catalog, self.replies)))

    def fixture_needs(self) -> frozenset[Can]:
        """MCP servers over this transport (see FixtureSpec)."""
        return frozenset({Can.MCP_HTTP if self.transport == "http" else Can.MCP_STDIO})

    def check_fixture(
        self, assets: Mapping[str, bytes], options: Mapping[str, JsonValue], answerer: Answerer | None
    ) -> Sequence[str]:
        """The faults of both files and of a case's options (see FixtureSpec)."""
        from .casting import cast, cast_fault
        from .preparing import prepare

        prepared, faults = prepare((self.catalog, assets[self.catalog]), (self.replies, assets[self.replies]))
        if prepared is None:
            return faults
        fault = cast_fault(prepared, options)
        if fault is not None:
            return (fault,)
        return () if answerer is None else answerer.check_state(cast(prepared, options)[1].state)

    def describe_fixture(self, assets: Mapping[str, bytes]) -> FixtureIdentity:
        """The tools of the catalog, and whose they are (see FixtureSpec)."""
        from .catalog import sound_catalog

        file = sound_catalog(self.catalog, assets[self.catalog])
        return FixtureIdentity(
            tools=tuple(str(tool["name"]) for tool in file.tools),
            catalog=CatalogIdentity(
                sha256=file.sha256, server=file.server.name, version=file.server.version, captured=file.captured
            ),
        )

    def open_fixtures(
        self, run: RunInfo, assets: Mapping[str, bytes], answerer: Answerer | None
    ) -> AbstractContextManager[FixtureRun]:
        """Start the server that serves all trials of a run (see FixtureSpec)."""
        from .serving import open_server

        return open_server(self, assets, answerer)
