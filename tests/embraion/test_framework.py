"""Suites in the spirit of those that EmbrAIon ships, and its own tests of them (`test_embraion_NN`: their numbers)."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
FRAMEWORK = Path(__file__).parents[2] / "plugins" / "format_embraion" / "tests" / "data" / "framework"
DATA_AGENT = """\
import json, pathlib, sys

prompt = sys.stdin.read()
skills = [file.read_text() for file in pathlib.Path(".agents/skills").glob("*/SKILL.md")]
knows_homes = any("module of its own" in text for text in skills)
knows_log = any("log.latest" in text for text in skills)
if "Triangle" in prompt:
    with open("triangle.py" if knows_homes else "circle.py", "a") as file:
        file.write("class Triangle:\\n    pass\\n")
elif "README" in prompt:
    readme = pathlib.Path("README.md")
    readme.write_text(readme.read_text().replace("recieve", "receive"))
elif "answer.txt" in prompt:
    pathlib.Path("answer.txt").write_text("As plain files.\\n")
else:
    if knows_log:
        record = "# Queue\\r\\n\\r\\n## Context\\r\\n\\r\\n## Decision\\r\\n\\r\\n## Consequences\\r\\n"
        pathlib.Path("docs/decisions/0002-queue.md").write_bytes(record.encode())
        index = pathlib.Path("docs/decisions/index.json")
        index.write_text(json.dumps({"log": {**json.loads(index.read_text())["log"], "latest": 2}}))
    if knows_homes and "class" in prompt:
        pathlib.Path("src/queue.py").write_text("class Queue:\\n    pass\\n")
"""
"""Plays an agent that does what its skills say, on the suites in `FRAMEWORK`."""


@pytest.fixture
def framework(tmp_path: Path) -> Path:
    """A copy of a small framework: two skills with earlier forms, two suites, their fixtures, and an agent."""
    shutil.copytree(FRAMEWORK, tmp_path / "framework")
    (tmp_path / "agent.py").write_text(DATA_AGENT)
    return tmp_path / "framework"


@pytest.fixture
def follower(tmp_path: Path) -> tuple[str, ...]:
    return ("--host", "portable", "--", sys.executable, str(tmp_path / "agent.py"))


def test_embraion_07_its_suites_load_with_cases_of_both_polarities(skilltrial: Command, framework: Path) -> None:
    suite = framework / "evals" / "class-homes.json"

    told = skilltrial("lint", suite, "--format", "embraion", "--expand")

    assert told.code == 0, told.err
    assert told.out.count("polarity: positive") == 2
    assert told.out.count("polarity: negative") == 2
    assert "Добавь класс" in told.out


def test_a_skill_that_helps_improves_every_pair_of_its_positive_cases(
    run: Command, framework: Path, follower: tuple[str, ...]
) -> None:
    ran = run(framework / "evals" / "class-homes.json", agent=follower)

    assert ran.code == 0, ran.err
    report = ran.report
    assert report["evidence-kind"] == "live-portable-subprocess"
    assert report["suite"] == "class-homes"
    assert report["suite-digest"] == hashlib.sha256((framework / "evals" / "class-homes.json").read_bytes()).hexdigest()
    assert report["summary"] == {
        "baseline": {"total": 8, "behavior-passed": 4},
        "candidate": {"total": 8, "behavior-passed": 8},
    }
    assert report["pair-summary"] == {
        "baseline": {"improved": 4, "regressed": 0, "tied-pass": 4, "tied-fail": 0, "unavailable": 0}
    }
    assert [(one["case"], one["attempt"]) for one in report["pairs"]] == [
        (case, attempt) for case in ("triangle-en", "triangle-ru", "typo-en", "typo-ru") for attempt in (1, 2)
    ]


def test_embraion_11_a_composed_suite_with_earlier_forms_has_three_variants(
    run: Command, framework: Path, follower: tuple[str, ...]
) -> None:
    ran = run(framework / "evals" / "decision-log.json", agent=follower)

    assert ran.code == 0, ran.err
    report = ran.report
    assert {name: set(forms) for name, forms in report["skill-identities"].items()} == {
        "decision-log": {"candidate", "previous"},
        "class-homes": {"candidate", "previous"},
    }
    assert list(report["summary"]) == ["baseline", "candidate", "previous"]
    assert report["pair-summary"]["previous"] == {
        "improved": 4, "regressed": 0, "tied-pass": 2, "tied-fail": 0, "unavailable": 0,
    }  # fmt: skip
    assert {kind for one in report["runs"] for kind in one["trigger-evidence"].values()} == {"unverified"}
    assert [one["type"] for one in report["runs"][0]["checks"]][-2:] == ["unchanged-path", "changed-paths-within"]
