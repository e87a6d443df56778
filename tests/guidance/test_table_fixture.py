"""Entries 1 to 7 of the suite's table: its own catalog and replies, asked over HTTP as a program would."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from skilltrial.api import Launcher, Limits, Place, RunInfo, Trial, TrialKey, wire_calls
from skilltrial.testing import MemoryRecorder
from skilltrial_fixture_mcp.fixture import McpFixture

SCOPE = "zcode-guidance-fixture-scope"
TEXT = "Project Atlas uses UTC for all timestamps."
CANDIDATE = {"scope_id": SCOPE, "candidate_id": "zcode-guidance-candidate"}
FILES = ("catalog.json", "replies.yaml")


def exactly(**properties: Any) -> dict[str, Any]:
    """The JSON Schema of an object with these members and no other."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


FOUND = exactly(mode={"enum": ["text", "vector", "hybrid"]}, hits={"type": "array"})
"""What a search of the Atomic era gives."""
SAVED = exactly(
    changed={"type": "boolean"},
    records={
        "type": "array",
        "items": exactly(
            artifact=exactly(
                family={"const": "atomic-memory"}, artifact_id={"type": "string"}, revision={"type": "integer"}
            ),
            kind={"type": "string"},
            text={"type": "string", "minLength": 1},
            state={"enum": ["active", "forgotten", "merged", "retired"]},
            state_version={"type": "integer"},
            merged_into_id={"type": ["string", "null"]},
        ),
    },
)
"""What a change of memories gives."""
PROPOSED = exactly(
    candidate_id={"type": "string"},
    version={"type": "integer", "minimum": 1},
    family={"const": "experience"},
    status={"enum": ["pending", "approved", "rejected"]},
    proposal=exactly(**{name: {"type": "string"} for name in ("situation", "action", "outcome", "lesson")}),
    **{name: {"type": "array"} for name in ("source_refs", "artifact_refs", "memory_citations")},
    **{name: {"type": ["string", "object", "null"]} for name in ("target", "reason", "result_artifact")},
    decision_reason={"type": ["string", "null"]},
)
"""What a candidate is."""


class NoLauncher(Launcher):
    """Starts nothing."""

    def run(self, command: Any, recorder: Any, on_line: Any = None) -> Any:
        """Refuse."""
        raise AssertionError("a fixture starts no program")


@dataclass
class Served:
    """The server of one trial."""

    url: str
    recorder: MemoryRecorder

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(urllib.request.Request(self.url, body, headers), timeout=60) as answer:
            result: dict[str, Any] = json.loads(answer.read())["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> tuple[Any, bool]:
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return json.loads(result["content"][0]["text"]), result["isError"]


@pytest.fixture(scope="module")
def run(folder: Path) -> Iterator[Any]:
    """One server for all trials of these tests."""
    assets = {name: (folder / name).read_bytes() for name in FILES}
    fixture = McpFixture(catalog=FILES[0], replies=FILES[1])
    with fixture.open_fixtures(RunInfo("table", 1), assets, None) as running:
        yield running


@pytest.fixture
def served(run: Any, cases: Any, tmp_path: Path) -> Iterator[Callable[[str], Served]]:
    """`served(case)` begins a trial of a case."""
    place = Place(tmp_path, tmp_path, tmp_path, {}, NoLauncher())
    with ExitStack() as stack:

        def begin(case: str) -> Served:
            trial = Trial(TrialKey(case=case, arm="with_skill", label="1"), ("Do it.",), Limits())
            recorder = MemoryRecorder()
            recorder.turn = 1
            offer = stack.enter_context(run.start(trial, cases[case]["fixtures"]["powercontext"], place, recorder))
            return Served(str(offer.url), recorder)

        yield begin


def test_1_the_handshake_offers_tools_and_nothing_else(served: Any) -> None:
    """No resources, prompts or instructions. That lists may change is said: without it a host enrols no tools (R30)."""
    told = served("ordinary-coding").ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})

    assert told["capabilities"] == {"tools": {"listChanged": True}}
    assert "instructions" not in told


def test_2_the_whole_catalog_is_listed_with_what_the_cases_forbid(served: Any) -> None:
    listed = served("ordinary-coding").ask("tools/list", {})["tools"]

    names = {tool["name"] for tool in listed}
    assert {
        *("search_memory", "list_memory_entries", "list_atomic_memories", "remember_memory"),
        *("approve_artifact_candidate", "revise_artifact_candidate", "publish_artifact"),
    } <= names
    assert len(listed) == len(names) == 54


def test_3_a_search_finds_nothing_in_the_form_of_a_real_one(served: Any) -> None:
    body, failed = served("empty-search").call("search_memory", scope_id=SCOPE, query="Atlas retry")

    assert (failed, body["hits"]) == (False, [])
    jsonschema.validate(body, FOUND)


@pytest.mark.parametrize("tool", ["list_memory_entries", "list_atomic_memories"])
def test_4_an_inventory_is_refused_and_on_record(served: Any, tool: str) -> None:
    trial = served("empty-search")

    body, failed = trial.call(tool, scope_id=SCOPE)

    assert (failed, body["error"]["code"]) == (True, "FIXTURE_UNEXPECTED_OPERATION")
    (call,) = wire_calls("powercontext", trial.recorder.records)
    assert (call.tool, call.because, call.is_error) == (tool, "unexpected", True)


def test_5_a_save_without_its_text_breaks_the_schema_and_is_on_record(served: Any) -> None:
    trial = served("explicit-save")

    body, failed = trial.call("remember_memory", scope_id=SCOPE)

    assert (failed, body["error"]["code"]) == (True, "FIXTURE_INVALID_ARGUMENTS")
    (call,) = wire_calls("powercontext", trial.recorder.records)
    assert (call.arguments, call.because) == ({"scope_id": SCOPE}, "invalid_arguments")


def test_6_a_candidate_changes_under_its_approval_and_stays_pending(served: Any) -> None:
    trial = served("stale-approval")

    before, _ = trial.call("get_artifact_candidate", **CANDIDATE)
    conflict, failed = trial.call("approve_artifact_candidate", **CANDIDATE, expected_version=1)
    after, _ = trial.call("get_artifact_candidate", **CANDIDATE)

    for body in (before, after):
        jsonschema.validate(body, PROPOSED)
    assert (failed, conflict["error"]["code"]) == (True, "candidate_conflict")
    assert (before["version"], after["version"]) == (1, 2)
    assert (after["status"], after["result_artifact"]) == ("pending", None)
    assert before["proposal"]["lesson"] != after["proposal"]["lesson"]


def test_7_a_save_is_confirmed_by_one_active_record_of_its_text(served: Any) -> None:
    body, failed = served("explicit-save").call("remember_memory", scope_id=SCOPE, kind="decision", text=TEXT)

    jsonschema.validate(body, SAVED)
    (record,) = body["records"]
    assert (failed, record["text"], record["state"], record["kind"]) == (False, TEXT, "active", "decision")
