"""The suite as data, found as the core finds it. What its parts make of it is tested where the parts meet."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

METADATA = ".powercontext-guidance.json"


@pytest.fixture(scope="module")
def folder() -> Path:
    spec = importlib.util.find_spec("skilltrial_suite_guidance")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


@pytest.fixture(scope="module")
def suite(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load((folder / "suite.yaml").read_text("utf-8"))
    return loaded


def test_listing_it_imports_nothing_of_it() -> None:
    listed = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "skilltrial", "plugins"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "guidance" in listed.stdout
    assert "skilltrial.cli" in listed.stderr
    assert "skilltrial_suite_guidance" not in listed.stderr


def test_every_file_that_it_names_is_in_the_package(folder: Path, suite: dict[str, Any]) -> None:
    for fixture in suite["fixtures"].values():
        assert (folder / fixture["catalog"]).is_file()
        assert (folder / fixture["replies"]).is_file()
    for skill in suite["skills"]:
        assert (folder / skill["folder"] / "SKILL.md").is_file()


def test_the_metadata_of_the_skill_names_every_other_file_by_its_digest(folder: Path) -> None:
    skill = folder / "skills/project-context"
    others = {
        path.relative_to(skill).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in skill.rglob("*")
        if path.is_file() and path.name != METADATA
    }

    assert "SKILL.md" in others
    assert json.loads((skill / METADATA).read_bytes()) == others


def test_the_lock_pins_the_skill_as_it_is_and_its_metadata(folder: Path) -> None:
    (pin,) = json.loads((folder / "skilltrial.lock").read_bytes())["skills"].values()
    skill = folder / "skills/project-context"
    found = {
        path.relative_to(skill).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in skill.rglob("*")
        if path.is_file()
    }

    assert pin["files"] == found
    assert METADATA in pin["files"]
    assert len(pin["source_commit"]) == 40


def test_every_code_that_a_rehearsal_names_is_a_check_of_its_case(suite: dict[str, Any]) -> None:
    for case in suite["cases"]:
        codes = {check["id"] for check in case["checks"]}
        for rehearsal in case["rehearsals"]:
            assert set(rehearsal.get("because", ())) <= codes, (case["id"], rehearsal["id"])


def test_every_tool_that_a_script_calls_is_offered(folder: Path, suite: dict[str, Any]) -> None:
    offered = {tool["name"] for tool in json.loads((folder / "catalog.json").read_bytes())["tools"]}
    calls = [
        act["call"]["tool"]
        for case in suite["cases"]
        for rehearsal in case["rehearsals"]
        for act in rehearsal["script"]
        if "call" in act
    ]

    assert len(calls) > 50
    assert set(calls) <= offered
