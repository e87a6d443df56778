"""The suite is sound, tells nothing too early, and offers everything that the server under study has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skilltrial_fixture_mcp.catalog import digest, read_catalog

CASES = {"ordinary-coding": 1, "explicit-save": 1, "empty-search": 2, "failed-save": 1, "stale-approval": 2}
SCOPE = "zcode-guidance-fixture-scope"
TEXT = "Project Atlas uses UTC for all timestamps."
WORDS = re.compile(r"[^\W\d]+")


def test_the_suite_has_no_fault() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "skilltrial", "lint", "guidance"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_five_cases_in_their_order_and_one_of_them_needs_no_tool(cases: dict[str, Any]) -> None:
    assert {id: len(case["turns"]) for id, case in cases.items()} == CASES
    assert list(cases) == list(CASES)
    assert [id for id, case in cases.items() if case.get("polarity") == "negative"] == ["ordinary-coding"]


def test_the_arms_differ_in_the_skill_alone(suite: dict[str, Any]) -> None:
    assert suite["arms"] == [{"id": "without_skill"}, {"id": "with_skill", "skills": ["project-context"]}]
    assert suite["gate"] == {"arm": "with_skill"}
    assert "instructions" not in suite["fixtures"]["powercontext"], "the server tells nothing that a skill could tell"


class TestCatalog:
    @pytest.fixture
    def catalog(self, folder: Path) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((folder / "catalog.json").read_bytes())
        return loaded

    def test_it_has_no_fault_and_bears_its_digest(self, folder: Path, catalog: dict[str, Any]) -> None:
        read, faults = read_catalog("catalog.json", (folder / "catalog.json").read_bytes())

        assert faults == []
        assert read is not None
        assert catalog["sha256"] == digest(catalog)

    def test_a_tool_left_out_is_refused(self, catalog: dict[str, Any]) -> None:
        del catalog["tools"][5]

        read, faults = read_catalog("catalog.json", json.dumps(catalog).encode())

        assert read is None
        assert faults

    def test_it_offers_all_tools_of_the_atomic_era_also_those_that_cases_forbid(self, catalog: dict[str, Any]) -> None:
        names = [tool["name"] for tool in catalog["tools"]]

        assert len(names) == len(set(names)) == 54
        assert {
            "remember_memory", "search_memory", "list_memory_entries", "approve_artifact_candidate",
            "revise_artifact_candidate", "publish_artifact", "list_atomic_memories", "get_atomic_memory_state",
        } <= set(names)  # fmt: skip

    @pytest.mark.parametrize(
        ("tool", "arguments", "fits"),
        [
            ("search_memory", {"scope_id": SCOPE, "query": "x"}, True),
            ("search_memory", {"scope_id": SCOPE, "query": ""}, False),
            ("search_memory", {"scope_id": " ", "query": "x"}, False),
            ("search_memory", {"scope_id": SCOPE, "query": "x", "limit": 51}, False),
            ("search_memory", {"scope_id": SCOPE, "query": "x", "mode": "all"}, False),
            ("remember_memory", {"scope_id": SCOPE, "kind": "decision", "text": TEXT}, True),
            ("remember_memory", {"scope_id": SCOPE, "kind": "decision", "text": TEXT, "expected_revision": None}, True),
            ("remember_memory", {"scope_id": SCOPE, "kind": "decision", "text": TEXT, "expected_revision": 1}, True),
            ("remember_memory", {"scope_id": SCOPE, "kind": "decision", "text": TEXT, "expected_revision": 0}, False),
            ("remember_memory", {"scope_id": SCOPE, "kind": "decision"}, False),
            ("get_artifact_candidate", {"scope_id": SCOPE, "candidate_id": "é"}, False),
            ("approve_artifact_candidate", {"scope_id": SCOPE, "candidate_id": "c", "expected_version": 1}, True),
            ("approve_artifact_candidate", {"scope_id": SCOPE, "candidate_id": "c", "expected_version": 0}, False),
            ("approve_artifact_candidate", {"scope_id": SCOPE, "candidate_id": "c"}, False),
            ("list_memory_entries", {"scope_id": SCOPE, "all": True}, False),
            ("resolve_scope_binding", {}, True),
        ],
    )
    def test_the_tools_that_matter_have_real_schemas(
        self, served: Any, tool: str, arguments: dict[str, Any], fits: bool
    ) -> None:
        assert served.catalog.tools[tool].input.fits(arguments) is fits


class TestNothingIsToldTooEarly:
    def test_no_prompt_names_a_tool_the_scope_or_the_skill(self, cases: dict[str, Any], served: Any) -> None:
        hidden = [*served.catalog.tools, SCOPE, "project-context", "skill", "resolve"]
        for case in cases.values():
            for prompt in case["turns"]:
                assert not [name for name in hidden if name in prompt.lower()], case["id"]

    def test_no_prompt_holds_what_only_a_reply_or_the_agent_can_know(self, cases: dict[str, Any]) -> None:
        for case in cases.values():
            prompts = " ".join(case["turns"])
            for told in ("FIXTURE_", "candidate_conflict", "[1", "1, 2", "pending", "version 2"):
                assert told not in prompts, (case["id"], told)

    def test_the_lesson_is_told_only_after_it_was_to_be_read(self, cases: dict[str, Any]) -> None:
        first, second = cases["stale-approval"]["turns"]
        lesson = "Approve only the version you reviewed."

        assert lesson not in first
        assert lesson in second

    def test_no_prompt_quotes_the_skill(self, cases: dict[str, Any], skill: str) -> None:
        """No five words in a row."""
        told = [word.lower() for word in WORDS.findall(skill)]
        runs = {tuple(told[at : at + 5]) for at in range(len(told) - 4)}
        for case in cases.values():
            for prompt in case["turns"]:
                words = [word.lower() for word in WORDS.findall(prompt)]
                assert not runs & {tuple(words[at : at + 5]) for at in range(len(words) - 4)}, case["id"]

    def test_the_skill_does_not_know_what_is_graded(self, skill: str) -> None:
        for told in (SCOPE, "zcode", "Atlas", "UTC", "STATUS", "NO_MATCHES", "FIXTURE", "candidate_conflict", "retry"):
            assert told not in skill
        assert "name: project-context\n" in skill
