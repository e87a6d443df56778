"""A stand-in for a real, disposable Kody account: a server of the official SDK, one inventory for all who come.

`PORT TOKEN STATE LOG`: STATE is a JSON file of what it holds at first; LOG gets a line when a call begins and when it
ends. What code does is followed by the package's own answerer; everything else (protocol, tools, wording) is another
make than the fixture's. An `execute` whose code has the word `forever` is done and never answered.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

from skilltrial_grader_kody.answerer import KodyAnswerer

PORT, TOKEN, LOG = int(sys.argv[1]), sys.argv[2], Path(sys.argv[4])
server = MCPServer("an account", version="2026.11", log_level="ERROR")
held: dict[str, Any] = {"state": json.loads(Path(sys.argv[3]).read_text(encoding="utf-8"))}


def tell(what: str, **more: Any) -> None:
    with LOG.open("a", encoding="utf-8") as log:
        log.write(json.dumps({"what": what, **more}) + "\n")


def answer(tool: str, given: dict[str, Any]) -> Any:
    said = KodyAnswerer().answer_call(tool, {key: one for key, one in given.items() if one is not None}, held["state"])
    held["state"] = said.state
    if said.is_error:
        raise ToolError(json.dumps(said.result))
    return said.result


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def search(query: str | None = None, entity: str | None = None, limit: int = 10) -> str:
    """Search the account."""
    tell("begins", tool="search", asked=query or entity)
    found = answer("search", {"query": query, "entity": entity, "limit": limit})
    await asyncio.sleep(0.1)
    tell("ends", tool="search", asked=query or entity)
    entries = found.get("results", [found])
    lines = [
        f"{at}. **{one['title']}** - {one['description']}\n   `{one['entity']}`" for at, one in enumerate(entries, 1)
    ]
    return "\n".join(["# Found", *lines])


@server.tool()
async def execute(
    code: str | None = None, params: dict[str, Any] | None = None, invoke: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Run a module in the account."""
    tell("begins", tool="execute", asked=code)
    done = answer("execute", {"code": code, "params": params, "invoke": invoke})
    await asyncio.sleep(3600 if "forever" in (code or "") else 0.1)
    tell("ends", tool="execute", asked=code)
    return {**done, "session": TOKEN}


inner = server.streamable_http_app()


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Let nobody in without the token."""
    if scope["type"] == "http" and (b"authorization", f"Bearer {TOKEN}".encode()) not in scope["headers"]:
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": b""})
        return
    await inner(scope, receive, send)


uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="critical")
