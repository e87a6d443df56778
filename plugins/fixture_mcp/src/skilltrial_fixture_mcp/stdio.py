"""A stdio MCP server that is a bridge: each line goes to the run's server, and what comes from there goes out.

`python -I -S stdio.py`, with the variable that `serving` puts into the offer. It imports little, so
that it starts at once.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading

VARIABLE = "SKILLTRIAL_FIXTURE"
"""The variable with address and token, `127.0.0.1:PORT/TOKEN`."""
LOOPBACK = "127.0.0.1"
"""Written in front of the port, so that whoever compares arms knows port and token for a trial's own."""

PIECE = 64 * 1024


def main() -> int:
    """Bridge until the host closes its end or the server hangs up; 1 where there is no server."""
    address, _, token = os.environ.get(VARIABLE, "").partition("/")
    port = address.removeprefix(f"{LOOPBACK}:")
    if not port.isdigit() or not token:
        sys.stderr.write("this program is started by skilltrial, for one trial\n")
        return 1
    try:
        server = socket.create_connection((LOOPBACK, int(port)))
    except OSError:
        sys.stderr.write("the trial's server can't be reached\n")
        return 1
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server.sendall(token.encode() + b"\n")
    threading.Thread(target=_to_server, args=(server,), daemon=True).start()
    _to_host(server)
    return 0


def _to_server(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := os.read(0, PIECE):
            server.sendall(piece)
        server.shutdown(socket.SHUT_WR)


def _to_host(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := server.recv(PIECE):
            while piece:
                piece = piece[os.write(1, piece) :]


if __name__ == "__main__":
    # Without the usual end of an interpreter: a thread may still wait for the host's next word.
    os._exit(main())
