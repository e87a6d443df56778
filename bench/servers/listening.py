"""Where the servers of others listen: loopback, on a free port, until standard input ends."""

from __future__ import annotations

import socket
import sys
import threading
from typing import Any

import uvicorn


def serve(app: Any, **how: Any) -> None:
    """Run an ASGI application, and print its address."""
    # Named as TCP: asyncio sends at once on such sockets only.
    with socket.socket(proto=socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, **how))

        def watch() -> None:
            sys.stdin.read()
            server.should_exit = True

        threading.Thread(target=watch, daemon=True).start()
        print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
        server.run(sockets=[listening])
