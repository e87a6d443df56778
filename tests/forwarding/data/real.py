"""A real MCP server of the official SDK, behind a bearer token: `PORT TOKEN FILE`; FILE gets a line for each note."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

PORT, TOKEN, NOTES = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
server = MCPServer("notes", version="4.2", log_level="ERROR")


@server.tool()
def save(text: str) -> dict[str, object]:
    """Save a note."""
    with NOTES.open("a") as notes:
        notes.write(text + "\n")
    return {"saved": text, "token": TOKEN if text == "tell" else ""}


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def find(query: str) -> str:
    """Find a note."""
    if query == "nothing":
        raise ToolError("no such note")
    return "found " + query


inner = server.streamable_http_app()


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Let nobody in without the token; after `die` nobody gets an answer any more."""
    if scope["type"] == "http":
        if (b"authorization", f"Bearer {TOKEN}".encode()) not in scope["headers"]:
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        if NOTES.exists() and "die" in NOTES.read_text().split():
            await send({"type": "http.response.start", "status": 503, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
    await inner(scope, receive, send)


uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="critical")
