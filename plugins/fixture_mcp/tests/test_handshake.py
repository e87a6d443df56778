"""The `initialize` handshake and the corners of JSON-RPC over streamable HTTP."""

from __future__ import annotations

import http.client
import json
from hashlib import sha256
from typing import Any

import pytest

from skilltrial.replies.strictjson import canonical
from skilltrial_fixture_mcp.requests import BODY_LIMIT

RULES = "scripts: {one: {rules: [{tool: save, reply: {text: saved}}]}}"
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "prog", "version": "1.2"}}


@pytest.fixture
def client(serve: Any) -> Any:
    return serve(RULES)


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_revision_of_the_handshake_is_spoken_and_recorded(client: Any, revision: str) -> None:
    told = client.ask("initialize", HELLO | {"protocolVersion": revision})["result"]

    assert told == {
        "protocolVersion": revision,
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "memory server", "version": "3.1"},
    }
    assert client.notes == [{"wire": "connected", "era": revision, "client": "prog 1.2", "transport": "http"}]


@pytest.mark.parametrize("revision", ["2026-07-28", "2031-01-01", "x", ""])
def test_a_revision_that_the_handshake_does_not_have_gets_the_latest_that_it_has(client: Any, revision: str) -> None:
    assert client.ask("initialize", HELLO | {"protocolVersion": revision})["result"]["protocolVersion"] == "2025-11-25"


def test_instructions_are_told_only_where_the_suite_says_so(serve: Any) -> None:
    assert serve(RULES, instructions="Save often.").ask("initialize", HELLO)["result"]["instructions"] == "Save often."
    assert "instructions" not in serve(RULES).ask("initialize", HELLO)["result"]


def test_the_whole_catalog_is_listed_as_it_was_captured(client: Any, notes_tools: Any) -> None:
    assert client.ask("tools/list")["result"] == {"tools": list(notes_tools)}
    digest = sha256(canonical(list(notes_tools))).hexdigest()
    assert client.of("tools_listed") == [{"wire": "tools_listed", "count": 4, "sha256": digest}]


def test_the_digest_on_record_is_of_names_descriptions_and_schemas_as_they_were_sent(
    serve: Any, make_tool: Any
) -> None:
    other = {"type": "string", "maxLength": 9}
    lists = [
        [make_tool("save", {"text": {"type": "string"}})],
        [make_tool("save", {"text": other})],
        [make_tool("save", {"text": {"type": "string"}}) | {"description": "Another."}],
        [make_tool("save", {"text": {"type": "string"}}) | {"annotations": {"readOnlyHint": True}}],
        [make_tool("keep", {"text": {"type": "string"}})],
    ]

    digests = []
    for tools in lists:
        client = serve("scripts: {one: {rules: []}}", *tools)
        client.ask("tools/list")
        digests.append(client.of("tools_listed")[0]["sha256"])

    assert len(set(digests)) == len(lists)


def test_a_program_that_skips_the_handshake_is_served_and_its_era_recorded_once(client: Any) -> None:
    client.ask("tools/list", mcp_protocol_version="2025-06-18")
    client.ask("tools/list", mcp_protocol_version="2025-06-18")
    client.ask("ping")

    assert [note["era"] for note in client.of("connected")] == ["2025-06-18", "2025-03-26"]


def test_ping_is_answered_with_nothing(client: Any) -> None:
    assert client.post({"jsonrpc": "2.0", "id": "p", "method": "ping"}).json() == {
        "jsonrpc": "2.0",
        "id": "p",
        "result": {},
    }


@pytest.mark.parametrize("method", ["resources/list", "prompts/list", "tools/Call", "server/discover", "", "rpc.x"])
def test_an_unknown_method_is_named_as_such(client: Any, method: str) -> None:
    reply = client.post({"jsonrpc": "2.0", "id": 9, "method": method})

    assert (reply.status_code, reply.json()["error"]["code"], reply.json()["id"]) == (200, -32601, 9)
    assert client.of("refused") == [{"wire": "refused", "why": "unknown_method"}]


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "anything"])
def test_a_notification_is_taken_without_a_word(client: Any, method: str) -> None:
    reply = client.post({"jsonrpc": "2.0", "method": method, "params": {}})

    assert (reply.status_code, reply.content) == (202, b"")


@pytest.mark.parametrize("answer", [{"result": {}}, {"error": {"code": 1, "message": "no"}}])
def test_an_answer_to_a_question_that_nobody_asked_is_taken_without_a_word(client: Any, answer: Any) -> None:
    assert client.post({"jsonrpc": "2.0", "id": 1, **answer}).status_code == 202


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","id":2}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save","arguments":{"limit":NaN}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save","arguments":{"limit":1e999}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save","arguments":{"text":"\\ud800"}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 200 + b"1" + b"}" * 201,
        b"[" * 5000,
        b"9" * 5000,
    ],
)
def test_what_two_readers_would_not_read_alike_is_no_json(client: Any, body: bytes) -> None:
    reply = client.post(body)

    assert (reply.status_code, reply.json()["error"]["code"], reply.json()["id"]) == (400, -32700, None)
    assert client.of("refused") == [{"wire": "refused", "why": "not_json"}]
    assert client.of("called") == []


@pytest.mark.parametrize(
    "body",
    [
        1,
        "ping",
        None,
        {},
        {"id": 1, "method": "ping"},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": [1], "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 7},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None},
    ],
)
def test_json_that_is_no_message_is_refused(client: Any, body: Any) -> None:
    reply = client.post(body)

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32600)
    assert client.of("refused") == [{"wire": "refused", "why": "not_a_message"}]


@pytest.mark.parametrize("params", [{}, {"name": 1}, {"name": None}])
def test_a_call_without_a_tool_is_refused(client: Any, params: Any) -> None:
    assert client.ask("tools/call", params)["error"]["code"] == -32602
    assert client.of("called") == []
    assert client.of("refused") == [{"wire": "refused", "why": "invalid_params"}]


def test_a_cursor_that_was_never_given_out_is_refused(client: Any) -> None:
    assert client.ask("tools/list", {"cursor": "2"})["error"]["code"] == -32602


def test_an_unknown_tool_is_an_error_of_the_protocol_and_a_call_on_record(client: Any) -> None:
    reply = client.ask("tools/call", {"name": "delete_all", "arguments": {"really": True}})

    assert reply["error"]["code"] == -32602
    assert client.of("called")[0]["tool"] == "delete_all"
    assert client.of("answered")[0]["because"] == "unknown_tool"
    assert client.of("refused") == []


def test_several_messages_at_once_are_answered_in_the_one_revision_that_has_them(client: Any) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "save", "arguments": {"text": "x"}}}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    answers = client.post([ping, note, call, 3, {**ping, "id": 4, "method": "no"}], mcp_protocol_version="2025-03-26")

    assert [one["id"] for one in answers.json()] == [1, 2, None, 4]
    assert client.post([note], mcp_protocol_version="2025-03-26").status_code == 202
    for revision in ("2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"):
        reply = client.post([ping], mcp_protocol_version=revision)
        assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32600)
    assert client.post([], mcp_protocol_version="2025-03-26").json()["error"]["code"] == -32600
    assert len(client.of("called")) == 1


def test_a_request_without_a_revision_speaks_the_one_of_the_handshake(client: Any) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

    assert client.post([ping]).status_code == 200
    client.ask("initialize", HELLO)
    assert client.post([ping]).status_code == 400


def test_the_handshake_comes_alone(client: Any) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}

    assert client.post([hello]).json()[0]["error"]["code"] == -32600
    assert client.of("connected") == []


@pytest.mark.parametrize(
    ("headers", "status", "why"),
    [
        ({"host": "evil.example"}, 421, "wrong_host"),
        ({"host": "127.0.0.1"}, 421, "wrong_host"),
        ({"host": "127.0.0.1:1"}, 421, "wrong_host"),
        ({"origin": "http://evil.example"}, 403, "wrong_origin"),
        ({"origin": "null"}, 403, "wrong_origin"),
        ({"origin": "https://127.0.0.1"}, 403, "wrong_origin"),
        ({"content_type": "text/plain"}, 415, "wrong_content_type"),
        ({"content_type": "application/jsonx"}, 415, "wrong_content_type"),
        ({"content_type": ""}, 415, "wrong_content_type"),
        ({"accept": "text/html"}, 406, "not_acceptable"),
    ],
)
def test_what_a_web_page_could_send_is_refused_and_recorded(
    client: Any, headers: dict[str, str], status: int, why: str
) -> None:
    reply = client.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, **headers)

    assert reply.status_code == status
    assert client.notes == [{"wire": "refused", "why": why}]


@pytest.mark.parametrize(("header", "status", "why"), [("host", 421, "wrong_host"), ("origin", 403, "wrong_origin")])
def test_a_program_that_names_two_places_is_served_at_none(client: Any, header: str, status: int, why: str) -> None:
    ours = client.url.split("/")[2]
    places = {"host": (ours, "evil.example"), "origin": (f"http://{ours}", "http://evil.example")}
    for both in (places[header], places[header][::-1]):
        line = http.client.HTTPConnection(ours, timeout=60)
        line.putrequest("POST", client.url.partition(ours)[2], skip_host=header == "host")
        for one in both:
            line.putheader(header, one)
        line.putheader("content-type", "application/json")
        line.putheader("content-length", "2")
        line.endheaders(b"{}")
        assert line.getresponse().status == status
        line.close()

    assert [note["why"] for note in client.of("refused")] == [why] * 2


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_program_of_this_machine_is_served_under_both_its_names(client: Any, name: str) -> None:
    port = client.url.split(":")[2].split("/")[0]
    ours = {
        "host": f"{name}:{port}",
        "origin": f"http://{name}:{port}",
        "content_type": "Application/JSON; charset=utf-8",
    }

    assert client.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, **ours).status_code == 200


@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])
def test_other_methods_are_not_allowed(client: Any, method: str) -> None:
    reply = client.http.request(method, client.url)

    assert (reply.status_code, reply.headers["allow"]) == (405, "GET, POST")


def test_a_stream_wants_a_program_that_reads_streams(client: Any) -> None:
    assert client.http.get(client.url, headers={"accept": "application/json"}).status_code == 406
    with client.http.stream("GET", client.url, headers={"accept": "text/event-stream"}) as reply:
        assert (reply.status_code, reply.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")


def test_a_body_beyond_the_limit_is_refused_in_words(client: Any) -> None:
    reply = client.post(b'"' + b"x" * BODY_LIMIT + b'"')

    assert reply.status_code == 413
    assert client.notes == [{"wire": "refused", "why": "too_large"}]


def test_a_large_call_within_the_limit_is_kept_whole(client: Any) -> None:
    text = "ä" * 1_000_000

    client.call("save", {"text": text})

    assert client.of("called")[0]["arguments"] == {"text": text}


@pytest.mark.parametrize(
    ("meta", "joins"),
    [
        ({"callId": "call_1"}, "call_1"),
        ({"claudecode/toolUseId": "toolu_1", "progressToken": 3}, "toolu_1"),
        ({"callId": 7}, None),
        ({}, None),
        ("x", None),
    ],
)
def test_the_hosts_own_id_of_a_call_is_kept_where_it_says_one(client: Any, meta: Any, joins: str | None) -> None:
    client.call("save", {"text": "x"}, _meta=meta)

    assert client.of("called")[0]["joins"] == joins


@pytest.mark.parametrize("arguments", [None, [], "text", 1, True])
def test_arguments_that_are_no_object_are_kept_as_they_came(client: Any, arguments: Any) -> None:
    result = client.ask("tools/call", {"name": "save", "arguments": arguments})["result"]

    assert json.loads(result["content"][0]["text"])["error"]["code"] == "FIXTURE_INVALID_ARGUMENTS"
    assert client.of("called")[0]["arguments"] == arguments
    assert client.of("answered")[0]["because"] == "invalid_arguments"


def test_arguments_that_are_left_out_are_an_empty_object(client: Any) -> None:
    client.ask("tools/call", {"name": "secret"})

    assert client.of("called")[0]["arguments"] == {}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [("resources/list", {}, -32601), ("prompts/list", {}, -32601), ("server/discover", {}, -32601), ("ping", {}, None)],
)
def test_gap_17_a_method_that_is_not_served_is_not_found_and_a_ping_is(
    client: Any, method: str, params: Any, code: int | None
) -> None:
    reply = client.ask(method, params)

    assert (reply.get("error", {}).get("code"), reply.get("result")) == (code, None if code else {})


@pytest.mark.parametrize(
    ("sends", "status"),
    [
        (lambda client: client.post({"jsonrpc": "2.0", "method": "notifications/initialized"}), 202),
        (lambda client: client.post(b"{"), 400),
        (
            lambda client: client.post(
                [{"jsonrpc": "2.0", "id": 1, "method": "ping"}], mcp_protocol_version="2025-11-25"
            ),
            400,
        ),
        (lambda client: client.post(b" " * (BODY_LIMIT + 1)), 413),
        (lambda client: client.http.delete(client.url), 405),
        (lambda client: client.http.get(client.url, headers={"accept": "application/json"}), 406),
    ],
    ids=["notification", "no JSON", "batch", "too large", "DELETE", "GET without a stream"],
)
def test_gap_17_the_corners_of_the_transport_are_answered_as_it_says(client: Any, sends: Any, status: int) -> None:
    assert sends(client).status_code == status
    assert client.of("called") == []


def test_gap_17_a_version_of_nowhere_is_not_echoed(client: Any) -> None:
    told = client.ask("initialize", HELLO | {"protocolVersion": "1999-01-01"})["result"]

    assert told["protocolVersion"] in REVISIONS
