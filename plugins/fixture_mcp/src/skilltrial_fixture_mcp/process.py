"""The server as a process of its own, for one trial: `python -m skilltrial_fixture_mcp.process PORT < PLAN`.

The plan was checked by who made it (see `planning`). So nothing that reads, checks or describes files is imported
here: the process starts soon and stays small, which a test holds.
"""

from __future__ import annotations

import gc
import json
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from .ports import loopback

if TYPE_CHECKING:
    from .plain import Keeper, Plan


class Printer:
    """Prints what happens on the wire, as it happens."""

    def record(self, source: object, *lines: str) -> None:
        """Print these lines."""
        print(*lines, sep="\n", flush=True)


def serve(plan: Plan, listening: socket.socket, keeper: Keeper, up: Callable[[str], None]) -> None:
    """Serve a plan until the process is told to end; `up` gets the address once it can be used.

    Raises what broke meanwhile.
    """
    # What the imports and the plan make lives as long as the process. To look through it for garbage would hold up its
    # start and, later, calls.
    gc.disable()
    from .alone import Alone

    server = Alone(plan, keeper, listening.getsockname()[1], up)
    gc.freeze()
    gc.enable()
    server.run(sockets=[listening])
    server.served.check()


def main(port: int) -> int:
    """Serve the plan on standard input; 1 where something broke, 2 where the port can't be had."""
    plan: Plan = json.load(sys.stdin)
    try:
        listening = loopback(port)
    except OSError as error:
        sys.stderr.write(f"error: port {port} can't be listened on: {error.strerror}\n")
        return 2
    try:
        with listening:
            serve(plan, listening, Printer(), lambda address: print(address, flush=True))
    except KeyboardInterrupt:
        return 0
    except OSError as error:
        sys.stderr.write(f"error: what happened can't be told: {error.strerror}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
