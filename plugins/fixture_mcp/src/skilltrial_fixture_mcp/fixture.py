"""The fixture `mcp`: its options and its hooks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, JsonValue, model_validator
from pydantic.dataclasses import dataclass

from skilltrial.api import (
    Answerer,
    Can,
    CatalogIdentity,
    FixtureIdentity,
    FixtureRun,
    InvalidRequest,
    LiveServer,
    RunInfo,
)

if TYPE_CHECKING:
    from .upstream import Line

ToolName = Annotated[str, Field(min_length=1, max_length=200)]
File = Annotated[str, Field(min_length=1, max_length=500)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class McpFixture:
    """An MCP server whose tools are frozen and whose replies are data."""

    catalog: File
    """The catalog, a file beside the suite (`skilltrial catalog capture` writes one)."""
    replies: File | None = None
    """The scripts that cases may play, a file beside the suite. In the mode `forward` rehearsals play them."""
    aliases: dict[ToolName, Annotated[tuple[ToolName, ...], Field(min_length=1)]] = field(default_factory=dict)
    """Tool → other names of it. By any of them replies and scripts mean the one that the catalog has."""
    mode: Literal["replies", "forward"] = "replies"
    """`forward`: in live runs a real server answers every call."""
    url: Annotated[str, Field(pattern=r"^https?://[^\s@]+$", max_length=2000)] | None = None
    """The real server's address; of it and `command` one is given."""
    command: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    """The real server's program and arguments, which speaks MCP over its standard input and output."""
    token_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    """The variable with its credential: a bearer token for `url`, a variable of its own for `command`."""
    mutates: bool | None = None
    """Whether calls may change something there; by default unless the catalog calls every tool read-only."""
    shared: bool | None = None
    """Whether all trials meet the same things there, so that they run one at a time; by default where `mutates`."""
    transport: Literal["http", "stdio"] = "http"
    """How the host reaches it."""
    instructions: Annotated[str, Field(min_length=1, max_length=10_000)] | None = None
    """What the server tells of itself when it is connected, alike in all arms; by default nothing."""
    era: Literal["both", "2026-07-28", "handshake"] = "both"
    """Which protocol it speaks: the stateless revision, the `initialize` handshake of the earlier ones, or both."""
    server_name: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """How the server calls itself; by default as in the catalog."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        given = [
            name for name in ("url", "command", "token_env", "mutates", "shared") if getattr(self, name) is not None
        ]
        if self.mode == "replies":
            if self.replies is None:
                raise ValueError("needs the option `replies`, the file of what is answered")
            if given:
                raise ValueError(f"`{given[0]}` is of the mode `forward`")
        elif (self.url is None) == (self.command is None):
            raise ValueError("the mode `forward` needs one of `url` and `command`, the real server")
        return self

    def fixture_assets(self) -> Sequence[str]:
        """The catalog and the replies (see FixtureSpec)."""
        return tuple(dict.fromkeys(name for name in (self.catalog, self.replies) if name is not None))

    def fixture_needs(self) -> frozenset[Can]:
        """MCP servers over this transport (see FixtureSpec)."""
        return frozenset({Can.MCP_HTTP if self.transport == "http" else Can.MCP_STDIO})

    def check_fixture(
        self, assets: Mapping[str, bytes], options: Mapping[str, JsonValue], answerer: Answerer | None
    ) -> Sequence[str]:
        """The faults of both files and of a case's options (see FixtureSpec)."""
        from .casting import cast, cast_fault
        from .preparing import prepare

        if self.url is not None and find_spec("httpx2") is None:
            return ("the mode `forward` needs the package `httpx2`: install skilltrial-fixture-mcp[forward]",)
        prepared, faults = prepare(self.catalog, self.replies, assets, self.aliases)
        if prepared is None:
            return faults
        fault = cast_fault(prepared, options)
        if fault is not None:
            return (fault,)
        if answerer is None:
            return ()
        state = cast(prepared, options)[1].state
        faults = [*answerer.check_state(state)]
        if self.mode == "forward" and not faults and not answerer.list_questions(state):
            return (
                "its state does not say what a real server is asked before a session; the mode `forward` wants that",
            )
        return tuple(faults)

    def describe_fixture(self, assets: Mapping[str, bytes]) -> FixtureIdentity:
        """The tools of the catalog, whose they are, and whether a real server answers (see FixtureSpec)."""
        from .aliases import present
        from .catalog import sound_catalog

        file = sound_catalog(self.catalog, assets[self.catalog])
        live = None if self.mode == "replies" else self._live(file.tools)
        return FixtureIdentity(
            tools=tuple(str(tool["name"]) for tool in file.tools),
            catalog=CatalogIdentity(
                sha256=file.sha256, server=file.server.name, version=file.server.version, captured=file.captured
            ),
            live=live,
            exclusive=live is not None and (live.mutates if self.shared is None else self.shared),
            account=None if live is None else self._account(),
            aliases=dict(present([str(tool["name"]) for tool in file.tools], self.aliases)),
        )

    def open_fixtures(
        self, run: RunInfo, assets: Mapping[str, bytes], answerer: Answerer | None
    ) -> AbstractContextManager[FixtureRun]:
        """Start the server that serves all trials of a run (see FixtureSpec)."""
        from .aliases import known
        from .knowing import Knowing
        from .preparing import prepare
        from .served import About
        from .serving import Wanted, open_server

        prepared, faults = prepare(self.catalog, self.replies, assets, self.aliases)
        if prepared is None:
            raise InvalidRequest("\n".join(faults))
        catalog = prepared.catalog
        about = About(self.server_name or catalog.server, catalog.version, self.instructions, self.era)
        names = known(catalog.tools, self.aliases)
        asked = Knowing(answerer, names) if answerer is not None and names else answerer
        return open_server(Wanted(about, prepared, self.transport, asked, self._reach(run)))

    def _reach(self, run: RunInfo) -> Callable[[], Line] | None:
        """How the real server is reached in this run; None where it must not be."""
        if self.mode != "forward" or not run.live:
            return None
        from .reaching import reach

        lent = {} if self.token_env is None else {self.token_env: run.lent[self.token_env]}
        return reach(self.url, self.command, lent)

    def _account(self) -> str:
        """The address without what may be a credential, or the program with a digest of its arguments."""
        if self.command is not None:
            return f"{self.command[0]} ({sha256(json.dumps(self.command).encode()).hexdigest()[:12]})"
        address = urlsplit(str(self.url))
        return f"{address.scheme}://{address.netloc.lower()}{address.path.rstrip('/')}"

    def _live(self, tools: Sequence[Mapping[str, JsonValue]]) -> LiveServer:
        from .tools import reads_only

        unsafe = not all(map(reads_only, tools))
        return LiveServer(
            mutates=unsafe if self.mutates is None else self.mutates,
            variables=() if self.token_env is None else (self.token_env,),
            rehearsed=self.replies is not None,
        )
