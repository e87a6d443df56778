"""A real MCP server → a catalog, through the official client."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import JsonValue

from skilltrial.api import InvalidRequest
from skilltrial.replies.strictjson import pretty

from .catalog import digest, read_catalog

if TYPE_CHECKING:
    from mcp import Client

MOST_PAGES = 1000


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which server: exactly one of `url` and `command`. `token_env` names the variable with a bearer token."""

    url: str | None
    command: str | None
    token_env: str | None = None
    seconds: float = 60.0


def capture_catalog(wanted: Wanted, out: Path) -> int:
    """Write a server's catalog and return how many tools it has. Raises InvalidRequest."""
    if out.exists():
        raise InvalidRequest(f"{out} exists; a catalog is never overwritten")
    catalog = asyncio.run(_captured(wanted))
    data = pretty(catalog)
    faults = read_catalog(out.name, data)[1]
    if faults:
        raise InvalidRequest("\n".join(("the server's tools can't be frozen:", *faults)))
    try:
        out.write_bytes(data)
    except OSError as error:
        raise InvalidRequest(f"{out} can't be written: {error.strerror}") from None
    tools = catalog["tools"]
    return len(tools) if isinstance(tools, list) else 0


async def _captured(wanted: Wanted) -> dict[str, JsonValue]:
    try:
        async with asyncio.timeout(wanted.seconds), _connected(wanted) as client:
            tools = await _tools(client)
            info = client.server_info
            catalog: dict[str, JsonValue] = {
                "schema_version": 1,
                "server": {"name": info.name if info else "unnamed", "version": info.version if info else ""},
                "captured": dt.datetime.now(dt.UTC).date().isoformat(),
                "protocol": client.protocol_version,
                "tools": [*tools],
            }
    except (InvalidRequest, asyncio.CancelledError):
        raise
    except TimeoutError:
        raise InvalidRequest(f"the MCP server did not list its tools within {wanted.seconds:g} seconds") from None
    except Exception as error:  # noqa: BLE001 - whatever a foreign server raised; its text may hold addresses or tokens
        raise InvalidRequest(f"the MCP server could not be asked for its tools ({_cause(error)})") from None
    return catalog | {"sha256": digest(catalog)}


async def _tools(client: Client) -> list[dict[str, JsonValue]]:
    tools: list[dict[str, JsonValue]] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
        cursor = page.next_cursor
        if cursor is None:
            return tools
    raise InvalidRequest(f"the MCP server's list of tools has more than {MOST_PAGES} pages")


@asynccontextmanager
async def _connected(wanted: Wanted) -> AsyncIterator[Client]:
    try:
        import httpx2
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client
        from mcp.client.streamable_http import streamable_http_client
    except ImportError:
        raise InvalidRequest(
            "capturing a catalog needs the package `mcp`: install skilltrial-fixture-mcp[capture]"
        ) from None
    if wanted.url is None:
        program, *arguments = _split(wanted.command or "")
        # The package's own default is whatever stood for standard error when it was imported.
        errors = sys.__stderr__ or sys.stderr
        asked = StdioServerParameters(command=program, args=arguments)
        async with Client(stdio_client(asked, errlog=errors)) as client:
            yield client
        return
    headers = _headers(wanted.token_env)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=wanted.seconds) as http,
        Client(streamable_http_client(wanted.url, http_client=http)) as client,
    ):
        yield client


def _split(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        raise InvalidRequest("--command is no command line: it is empty, or a quote in it is not closed")
    return words


def _headers(variable: str | None) -> dict[str, str]:
    if variable is None:
        return {}
    token = os.environ.get(variable)
    if not token:
        raise InvalidRequest(f"the environment has no {variable}")
    return {"Authorization": f"Bearer {token}"}


def _cause(error: BaseException) -> str:
    """The name of what lies at the bottom of a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__
