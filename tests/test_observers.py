"""Who is told how a run goes: only who is named, and whatever becomes of it, the run is the same."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[bytes]]]:
    """A receiver of spans: its address, and the bodies that came."""
    bodies: list[bytes] = []

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers.get("content-length", 0))))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1/traces", bodies
    server.shutdown()
    server.server_close()
    thread.join()


def verdicts(ran: Any) -> tuple[int, dict[str, str]]:
    return ran.code, dict(ran.verdicts)


def test_spans_go_to_the_endpoint_that_was_named_and_hold_no_prompt(
    skilltrial: Command, greeter: Callable[..., Path], receiver: tuple[str, list[bytes]], tmp_path: Path
) -> None:
    suite = greeter()
    address, bodies = receiver
    plain = skilltrial("run", suite, "--out", "plain", "--format", "json", *AGENT)
    unnamed = len(bodies)

    ran = skilltrial(
        *("run", suite, "--out", "run", "--format", "json", "--observe", "otel"),
        *("--observe-option", f"endpoint={address}", *AGENT),
    )

    assert unnamed == 0
    assert verdicts(ran) == verdicts(plain)
    sent = b"".join(bodies)
    assert b"invoke_agent portable" in sent
    assert b"with_skill" in sent
    prompt = json.loads((tmp_path / "run" / "inputs" / "suite.json").read_text("utf-8"))["cases"][0]["turns"][0]
    assert prompt.encode() not in sent
    assert str(tmp_path).encode() not in sent
    parts = json.loads((tmp_path / "run" / "parts.json").read_text("utf-8"))
    assert "otel" in json.dumps(parts)
    assert "otel" not in (tmp_path / "plain" / "parts.json").read_text("utf-8")


def test_a_receiver_that_is_not_there_changes_nothing(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    suite = greeter()
    plain = skilltrial("run", suite, "--out", "plain", "--format", "json", *AGENT)

    ran = skilltrial(
        *("run", suite, "--out", "run", "--format", "json", "--observe", "otel"),
        *("--observe-option", "endpoint=http://127.0.0.1:9/v1/traces", "--observe-option", "seconds=0.2", *AGENT),
    )

    assert verdicts(ran) == verdicts(plain)
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--observe", "otel"), "needs the option `endpoint`"),
        (("--observe", "nobody"), "nobody"),
        (("--observe", "otel", "--observe-option", "endpoint=x"), "OTLP receiver"),
        (("--observe-option", "endpoint=x"), "give --observe once"),
        (("--observe", "otel", "--observe-option", "endpoint"), "--observe-option takes KEY=VALUE"),
    ],
)
def test_an_observer_that_can_not_be_is_refused_before_anything_starts(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, flags: tuple[str, ...], says: str
) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", *flags, *AGENT)

    assert ran.code == 2, ran.err
    assert says in ran.err
    assert not (tmp_path / "run").exists()
