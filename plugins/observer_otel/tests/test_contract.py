"""The contract of the observer: with a receiver that takes its spans, and with none at its address."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from skilltrial.testing.observers import ObserverContract, ObserverSubject
from skilltrial_observer_otel.observer import OtelObserver


class Receiver(BaseHTTPRequestHandler):
    """Takes whatever comes."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Silence."""


@pytest.fixture(scope="module")
def receiver() -> Iterator[str]:
    """The address of a receiver on loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1/traces"
        server.shutdown()
        thread.join()


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens: its port is held and refuses."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1/traces"


class TestObserver(ObserverContract):
    @pytest.fixture
    def subject(self, receiver: str) -> ObserverSubject:
        return ObserverSubject(OtelObserver(endpoint=receiver))


class TestObserverAlone(ObserverContract):
    @pytest.fixture
    def subject(self, nobody: str) -> ObserverSubject:
        return ObserverSubject(OtelObserver(endpoint=nobody, seconds=0.5))
