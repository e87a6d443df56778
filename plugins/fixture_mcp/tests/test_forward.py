"""Calls that are passed on to a real server of the official SDK, over each way in and out, and its faults."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from mcp import Client, MCPError, StdioServerParameters
from pydantic import ValidationError

from skilltrial.api import FixtureIdentity, LiveServer, TrialNotBegun, wire_calls
from skilltrial.testing import FixtureFacade, bind
from skilltrial_fixture_mcp.capturing import Wanted, capture_catalog
from skilltrial_fixture_mcp.fixture import McpFixture

TOKEN = "canary-token-7f3a"
OLDEST = b'{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"1999"}}'
ASKS = b'{"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required"}}'
REAL = '''
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

server = MCPServer("real", version="4.2", log_level="ERROR")
notes = []

@server.tool()
def save(text: str, limit: int = 3) -> dict[str, object]:
    """Save a note."""
    notes.append(text)
    return {"saved": text, "count": len(notes)}

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def find(query: str) -> str:
    """Find notes."""
    if query == "broken":
        raise ToolError("no such note")
    return "found " + query
'''


class Gate:
    """What stands before a real server: it wants a token, knows old revisions only, or answers what it is told."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.token: str | None = None
        self.old = False
        self.instead: tuple[int, str, bytes] | None = None
        self.requests: list[dict[str, str]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.requests.append(headers)
        if self.token is not None and headers.get("authorization") != f"Bearer {self.token}":
            await _answer(send, 401, "text/plain", b"who are you?")
        elif self.old and headers.get("mcp-protocol-version") == "2026-07-28":
            await _answer(send, 400, "text/plain", b"unsupported protocol version")
        elif self.instead is not None:
            await _answer(send, *self.instead)
        else:
            await self.app(scope, receive, send)


async def _answer(send: Any, status: int, kind: str, body: bytes) -> None:
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def real_server(**how: bool) -> Iterator[tuple[str, Gate]]:
    """The SDK's server in a thread; `how` are options of its app."""
    names: dict[str, Any] = {}
    exec(REAL, names)
    gate = Gate(names["server"].streamable_http_app(**how))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(gate, log_config=None, log_level="critical", access_log=False)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", gate
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(params=["events", "json", "stateless"])
def real(request: pytest.FixtureRequest) -> Iterator[tuple[str, Gate]]:
    how = {"events": {}, "json": {"json_response": True}, "stateless": {"json_response": True, "stateless_http": True}}
    with real_server(**how[request.param]) as server:
        yield server


@pytest.fixture
def behind(run_forwarding: Any, tmp_path: Path) -> Iterator[Any]:
    """`behind(url=..., **options)` gives a client of a fixture that forwards; the catalog is captured first."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(catalog: bytes | None = None, **options: Any) -> Any:
            path = tmp_path / "captured.json"
            if catalog is None:
                command = options.get("command")
                words = None if command is None else " ".join(command)
                capture_catalog(Wanted(options.get("url"), words), path)
                catalog = path.read_bytes()
                path.unlink()
            lent = {options["token_env"]: TOKEN} if "token_env" in options else {}
            server = stack.enter_context(run_forwarding(catalog, lent=lent, **options))
            return stack.enter_context(server.trial())

        yield start


def test_calls_reach_the_real_server_and_both_sides_are_on_record(behind: Any, real: Any) -> None:
    client = behind(url=real[0])

    saved = client.call("save", {"text": "Grüße"}, _meta={"callId": "c1"})

    assert saved["structuredContent"] == {"saved": "Grüße", "count": 1}
    assert [note["wire"] for note in client.notes] == ["connected", "called", "left", "forwarded", "answered", "left"]
    (forwarded,) = client.of("forwarded")
    assert forwarded["sent"] == {"name": "save", "arguments": {"text": "Grüße"}}
    assert forwarded["got"]["structuredContent"] == {"saved": "Grüße", "count": 1}
    (call,) = wire_calls("memory", client.recorder.records)
    assert (call.result, call.is_error, call.because, call.joins) == (
        {"saved": "Grüße", "count": 1},
        False,
        "forwarded",
        "c1",
    )


@pytest.mark.parametrize("old", [False, True])
def test_each_of_its_revisions_is_spoken_whatever_the_host_speaks(behind: Any, old: bool) -> None:
    with real_server() as (url, gate):
        gate.old = old
        client = behind(url=url)

        asked = client.call("find", {"query": "a"})
        modern = client.modern("tools/call", {"name": "find", "arguments": {"query": "b"}}).json()["result"]

        assert asked["content"][0]["text"] == "found a"
        assert modern["content"][0]["text"] == "found b"
        assert modern["resultType"] == "complete"
        spoken = {headers.get("mcp-protocol-version") for headers in gate.requests[-2:]}
        assert spoken == ({"2025-11-25"} if old else {"2026-07-28"})
        assert all(("mcp-session-id" in headers) is old for headers in gate.requests[-2:])


def test_what_the_server_refuses_comes_through_as_it_said_it(behind: Any, real: Any) -> None:
    client = behind(url=real[0])

    broken = client.call("find", {"query": "broken"})
    invalid = client.call("save", {"limit": "many"})
    unknown = client.ask("tools/call", {"name": "drop", "arguments": {}})

    assert broken["isError"] is invalid["isError"] is True
    assert "no such note" in broken["content"][0]["text"]
    assert "error" in unknown or unknown["result"]["isError"]
    assert [(note["is_error"], note["because"]) for note in client.of("answered")] == [(True, "forwarded")] * 3


def test_a_server_that_is_a_program(behind: Any, tmp_path: Path) -> None:
    program = tmp_path / "real.py"
    program.write_text(f"{REAL}\nserver.run('stdio')\n", encoding="utf-8")

    client = behind(command=(sys.executable, str(program)))

    assert client.call("save", {"text": "x"})["structuredContent"] == {"saved": "x", "count": 1}
    assert client.call("find", {"query": "y"})["content"][0]["text"] == "found y"
    assert [note["because"] for note in client.of("answered")] == ["forwarded"] * 2


@pytest.mark.parametrize("transport", ["http", "stdio"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_official_client_before_it_and_an_official_server_behind_it(behind: Any, transport: str, mode: str) -> None:
    with real_server() as (url, _):
        client = behind(url=url, transport=transport)
        offer = client.offer
        way: Any = offer.url or StdioServerParameters(
            command=offer.command[0], args=list(offer.command[1:]), env=dict(offer.environment)
        )

        async def use() -> list[Any]:
            async with Client(way, mode=mode, read_timeout_seconds=20) as official:
                tools = [tool.name for tool in (await official.list_tools()).tools]
                saved = await asyncio.gather(*(official.call_tool("save", {"text": str(n)}) for n in range(5)))
                return [tools, sorted(one.structured_content["saved"] for one in saved if one.structured_content)]

        assert asyncio.run(use()) == [["save", "find"], ["0", "1", "2", "3", "4"]]
        assert len(client.of("forwarded")) == len(client.of("answered")) == 5


def test_the_credential_is_sent_and_written_nowhere(behind: Any, tmp_path: Path) -> None:
    with real_server() as (url, gate):
        path = tmp_path / "open.json"
        capture_catalog(Wanted(url, None), path)
        gate.token = TOKEN
        client = behind(path.read_bytes(), url=url, token_env="REAL_TOKEN")

        assert client.call("find", {"query": "a"})["content"][0]["text"] == "found a"

    assert TOKEN not in json.dumps(client.notes)
    assert TOKEN not in repr(client.offer)


@pytest.mark.parametrize(
    ("instead", "why"),
    [
        ((401, "text/plain", b""), "server_not_authorized"),
        ((500, "text/plain", b""), "server_server_error"),
        ((404, "text/plain", b""), "server_refused"),
        ((200, "application/json", b"{"), "server_not_json"),
        ((200, "text/html", b"<html>"), "server_no_answer"),
        ((200, "text/event-stream", b": nothing\n\n"), "server_broken_off"),
        (
            (200, "application/json", b'{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"1999"}}'),
            "server_no_common_revision",
        ),
    ],
)
def test_a_server_that_can_not_be_used_begins_no_trial(behind: Any, instead: Any, why: str) -> None:
    with real_server() as (url, gate):
        client = behind(url=url)
        catalog = client.catalog
        gate.instead = instead

        with pytest.raises(TrialNotBegun) as raised:
            behind(catalog, url=url)

    assert raised.value.why == why


def test_a_server_that_is_not_there_begins_no_trial(behind: Any) -> None:
    with real_server() as (url, _):
        catalog = behind(url=url).catalog

    with pytest.raises(TrialNotBegun, match="server_unreachable"):
        behind(catalog, url=url)
    with pytest.raises(TrialNotBegun, match="server_unreachable"):
        behind(catalog, command=("/no/such/program",))
    with pytest.raises(TrialNotBegun, match="server_ended"):
        behind(catalog, command=("true",))


def test_a_catalog_that_is_no_longer_the_servers_begins_no_trial(
    behind: Any, make_catalog: Any, make_tool: Any
) -> None:
    with real_server() as (url, _), pytest.raises(TrialNotBegun, match="catalog_outdated"):
        behind(make_catalog(make_tool("save")), url=url)


@pytest.mark.parametrize(
    ("instead", "why"),
    [
        ((500, "text/plain", b""), "server_error"),
        ((403, "text/plain", b""), "not_authorized"),
        ((200, "application/json", b"not json"), "not_json"),
        (
            (200, "application/json", b'{"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required"}}'),
            "wants_input",
        ),
    ],
)
def test_a_server_that_fails_in_the_middle_is_on_record_and_the_call_has_no_answer(
    behind: Any, instead: Any, why: str
) -> None:
    with real_server() as (url, gate):
        client = behind(url=url)
        client.call("find", {"query": "a"})
        gate.instead = instead

        said = client.ask("tools/call", {"name": "find", "arguments": {"query": "b"}})

    assert said["error"]["code"] == -32603
    assert client.of("forwarded")[-1]["failed"] == why
    calls = wire_calls("memory", client.recorder.records)
    assert [call.answered for call in calls] == [True, False]


def test_trials_do_not_share_a_session_of_the_server(run_forwarding: Any, behind: Any) -> None:
    with real_server() as (url, gate):
        gate.old = True
        catalog = behind(url=url).catalog
        with run_forwarding(catalog, url=url) as server, server.trial("1") as one, server.trial("2") as two:
            one.call("find", {"query": "a"})
            first = gate.requests[-1]["mcp-session-id"]
            two.call("find", {"query": "a"})

            assert gate.requests[-1]["mcp-session-id"] != first


def test_in_a_rehearsal_replies_stand_in_for_the_real_server(run_forwarding: Any, behind: Any) -> None:
    with real_server() as (url, gate):
        catalog = behind(url=url).catalog
        before = len(gate.requests)
        replies = b"scripts: {one: {rules: [{tool: find, reply: {body: {result: scripted}}}]}}"
        with run_forwarding(catalog, replies=replies, url=url, live=False) as server, server.trial() as client:
            assert client.call("find", {"query": "a"})["content"][0]["text"] == '{"result":"scripted"}'

    assert len(gate.requests) == before
    assert client.of("answered")[0]["because"] == "rule"


def facade(**options: Any) -> FixtureFacade:
    return bind(FixtureFacade, "mcp", McpFixture(catalog="c.json", mode="forward", **options))


def test_what_it_reaches_is_told_before_anything_starts(make_catalog: Any, make_tool: Any) -> None:
    reads = make_tool("find", annotations={"readOnlyHint": True})
    writes = make_tool("save")

    def live(*tools: Any, **options: Any) -> LiveServer | None:
        told: FixtureIdentity = facade(url="http://h/mcp", **options).describe_fixture({"c.json": make_catalog(*tools)})
        return told.live

    assert live(reads) == LiveServer(mutates=False)
    assert live(reads, writes) == LiveServer(mutates=True)
    assert live(reads, writes, mutates=False) == LiveServer(mutates=False)
    assert live(reads, mutates=True) == LiveServer(mutates=True)
    assert live(reads, token_env="T", replies="r") == LiveServer(mutates=False, variables=("T",), rehearsed=True)


def test_a_case_of_a_fixture_that_forwards_sets_nothing(make_catalog: Any, make_tool: Any) -> None:
    assets = {"c.json": make_catalog(make_tool("save"))}

    assert facade(url="http://h/mcp").check_fixture(assets, {}) == ()
    assert facade(url="http://h/mcp").check_fixture(assets, {"script": "one"}) == (
        "the replies have no such `script`; they have forwarded",
    )


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "replies"},
        {"mode": "replies", "replies": "r", "url": "http://h/"},
        {"mode": "replies", "replies": "r", "mutates": False},
        {"mode": "forward"},
        {"mode": "forward", "url": "http://h/", "command": ["x"]},
        {"mode": "forward", "url": "ftp://h/"},
        {"mode": "forward", "url": "http://user:password@h/"},
        {"mode": "forward", "command": []},
        {"mode": "forward", "url": "http://h/", "token_env": "A-B"},
    ],
)
def test_options_that_contradict_each_other_are_refused(options: Any) -> None:
    with pytest.raises(ValidationError):
        McpFixture(catalog="c.json", **options)


def test_the_official_client_hears_of_a_server_that_failed(behind: Any) -> None:
    with real_server() as (url, gate):
        client = behind(url=url)
        gate.instead = (500, "text/plain", b"")

        async def use() -> None:
            async with Client(client.offer.url, read_timeout_seconds=20) as official:
                await official.call_tool("find", {"query": "a"})

        with pytest.raises((MCPError, ExceptionGroup)):
            asyncio.run(use())
