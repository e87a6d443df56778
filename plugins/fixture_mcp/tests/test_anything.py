"""Whatever is sent, the server answers, stays whole, and what it records can be read again."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.api import Called, wire_notes

SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
RULES = """
scripts:
  one:
    rules:
      - {tool: save, set: {last: {$argument: ""}}, reply: {body: {$argument: ""}}}
      - {tool: count, reply: {body: {n: 1}}}
"""
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20)
JSON = st.recursive(
    SCALAR,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=15,
)
METHODS = st.sampled_from(
    ["initialize", "tools/list", "tools/call", "ping", "server/discover", "subscriptions/listen", "x", ""]
)
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "mcp-protocol-version": st.sampled_from(["2025-03-26", "2025-11-25", "2026-07-28", "x", ""]),
        "mcp-method": METHODS,
        "mcp-name": st.sampled_from(["save", "=?base64?eA==?=", "=?base64?"]),
    },
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers() | st.text(max_size=5) | JSON,
        "method": METHODS | JSON,
        "params": st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["save", "count", "none"]) | JSON,
                "arguments": JSON,
                "protocolVersion": JSON,
                "notifications": st.just({}),
                "_meta": st.fixed_dictionaries(
                    {},
                    optional={
                        "io.modelcontextprotocol/protocolVersion": st.sampled_from(["2026-07-28", "x", 1]),
                        "io.modelcontextprotocol/clientCapabilities": st.just({}),
                        "io.modelcontextprotocol/clientInfo": JSON,
                        "callId": JSON,
                    },
                )
                | JSON,
            },
        )
        | JSON,
    },
)


def answered(client: Any, body: bytes, headers: dict[str, str]) -> None:
    """Send a body and read no more than the begin of an answer; a subscription would never end."""
    usual = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    with client.http.stream("POST", client.url, content=body, headers=usual | headers) as reply:
        assert reply.status_code in (200, 202, 400, 404)


@SETTINGS
@given(body=st.binary(max_size=200), headers=HEADERS)
def test_any_bytes_are_answered(serve: Any, body: bytes, headers: dict[str, str]) -> None:
    answered(serve(RULES), body, headers)


@SETTINGS
@given(message=MESSAGE | st.lists(MESSAGE, max_size=3), headers=HEADERS)
def test_any_message_is_answered_and_each_record_can_be_read(serve: Any, message: Any, headers: dict[str, str]) -> None:
    client = serve(RULES)

    answered(client, json.dumps(message).encode(), headers)

    assert len(list(wire_notes(client.recorder.records))) == len(client.recorder.records)


@SETTINGS
@given(value=JSON)
def test_arguments_are_recorded_as_they_came_or_not_taken_at_all(serve: Any, value: Any) -> None:
    client = serve(
        "scripts: {one: {rules: [{reply: {body: {$argument: ''}}}]}}", {"name": "t", "inputSchema": {"type": "object"}}
    )

    reply = client.ask("tools/call", {"name": "t", "arguments": {"v": value}})

    called = [note for _, note in wire_notes(client.recorder.records) if isinstance(note, Called)]
    if _sound(value):
        assert json.dumps(called[0].arguments) == json.dumps({"v": value})
        assert json.loads(reply["result"]["content"][0]["text"]) == {"v": value}
    else:
        assert reply["error"]["code"] == -32700
        assert called == []


def _sound(value: Any) -> bool:
    """Whether a value is JSON for everybody: numbers that are numbers, texts of whole characters."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, str):
        return all(not 0xD800 <= ord(one) <= 0xDFFF for one in value)
    if isinstance(value, dict):
        return all(_sound(key) and _sound(one) for key, one in value.items())
    return all(map(_sound, value)) if isinstance(value, list) else True
