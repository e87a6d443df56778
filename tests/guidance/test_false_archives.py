"""Archives that were changed and sealed anew, so that every digest holds: refused by a code, or no pass at all.

`test_32`: an entry of the suite's table of tests. The rest are its further ideas, each by its name.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skilltrial.archive.keying import key_of
from skilltrial.archive.reading import open_archive
from skilltrial.cli.judging import judge
from skilltrial.judge.qualifying import standing
from skilltrial.model.errors import ArchiveRefused
from skilltrial.plugins.discovery import Discovery

PLAN, SUITE, MANIFEST = "plan.json", "inputs/suite.json", "manifest.json"
Change = Callable[[Any], object]


@pytest.fixture
def copy(passing: Any, tmp_path: Path) -> Path:
    """A copy of the passing archive of this test's own."""
    shutil.copytree(passing.root, tmp_path / "copy")
    return tmp_path / "copy"


def sealed(root: Path, name: str, change: Change) -> bool:
    """Change a JSON file outside trials, and its digest; always True, for tables of changes."""
    value = json.loads((root / name).read_bytes())
    change(value)
    data = json.dumps(value).encode()
    (root / name).write_bytes(data)
    if name != MANIFEST:
        digest = hashlib.sha256(data).hexdigest()
        sealed(root, MANIFEST, lambda manifest: manifest["files"].update({name: digest}))
    return True


def without_trials(root: Path, arm: str) -> None:
    """Take an arm's trials away, and what the manifest says of them."""
    for folder in (root / "trials").glob(f"*/{arm}"):
        shutil.rmtree(folder)
    sealed(root, MANIFEST, lambda told: [told["trials"].pop(one) for one in [*told["trials"]] if f"/{arm}/" in one])


def without_arm(root: Path) -> None:
    """Take an arm away, as if nobody had ever planned it."""
    without_trials(root, "without_skill")
    sealed(root, PLAN, lambda plan: plan.update(arms=["with_skill"]))
    sealed(root, PLAN, lambda plan: plan.update(trials=[one for one in plan["trials"] if one["arm"] == "with_skill"]))


def case(root: Path, id: str, change: Change) -> None:
    """Change one case of the archived suite."""
    sealed(root, SUITE, lambda suite: change(next(one for one in suite["cases"] if one["id"] == id)))


REFUSED: dict[str, tuple[str, Callable[[Path], object]]] = {
    "manifest path with ..": (
        "'../outside.json'",
        lambda root: (
            (root.parent / "outside.json").write_text("{}"),
            sealed(
                root,
                MANIFEST,
                lambda told: told["files"].update({"../outside.json": hashlib.sha256(b"{}").hexdigest()}),
            ),
        ),
    ),
    "manifest path that begins at the root": (
        "/etc/hostname",
        lambda root: sealed(root, MANIFEST, lambda told: told["files"].update({"/etc/hostname": "0" * 64})),
    ),
    "manifest entry for a missing file": (
        "missing: inputs/more.json",
        lambda root: sealed(root, MANIFEST, lambda told: told["files"].update({"inputs/more.json": "0" * 64})),
    ),
    "manifest entry for a missing trial": (
        "missing: trials/explicit-save/with_skill/9/seal.json",
        lambda root: sealed(
            root, MANIFEST, lambda told: told["trials"].update({"trials/explicit-save/with_skill/9": "0" * 64})
        ),
    ),
    "a file that no manifest names": (
        "additional: inputs/more.json",
        lambda root: (root / "inputs/more.json").write_text("{}"),
    ),
    "archive with a deleted arm, plan and all": ("incomplete_plan: ", without_arm),
    "six cases": (
        "archived_suite_mismatch: ",
        lambda root: sealed(root, SUITE, lambda suite: suite["cases"].append(suite["cases"][0] | {"id": "sixth"})),
    ),
    "four cases": (
        "archived_suite_mismatch: ",
        lambda root: sealed(root, SUITE, lambda suite: suite["cases"].pop()),
    ),
    "duplicate case id": (
        "archived_suite_mismatch: ",
        lambda root: sealed(root, SUITE, lambda suite: suite["cases"].append(suite["cases"][0])),
    ),
    "prompts reordered": (
        "archived_suite_mismatch: ",
        lambda root: case(root, "stale-approval", lambda one: one["turns"].reverse()),
    ),
    "a check left out": (
        "archived_suite_mismatch: ",
        lambda root: case(root, "empty-search", lambda one: one["checks"].pop()),
    ),
    "a trial planned twice": (
        "incomplete_plan: ",
        lambda root: sealed(root, PLAN, lambda plan: plan["trials"].append(plan["trials"][0])),
    ),
    "no plan": ("missing: plan.json", lambda root: (root / PLAN).unlink()),
    "no manifest": ("is not sealed", lambda root: (root / MANIFEST).unlink()),
    "a plan that is no JSON": (
        "plan.json",
        lambda root: (
            (root / PLAN).write_bytes(b"{"),
            sealed(root, MANIFEST, lambda told: told["files"].update({PLAN: hashlib.sha256(b"{").hexdigest()})),
        ),
    ),
    "a suite that is a list": (
        "inputs/suite.json",
        lambda root: (
            (root / SUITE).write_bytes(b"[]"),
            sealed(root, MANIFEST, lambda told: told["files"].update({SUITE: hashlib.sha256(b"[]").hexdigest()})),
        ),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_an_archive_of_something_else_is_refused_by_its_code(copy: Path, what: str) -> None:
    code, change = REFUSED[what]
    change(copy)

    with pytest.raises(ArchiveRefused) as refused:
        judge(copy, Discovery())

    assert code in str(refused.value)


@pytest.mark.parametrize("name", ["host.jsonl", "answers.json", "fixture-powercontext.jsonl", "seal.json"])
def test_32_evidence_that_was_changed_after_the_seal_is_refused_and_named(copy: Path, name: str) -> None:
    path = f"trials/explicit-save/with_skill/1/{name}"
    (copy / path).write_bytes((copy / path).read_bytes() + b"\n")

    with pytest.raises(ArchiveRefused, match=f"changed: {path}"):
        judge(copy, Discovery())


@pytest.mark.parametrize("arm", ["with_skill", "without_skill"])
def test_an_archive_with_a_deleted_arm_is_incomplete_and_qualifies_nothing(copy: Path, arm: str) -> None:
    without_trials(copy, arm)

    report = judge(copy, Discovery()).report

    assert (report.gate.exit, report.gate.reasons) == (3, ("not_run",))
    archive = open_archive(copy)
    key = key_of(archive.plan, archive.suite, archive.assets, {})
    reasons = {doubt.reason for doubt in standing("x", archive, report, key).doubts}
    assert {"partial", "pairs_unavailable", "undecided", "gate_incomplete"} <= reasons


def test_gap_11_a_failure_that_was_taken_out_of_the_manifest_is_missed(copy: Path) -> None:
    """A trial whose entry and folder are gone was planned all the same."""
    folder = "trials/failed-save/with_skill/1"
    shutil.rmtree(copy / folder)
    sealed(copy, MANIFEST, lambda told: told["trials"].pop(folder))

    report = judge(copy, Discovery()).report

    (missed,) = [one for one in report.trials if one.verdict.reason == "not_run"]
    assert missed.key.path == folder
    assert report.gate.exit == 3


@pytest.mark.parametrize("what", ["six cases", "archive with a deleted arm, plan and all", "no plan"])
def test_the_command_says_so_in_a_line_and_qualifies_nothing(skilltrial: Any, copy: Path, what: str) -> None:
    code, change = REFUSED[what]
    change(copy)

    graded = skilltrial("grade", copy)
    asked = skilltrial("qualified", "guidance", copy, "--host", "portable", "--host-command", '["true"]')

    assert (graded.code, graded.out) == (4, "")
    assert code in graded.err
    assert (asked.code, f"{copy}: refused" in asked.out) == (4, True)
