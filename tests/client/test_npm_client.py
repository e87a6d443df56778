"""A client of another make, from npm, lists and calls the fixture's tools."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import Limits, Place, RunInfo, Trial, TrialKey
from skilltrial.testing import MemoryRecorder
from skilltrial_fixture_mcp.catalog import digest
from skilltrial_fixture_mcp.fixture import McpFixture

HERE = Path(__file__).parent
REPLIES = b"""
scripts:
  one:
    rules:
      - {tool: save, reply: {body: {saved: {$argument: /text}}}}
      - {tool: count, reply: {body: {n: 3}}}
"""
CALLS = [["save", {"text": "Grüße"}], ["count", {}], ["save", {}], ["nothing", {}]]


def catalog() -> bytes:
    number = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    tools = [{"name": "save", "inputSchema": text}]
    tools.append({"name": "count", "inputSchema": {"type": "object"}, "outputSchema": number})
    body: Any = {
        "schema_version": 1,
        "server": {"name": "memory server", "version": "3.1"},
        "captured": "2026-11-30",
        "protocol": "2025-11-25",
        "tools": tools,
    }
    return json.dumps(body | {"sha256": digest(body)}).encode()


@pytest.fixture(scope="module")
def node() -> str:
    """Node, where it and the client are installed; in CI with Node they must be."""
    program = shutil.which("node")
    installed = (HERE / "node_modules/@modelcontextprotocol/sdk").is_dir()
    if program is None or not (installed or os.environ.get("CI")):
        pytest.skip("no MCP client from npm: `make agents` installs it where there is Node")
    return program


@pytest.mark.real
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_it_lists_and_calls_the_tools(node: str, tmp_path: Path, transport: Any) -> None:
    fixture = McpFixture(catalog="catalog.json", replies="replies.yaml", transport=transport)
    assets = {"catalog.json": catalog(), "replies.yaml": REPLIES}
    recorder = MemoryRecorder()
    trial = Trial(TrialKey(case="case", arm="arm", label="1"), ("Do it.",), Limits())
    launcher: Any = None
    place = Place(tmp_path, tmp_path, tmp_path, {}, launcher)
    with (
        fixture.open_fixtures(RunInfo("run"), assets, None) as run,
        run.start(trial, {}, place, recorder) as offer,
    ):
        where = offer.url or json.dumps(offer.command)
        said = subprocess.run(
            [node, HERE / "client.mjs", transport, where, json.dumps(CALLS)],
            env={**os.environ, **offer.environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    assert said.returncode == 0, said.stderr
    came = json.loads(said.stdout)
    assert (came["server"]["name"], came["tools"]) == ("memory server", ["save", "count"])
    saved, counted, invalid, unknown = came["answers"]
    assert saved["content"][0]["text"] == '{"saved":"Grüße"}'
    assert counted["structuredContent"] == {"n": 3}
    assert invalid["isError"] is True
    assert unknown == {"code": -32602}
    notes = [json.loads(record.raw) for record in recorder.records]
    connected = [(note["client"], note["era"], note["transport"]) for note in notes if note["wire"] == "connected"]
    assert connected == [("other-make 1", "2025-11-25", transport)]
    assert [note["because"] for note in notes if note["wire"] == "answered"] == [
        "rule",
        "rule",
        "invalid_arguments",
        "unknown_tool",
    ]
