"""A bare Starlette handler on uvicorn with httptools and uvloop: reads JSON, answers JSON, and keeps nothing."""

from __future__ import annotations

import json
import sys

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bench.servers.listening import serve


async def handle(request: Request) -> Response:
    """Answer a call."""
    asked = json.loads(await request.body())
    if "id" not in asked:
        return Response(status_code=202)
    body = {"ok": True, "text": asked["params"].get("arguments", {}).get("text")}
    result = {"content": [{"type": "text", "text": json.dumps(body)}], "isError": False}
    if asked["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "bare", "version": "1"}}
    return JSONResponse({"jsonrpc": "2.0", "id": asked["id"], "result": result})


if __name__ == "__main__":
    serve(Starlette(routes=[Route("/mcp", handle, methods=["POST"])]), loop="uvloop", http="httptools")
    sys.exit(0)
