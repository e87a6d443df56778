"""The fixture as a process: one trial, every call matched, validated and recorded. `PORT FILE`; prints its path."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pydantic import JsonValue

from skilltrial.api import Limits, Place, RunInfo, Trial, TrialKey
from skilltrial.archive.recording import Clock, FileRecorder
from skilltrial.archive.redaction import Redactor
from skilltrial_fixture_mcp.catalog import digest
from skilltrial_fixture_mcp.fixture import McpFixture

REPLIES = b"""
scripts:
  one:
    rules:
      - tool: remember
        arguments: {properties: {scope: {const: s1}}}
        reply: {body: {ok: true, text: {$argument: /text}}}
"""


def recorder_in(path: Path) -> FileRecorder:
    """An archive's recorder, with a credential to look for as live runs have."""
    recorder = FileRecorder(path, Clock(), Redactor({"KEY": "a-credential-of-no-worth"}))
    recorder.turn = 1
    return recorder


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


def main(record: str) -> None:
    """Serve until standard input ends."""
    fixture = McpFixture(catalog="catalog.json", replies="replies.yaml")
    trial = Trial(TrialKey(case="case", arm="arm", label="1"), ("Do it.",), Limits())
    here = Path(record).parent
    place = Place(here, here, here, {}, None)  # type: ignore[arg-type]
    assets = {"catalog.json": catalog(), "replies.yaml": REPLIES}
    with (
        fixture.open_fixtures(RunInfo("run"), assets, None) as run,
        run.start(trial, {}, place, recorder_in(Path(record))) as offer,
    ):
        print(offer.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
