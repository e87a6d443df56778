"""The fixture that is measured: one tool, one rule."""

from __future__ import annotations

import json

from pydantic import JsonValue

from skilltrial_fixture_mcp.catalog import digest
from skilltrial_fixture_mcp.planning import make_plan

REPLIES = b"""
scripts:
  one:
    rules:
      - tool: remember
        arguments: {properties: {scope: {const: s1}}}
        reply: {body: {ok: true, text: {$argument: /text}}}
"""


def catalog() -> bytes:
    """One tool, as the other servers have it."""
    properties: JsonValue = {"text": {"type": "string"}, "scope": {"type": "string"}}
    schema: JsonValue = {"type": "object", "properties": properties, "required": ["text", "scope"]}
    body: dict[str, JsonValue] = {
        "schema_version": 1,
        "server": {"name": "measured", "version": "1"},
        "captured": "2026-11-30",
        "protocol": "2025-11-25",
        "tools": [{"name": "remember", "description": "Save one memory.", "inputSchema": schema}],
    }
    return json.dumps(body | {"sha256": digest(body)}).encode()


def plan() -> bytes:
    """The same for a server that is a process of its own."""
    assets = {"catalog.json": catalog(), "replies.yaml": REPLIES}
    return json.dumps(make_plan("catalog.json", "replies.yaml", assets, {})).encode()
