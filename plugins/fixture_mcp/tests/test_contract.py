"""The contract of the fixture, over HTTP and in the way of the handshake's revisions."""

from __future__ import annotations

import httpx
import pytest

from skilltrial.testing.fixtures import FixtureContract, FixtureSubject
from skilltrial_fixture_mcp.fixture import McpFixture

REPLIES = b"scripts: {plain: {rules: [{tool: save, reply: {text: ok}}]}}"


def call(offer, arguments):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "save", "arguments": arguments}}
    headers = {"accept": "application/json, text/event-stream"}
    with httpx.Client(trust_env=False, verify=False, timeout=20) as http:
        reply = http.post(offer.url, json=body, headers=headers)
    reply.raise_for_status()
    result = reply.json()["result"]
    return "".join(part["text"] for part in result["content"])


class TestFixture(FixtureContract):
    @pytest.fixture
    def subject(self, make_catalog, notes_tools) -> FixtureSubject:
        return FixtureSubject(
            McpFixture(catalog="catalog.json", replies="replies.yaml"),
            assets={"catalog.json": make_catalog(*notes_tools), "replies.yaml": REPLIES},
            call=call,
            tool="save",
            arguments={"text": "KIT"},
            options={"script": "plain"},
            wrong_options={"script": "kit_unknown_script"},
        )
