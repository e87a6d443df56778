"""Calls as fast as a server takes them, over some connections: how many, how late, and what the server spent."""

from __future__ import annotations

import json
import os
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

from .measure import MeasurementFailed

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
CALL = {"name": "remember", "arguments": {"text": "Use tabs in this project, decided today.", "scope": "s1"}}
START_SECONDS = 60.0
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
MOST_CALLS = 1_000_000
"""Of one load."""


@dataclass(frozen=True, slots=True)
class Load:
    """What some seconds of calls amounted to. `cpu` is the server's, in microseconds a call; `p99` in milliseconds."""

    rate: float
    p99: float
    cpu: float


@dataclass(slots=True)
class Server:
    """A running server, and how it is called. `first` is how many ms went from its start to its first answered call."""

    name: str
    process: subprocess.Popen[str]
    host: str
    path: str
    begun: float
    first: float = 0.0
    session: dict[str, str] = field(default_factory=dict)
    numbers: int = 100_000_000
    """Of the same length throughout."""

    @property
    def rss(self) -> float:
        """MiB of memory that it holds."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

    def spent(self) -> float:
        """Seconds of CPU that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def request(self, method: str, params: object, *, note: bool = False) -> bytes:
        """The bytes of a request with a number of its own."""
        self.numbers += 1
        body = {"jsonrpc": "2.0"} | ({} if note else {"id": self.numbers}) | {"method": method, "params": params}
        data = json.dumps(body).encode()
        headers = {"host": self.host, **HEADERS, **self.session, "content-length": str(len(data))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"POST {self.path} HTTP/1.1\r\n{head}\r\n".encode() + data

    def calls(self) -> Callable[[], bytes]:
        """Makes the bytes of one call after the other, cheaply: what the client spends, the server waits."""
        before, _, after = self.request("tools/call", CALL).rpartition(str(self.numbers).encode())
        numbers = count(self.numbers + 1)
        self.numbers += MOST_CALLS
        return lambda: b"%b%d%b" % (before, next(numbers), after)

    def shake_hands(self) -> None:
        """Begin a session as clients of the handshake do, and call once. Raises MeasurementFailed."""
        with self.connect() as connection:
            answer = _exchange(connection, self.request("initialize", HELLO))
            for line in answer.partition(b"\r\n\r\n")[0].decode("latin-1").splitlines():
                name, _, value = line.partition(":")
                if name.lower() == "mcp-session-id":
                    self.session["mcp-session-id"] = value.strip()
            self.session["mcp-protocol-version"] = "2025-11-25"
            _exchange(connection, self.request("notifications/initialized", {}, note=True))
            if b"decided today" not in _exchange(connection, self.request("tools/call", CALL)):
                raise MeasurementFailed(f"{self.name} does not answer its tool")
        self.first = (time.perf_counter() - self.begun) * 1000

    def connect(self) -> socket.socket:
        """A connection of its own."""
        host, _, port = self.host.partition(":")
        connection = socket.create_connection((host, int(port)), timeout=START_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection


@contextmanager
def serving(name: str, module: str, record: Path, python: Path | None = None) -> Iterator[Server]:
    """A server of `bench/servers`, called once. Raises MeasurementFailed."""
    begun = time.perf_counter()
    # With the bytecode that an installed package has, whatever this environment thinks of it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen(
        [str(python or sys.executable), "-m", f"bench.servers.{module}", str(record)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
    ) as process:
        try:
            address = urlsplit(process.stdout.readline().strip() if process.stdout else "")
            if not address.netloc:
                raise MeasurementFailed(f"{name} did not start")
            server = Server(name, process, address.netloc, address.path, begun)
            _until_it_listens(server)
            server.shake_hands()
            yield server
        finally:
            process.kill()


def load(server: Server, connections: int, seconds: float) -> Load:
    """Call over so many connections, one call at a time on each, for some seconds. Raises MeasurementFailed."""
    times: list[float] = []
    call = server.calls()
    with selectors.DefaultSelector() as selector:
        sockets = [server.connect() for _ in range(connections)]
        connected = {one.fileno(): one for one in sockets}
        for one in sockets:
            one.setblocking(True)
            selector.register(one, selectors.EVENT_READ)
        before, begun = server.spent(), time.perf_counter()
        until = begun + seconds
        sent = {one: _send(one, call()) for one in sockets}
        while sent:
            for key, _ in selector.select(START_SECONDS):
                one = connected[key.fd]
                if b" 200 " not in (answer := _receive(one))[:20] or b"decided today" not in answer:
                    raise MeasurementFailed(f"{server.name} did not answer a call")
                now = time.perf_counter()
                times.append(now - sent.pop(one))
                if now < until:
                    sent[one] = _send(one, call())
        took, cpu = time.perf_counter() - begun, server.spent() - before
        for one in sockets:
            one.close()
    times.sort()
    return Load(len(times) / took, times[int(len(times) * 0.99)] * 1000, cpu / len(times) * 1e6)


def _send(connection: socket.socket, request: bytes) -> float:
    connection.sendall(request)
    return time.perf_counter()


def _exchange(connection: socket.socket, request: bytes) -> bytes:
    connection.sendall(request)
    return _receive(connection)


def _receive(connection: socket.socket) -> bytes:
    """A whole answer, whose length its headers say."""
    got = b""
    while piece := connection.recv(65536):
        got += piece
        head, end, body = got.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if end and len(body) >= (int(length[1]) if length else 0):
            return got
    raise MeasurementFailed("a server hung up")


def _until_it_listens(server: Server) -> None:
    until = time.perf_counter() + START_SECONDS
    while time.perf_counter() < until and server.process.poll() is None:
        try:
            server.connect().close()
        except OSError:
            time.sleep(0.002)
        else:
            return
    raise MeasurementFailed(f"{server.name} did not start")
