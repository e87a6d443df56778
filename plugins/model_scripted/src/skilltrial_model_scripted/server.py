"""One server for all trials of a run, in a thread and an event loop of its own."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn

from skilltrial.api import ModelEndpoint, Recorder, Script, Trial

from .app import Desk, Seat
from .delivery import Severable
from .served import ServedTrial
from .spelling import Dialect

START_SECONDS = 30.0
STOP_SECONDS = 2
"""How long answers that are under way may take when the run ends."""


class ServerNotStarted(RuntimeError):
    """The server of a scripted model did not come up."""


class _Server(uvicorn.Server):
    """A uvicorn server that says when it is up, and in which loop it runs."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = threading.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        await super().startup(sockets=sockets)
        self.loop = asyncio.get_running_loop()
        self.up.set()


@dataclass(frozen=True, slots=True)
class RunningModel:
    """The server of a run, while it runs: a ModelRun."""

    url: str
    desk: Desk
    dialect: Dialect
    loop: asyncio.AbstractEventLoop

    @contextmanager
    def start(self, trial: Trial, script: Script, recorder: Recorder) -> Iterator[ModelEndpoint]:
        """See ModelRun. When the context is left the path is gone and nothing more is recorded.

        What broke in the meantime (a recorder on a full disk) is raised then.
        """
        token = secrets.token_urlsafe(24)
        seat = Seat(ServedTrial(trial, script, recorder, self.dialect))
        self.desk.seats[token] = seat
        try:
            yield ModelEndpoint(f"{self.url}/run/{token}", self.desk.model)
        finally:
            self.desk.seats[token] = None
            seat.served.close()
            self.loop.call_soon_threadsafe(seat.ended.set)
        seat.served.check()


@contextmanager
def serve(model: str, dialect: Dialect) -> Iterator[RunningModel]:
    """Run a server while the context lasts. Raises ServerNotStarted."""
    desk = Desk(model)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = _Server(
            uvicorn.Config(
                desk.app(),
                loop="asyncio",
                http=Severable,
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_keep_alive=600,
                timeout_graceful_shutdown=STOP_SECONDS,
            )
        )
        thread = threading.Thread(target=server.run, args=([listening],), name="scripted-model", daemon=True)
        thread.start()
        try:
            if not server.up.wait(START_SECONDS) or server.loop is None:
                raise ServerNotStarted("the scripted model's server did not come up")
            port: int = listening.getsockname()[1]
            yield RunningModel(f"http://127.0.0.1:{port}", desk, dialect, server.loop)
        finally:
            server.should_exit = True
            thread.join()
