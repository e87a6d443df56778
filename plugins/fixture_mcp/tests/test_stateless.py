"""The stateless revision: what its requests must say, and what they get."""

from __future__ import annotations

import contextlib
import json
import threading
from typing import Any

import httpx
import pytest

RULES = "scripts: {one: {rules: [{tool: save, reply: {text: saved}}, {tool: find, hide: [secret], reply: {text: ok}}]}}"
META = "io.modelcontextprotocol/"
MODERN = "2026-07-28"
SERVER = {f"{META}serverInfo": {"name": "memory server", "version": "3.1"}}


@pytest.fixture
def client(serve: Any) -> Any:
    return serve(RULES)


def test_the_probe_is_answered_with_what_the_server_is(serve: Any) -> None:
    client = serve(RULES, instructions="Save often.")

    assert client.modern("server/discover").json()["result"] == {
        "supportedVersions": [MODERN],
        "capabilities": {"tools": {"listChanged": True}},
        "instructions": "Save often.",
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": SERVER,
    }
    assert client.notes == [{"wire": "connected", "era": MODERN, "client": "tester 1", "transport": "http"}]


def test_listing_and_calling_need_no_handshake(client: Any, notes_tools: Any) -> None:
    listed = client.modern("tools/list").json()["result"]
    called = client.modern("tools/call", {"name": "save", "arguments": {"text": "x"}}).json()["result"]

    assert listed["tools"] == list(notes_tools)
    assert (listed["resultType"], listed["ttlMs"], listed["_meta"]) == ("complete", 0, SERVER)
    assert called["content"] == [{"type": "text", "text": "saved"}]
    assert (called["isError"], called["resultType"], called["_meta"]) == (False, "complete", SERVER)
    assert [note["wire"] for note in client.notes] == ["connected", "tools_listed", "called", "answered"]


@pytest.mark.parametrize("method", ["ping", "initialize", "resources/list", "logging/setLevel"])
def test_methods_that_the_revision_does_not_have_are_not_found(client: Any, method: str) -> None:
    reply = client.modern(method)

    assert (reply.status_code, reply.json()["error"]["code"]) == (404, -32601)


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp-method": "tools/call"},
        {"mcp-method": ""},
        {"mcp-protocol-version": "2027-01-01"},
    ],
)
def test_headers_that_say_something_else_than_the_body_are_refused(client: Any, headers: dict[str, str]) -> None:
    reply = client.modern("tools/list", **headers)

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32020)
    assert client.of("refused") == [{"wire": "refused", "why": "header_mismatch"}]


def test_an_envelope_without_its_header_is_refused(client: Any) -> None:
    meta = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}}

    reply = client.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}})

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32020)


@pytest.mark.parametrize(
    ("header", "status"),
    [("save", 200), ("=?base64?c2F2ZQ==?=", 200), ("find", 400), ("=?base64?c2F2ZQ?=", 400), ("=?base64?/w==?=", 400)],
)
def test_the_tools_name_may_be_encoded_in_its_header(client: Any, header: str, status: int) -> None:
    reply = client.modern("tools/call", {"name": "save", "arguments": {"text": "x"}}, **{"mcp-name": header})

    assert reply.status_code == status
    assert len(client.of("called")) == (1 if status == 200 else 0)


def test_a_routing_header_that_comes_twice_is_refused(client: Any) -> None:
    meta = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}})
    headers = [
        ("content-type", "application/json"),
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-method", "tools/list"),
    ]

    assert client.http.post(client.url, content=body, headers=headers).json()["error"]["code"] == -32020


@pytest.mark.parametrize("key", ["protocolVersion", "clientCapabilities"])
def test_a_request_that_does_not_say_who_asks_is_refused(client: Any, key: str) -> None:
    meta = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}}
    del meta[META + key]

    reply = client.post(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}},
        **{"mcp-protocol-version": MODERN, "mcp-method": "tools/list"},
    )

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32602)
    assert client.of("refused") == [{"wire": "refused", "why": "no_envelope"}]


def test_a_later_revision_hears_which_one_is_spoken(client: Any) -> None:
    later = {f"{META}protocolVersion": "2031-01-01"}

    reply = client.modern("tools/list", {"_meta": later}, **{"mcp-protocol-version": "2031-01-01"})

    assert reply.status_code == 400
    assert reply.json()["error"]["code"] == -32022
    assert reply.json()["error"]["data"] == {"supported": [MODERN], "requested": "2031-01-01"}


def test_there_is_no_stream_and_no_session_to_end(client: Any) -> None:
    for method in ("GET", "DELETE"):
        reply = client.http.request(method, client.url, headers={"mcp-protocol-version": MODERN, "accept": "*/*"})
        assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


def test_a_notification_is_taken_and_dropped(client: Any) -> None:
    reply = client.post({"jsonrpc": "2.0", "method": "notifications/cancelled"}, **{"mcp-protocol-version": MODERN})

    assert reply.status_code == 202


@pytest.mark.parametrize("wanted", [True, False])
def test_a_subscription_hears_of_a_changed_list_if_it_wants_to(serve: Any, wanted: bool) -> None:
    client = serve(RULES)
    meta = {f"{META}protocolVersion": MODERN, f"{META}clientCapabilities": {}}
    params = {"_meta": meta, "notifications": {"toolsListChanged": wanted}}
    body = {"jsonrpc": "2.0", "id": "listen:0", "method": "subscriptions/listen", "params": params}
    headers = {
        "mcp-protocol-version": MODERN,
        "mcp-method": "subscriptions/listen",
        "accept": "text/event-stream, application/json",
    }
    heard: list[Any] = []
    first = threading.Event()

    def listen() -> None:
        with (
            contextlib.suppress(httpx.HTTPError),
            client.http.stream("POST", client.url, json=body, headers=headers) as reply,
        ):
            for line in reply.iter_lines():
                if line.startswith("data: "):
                    heard.append(json.loads(line.removeprefix("data: ")))
                    first.set()
                    if len(heard) == 2:
                        return

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert first.wait(5)
    client.modern("tools/call", {"name": "find", "arguments": {"query": "x"}})
    thread.join(5 if wanted else 0.3)

    ours = {f"{META}subscriptionId": "listen:0"}
    assert heard[0]["params"] == {"_meta": ours, "notifications": {"toolsListChanged": True} if wanted else {}}
    assert heard[1:] == (
        [{"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": ours}}] if wanted else []
    )
    assert [one["name"] for one in client.modern("tools/list").json()["result"]["tools"]] == ["save", "find", "count"]


def test_a_server_of_the_handshake_does_not_know_the_probe(serve: Any) -> None:
    client = serve(RULES, era="handshake")

    probe = client.modern("server/discover")

    assert (probe.status_code, probe.json()["error"]["code"]) == (200, -32601)
    assert client.modern("tools/list").status_code == 400
    assert client.of("connected") == []
    assert client.ask("tools/list")["result"]["tools"]


def test_a_stateless_server_names_its_revision_to_a_handshake(serve: Any) -> None:
    client = serve(RULES, era=MODERN)

    hello = client.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})

    assert hello["error"]["code"] == -32022
    assert hello["error"]["data"] == {"supported": [MODERN], "requested": "2025-06-18"}
    assert client.ask("tools/list")["error"]["code"] == -32022
    assert client.http.get(client.url, headers={"accept": "text/event-stream"}).status_code == 405
    assert client.modern("tools/list").status_code == 200
