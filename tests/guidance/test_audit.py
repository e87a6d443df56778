"""`skilltrial audit`: whatever is changed in the evidence of a passing guidance trial, it no longer passes."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


@pytest.fixture(scope="session")
def weak(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Path:
    """The suite with checks that ask for too little: any save will do, and any first words."""
    copy = tmp_path_factory.mktemp("weak") / "guidance"
    shutil.copytree(folder, copy)
    whole = json.dumps(
        {
            "id": "weak",
            "skills": [{"id": "project-context", "folder": "skills/project-context"}],
            "fixtures": {"powercontext": {"use": "mcp", "catalog": "catalog.json", "replies": "replies.yaml"}},
            "cases": {
                "explicit-save": {
                    "prompt": "Remember it.",
                    "fixtures": {"powercontext": {"script": "write-confirmed"}},
                    "checks": [
                        {"id": "weak", "grader": "calls", "server": "powercontext",
                         "at_least": [{"tool": "remember_memory"}]},
                        {"id": "any_words", "grader": "answers", "matches": "."},
                    ],
                }
            },
        }
    )  # fmt: skip
    (copy / "suite.json").write_text(whole, "utf-8")
    return copy / "suite.json"


def digests(root: Path) -> dict[str, str]:
    return {str(one): hashlib.sha256(one.read_bytes()).hexdigest() for one in root.rglob("*") if one.is_file()}


def test_nothing_survives_on_a_passing_archive_and_the_archive_is_only_read(skilltrial: Command, passing: Any) -> None:
    before = digests(passing.root)

    cases = ("--case", "failed-save", "--case", "stale-approval")

    ran = skilltrial("audit", passing.root, *cases, "--format", "json", "--quiet", within=900)

    report = json.loads(ran.out)
    assert (report["survivors"], report["disturbed"], report["not_tested"]) == ([], [], [])
    assert (ran.code, report["decision"], report["reasons"]) == (0, "passed", ["none_survived"])
    assert len(report["trials"]) == 4
    assert sum(row["tried"] for row in report["rows"]) > 1000
    assert sum(row["caught"] for row in report["rows"]) > 800
    assert [row["kind"] for row in report["rows"] if not row["tried"]] == []
    assert digests(passing.root) == before


def test_a_suite_that_asks_for_too_little_is_shown_what_it_lets_through(
    skilltrial: Command, record: Any, weak: Path
) -> None:
    recorded = record(None, weak)
    assert recorded.code == 0, recorded.out

    ran = skilltrial("audit", recorded.root, "--arm", "with_skill", "--quiet")

    assert ran.code == 1
    assert "Survived: still passed" in ran.out
    assert "answer-claims-success: turn 1, claim 1 (passed)" in ran.out
    assert "audit: failed (mutants survived), exit 1" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80
    survivors = json.loads(skilltrial("audit", recorded.root, "--format", "json", "--quiet").out)["survivors"]
    kinds = {one["kind"] for one in survivors}
    assert {"answer-claims-success", "wire-flips-error", "wire-repeats-call"} & kinds
    assert not kinds & {"host-alters-argument", "stream-is-gone", "evidence-is-anothers", "wire-unlists-tools"}


def test_an_archive_in_which_nothing_passed_has_nothing_to_change(skilltrial: Command, record: Any) -> None:
    wrong = [{"say": "[1, 3]"}]
    changed = {f"ordinary-coding/{arm}": wrong for arm in ("with_skill", "without_skill")}
    recorded = record(changed, "guidance", "--case", "ordinary-coding")

    ran = skilltrial("audit", recorded.root)

    assert (ran.code, ran.out) == (3, "")
    assert "no trial passed that could be changed" in ran.err


def test_an_archive_that_was_changed_is_refused(skilltrial: Command, passing: Any, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(passing.root, copy)
    (copy / "trials/explicit-save/with_skill/1/answers.json").write_text("[]")

    ran = skilltrial("audit", copy)

    assert (ran.code, ran.out) == (4, "")
    assert "changed: trials/explicit-save/with_skill/1/answers.json" in ran.err


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--case", "nowhere"), "the archive has no case nowhere; it has ordinary-coding"),
        (("--arm", "nowhere"), "the archive has no arm nowhere; it has without_skill, with_skill"),
        (("--format", "xml"), "'xml' is not one of"),
    ],
)
def test_a_request_that_can_not_be_met_names_what_would_be_right(
    skilltrial: Command, passing: Any, flags: tuple[str, ...], says: str
) -> None:
    ran = skilltrial("audit", passing.root, *flags)

    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
