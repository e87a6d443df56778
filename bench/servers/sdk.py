"""The official SDK's server with JSON answers; each call is written to a file and flushed. `FILE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer

from bench.servers.listening import serve

SERVER = MCPServer("measured", log_level="ERROR")
RECORD = Path(sys.argv[1]).open("a", encoding="utf-8")  # noqa: SIM115 - as long as the process lives


@SERVER.tool()
def remember(text: str, scope: str) -> dict[str, object]:
    """Save one memory."""
    RECORD.write(json.dumps({"tool": "remember", "arguments": {"text": text, "scope": scope}}) + "\n")
    RECORD.flush()
    return {"ok": True, "text": text}


if __name__ == "__main__":
    serve(SERVER.streamable_http_app(json_response=True))
