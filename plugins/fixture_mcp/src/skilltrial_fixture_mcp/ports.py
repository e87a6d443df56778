"""Sockets of this machine's own."""

from __future__ import annotations

import socket


def loopback(port: int = 0) -> socket.socket:
    """A socket on a port of the loopback address, or on a free one. Raises OSError where it can't be had."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1 if port else 0)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError:
        listening.close()
        raise
    return listening
