"""FastMCP with JSON answers; each call is written to a file and flushed. `FILE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fastmcp import FastMCP  # type: ignore[import-not-found, unused-ignore]

from bench.servers.listening import serve

SERVER = FastMCP("measured")
RECORD = Path(sys.argv[1]).open("a", encoding="utf-8")  # noqa: SIM115 - as long as the process lives


@SERVER.tool  # type: ignore[untyped-decorator, unused-ignore]
def remember(text: str, scope: str) -> dict[str, object]:
    """Save one memory."""
    RECORD.write(json.dumps({"tool": "remember", "arguments": {"text": text, "scope": scope}}) + "\n")
    RECORD.flush()
    return {"ok": True, "text": text}


if __name__ == "__main__":
    serve(SERVER.http_app(path="/mcp", json_response=True))
