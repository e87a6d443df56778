"""One server for all trials of a run, in a thread and an event loop of its own."""

from __future__ import annotations

import asyncio
import http.client
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import uvicorn
from pydantic import JsonValue

from skilltrial.api import Answerer, InvalidRequest, Offer, Place, Recorder, Trial

from . import stdio
from .app import Desk, Seat
from .casting import cast, cast_fault
from .lines import LINE_LIMIT, LineServer
from .listening import settings
from .looking import Looking
from .ports import loopback
from .preparing import Prepared
from .served import About, ServedTrial, Transport
from .upstream import Line, Upstream

T = TypeVar("T")

START_SECONDS = 30.0


class ServerNotStarted(RuntimeError):
    """The fixture's server did not come up."""


class _Server(uvicorn.Server):
    """A uvicorn server that also listens for bridges, and says when it is up and in which loop it runs."""

    def __init__(self, config: uvicorn.Config, lines: LineServer, bridges: socket.socket) -> None:
        super().__init__(config)
        self.up = threading.Event()
        self.loop: asyncio.AbstractEventLoop | None = None
        self._lines = lines
        self._bridges = bridges
        self._serving: asyncio.Server | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        await super().startup(sockets=sockets)
        self._serving = await asyncio.start_server(self._lines.welcome, sock=self._bridges, limit=LINE_LIMIT)
        self.loop = asyncio.get_running_loop()
        self.up.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and end what goes on."""
        if self._serving is not None:
            self._serving.close()
        await super().shutdown(sockets=sockets)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run's server is to be: who it says it is, what it plays, how it is reached, and who else answers."""

    about: About
    prepared: Prepared
    transport: Transport
    answerer: Answerer | None = None
    reach: Callable[[], Line] | None = None
    """Makes a connection to the real server; None where the script answers."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """The server of a run, while it runs: a FixtureRun."""

    wanted: Wanted
    desk: Desk
    bridges: int
    loop: asyncio.AbstractEventLoop

    @contextmanager
    def start(
        self, trial: Trial, options: Mapping[str, JsonValue], place: Place, recorder: Recorder
    ) -> Iterator[Offer]:
        """See FixtureRun. When the context is left the path is gone and nothing more is recorded.

        What broke in the meantime (a recorder on a full disk) is raised then. Raises TrialNotBegun where the answerer
        finds that what the trial presupposes is not there.
        """
        about, prepared, answerer = self.wanted.about, self.wanted.prepared, self.wanted.answerer
        fault = cast_fault(prepared, options)
        if fault is not None:
            raise InvalidRequest(fault)
        play, scene = cast(prepared, options)
        looking = Looking(answerer, scene.state, recorder)
        token = secrets.token_urlsafe(24)
        with self._behind(looking) as upstream:
            seat = Seat(ServedTrial(about, prepared.catalog, play, scene, recorder, answerer, upstream))
            self.desk.seats[token] = seat
            try:
                yield self._offer(token)
            finally:
                self.desk.seats[token] = None
                seat.served.close()
                self.loop.call_soon_threadsafe(seat.ended.set)
        seat.served.check()

    @contextmanager
    def _behind(self, looking: Looking) -> Iterator[Upstream | None]:
        """The real server, connected for one trial, where there is one. Raises TrialNotBegun."""
        if self.wanted.reach is None:
            looking.at_the_state()
            yield None
            return
        upstream = Upstream(self.wanted.reach())
        try:
            self._in_loop(looking.at_the_server(upstream, self.wanted.prepared.catalog))
            yield upstream
        finally:
            self._in_loop(upstream.line.close())

    def _in_loop(self, work: Coroutine[None, None, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def _offer(self, token: str) -> Offer:
        tools = tuple(self.wanted.prepared.catalog.tools)
        if self.wanted.transport == "http":
            return Offer("", url=self.desk.address(token), tools=tools)
        return Offer(
            "",
            # Isolated, and without what is installed: it needs nothing of it, and must find itself in any home.
            command=(sys.executable, "-I", "-S", stdio.__file__),
            environment={stdio.VARIABLE: f"{stdio.LOOPBACK}:{self.bridges}/{token}"},
            tools=tools,
        )


@contextmanager
def open_server(wanted: Wanted) -> Iterator[RunningServer]:
    """Run a server while the context lasts. Raises ServerNotStarted."""
    with loopback() as listening, loopback() as bridges:
        desk = Desk(listening.getsockname()[1])
        server = _Server(settings(desk), LineServer(desk), bridges)
        thread = threading.Thread(target=server.run, args=([listening],), name="fixture-mcp", daemon=True)
        thread.start()
        try:
            if not server.up.wait(START_SECONDS) or server.loop is None:
                raise ServerNotStarted("the MCP fixture's server did not come up")
            _prove(desk.port)
            yield RunningServer(wanted, desk, bridges.getsockname()[1], server.loop)
        finally:
            server.should_exit = True
            thread.join()


def _prove(port: int) -> None:
    """Ask the server something, as a client would. Raises ServerNotStarted where it does not answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
    try:
        connection.request("GET", "/")
        if connection.getresponse().status != 404:
            raise ServerNotStarted("the MCP fixture's server answers what it must not")
    except OSError as error:
        raise ServerNotStarted("the MCP fixture's server does not answer") from error
    finally:
        connection.close()
