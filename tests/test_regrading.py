"""Judging again: with other judges, from a folder that can't be written, and what can't be judged truthfully."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")
ENTRIES = {
    "skilltrial-grader-files": "[skilltrial.graders.v1]\nfiles = skilltrial_grader_files.grader:FilesGrader\n",
    "skilltrial-host-portable": (
        "[skilltrial.hosts.v1]\nportable = skilltrial_host_portable.host:PortableHost\n"
        "[skilltrial.normalizers.v1]\nportable = skilltrial_host_portable.normalizer:PortableNormalizer\n"
    ),
}


@pytest.fixture
def another(tmp_path: Path) -> Callable[[str, Callable[[Path], None]], dict[str, str]]:
    """Another version of an installed part, made by changing a copy of it; the environment in which it wins."""

    def make(distribution: str, change: Callable[[Path], None]) -> dict[str, str]:
        package = distribution.replace("-", "_")
        found = find_spec(package)
        assert found is not None
        assert found.origin is not None
        site = tmp_path / "site"
        shutil.copytree(Path(found.origin).parent, site / package, ignore=shutil.ignore_patterns("__pycache__"))
        change(site / package)
        info = site / f"{package}-9.9.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 9.9\n")
        (info / "entry_points.txt").write_text(ENTRIES[distribution])
        return {"PYTHONPATH": os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])}

    return make


def comment(package: Path) -> None:
    """A change that changes no verdict."""
    file = package / ("grader.py" if (package / "grader.py").exists() else "normalizer.py")
    file.write_text(file.read_text() + "\n# Another version.\n")


def always_fails(package: Path) -> None:
    """A grader that passes nothing."""
    (package / "grader.py").write_text(
        (package / "grader.py").read_text() + "\n_grade = FilesGrader.grade\n\n\ndef _strict(self, check, evidence):\n"
        "    from dataclasses import replace\n"
        "    from skilltrial.api import Outcome, Owner\n"
        "    result = _grade(self, check, evidence)\n"
        "    return replace(result, outcome=Outcome.FAILED, reason='text_missing', owner=Owner.AGENT)\n\n\n"
        "_strict.__name__ = 'grade'\nFilesGrader.grade = _strict\n"
    )


def raises(package: Path) -> None:
    """A grader that breaks."""
    (package / "grader.py").write_text(
        (package / "grader.py").read_text()
        + "\n\ndef _broken(self, check, evidence):\n    raise RuntimeError('canary of a prompt')\n\n\n"
        "FilesGrader.grade = _broken\n"
    )


def files(root: Path) -> dict[str, bytes]:
    """Every file below a folder and its bytes."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("distribution", ["skilltrial-grader-files", "skilltrial-host-portable"])
def test_another_version_of_a_judge_that_says_the_same_is_named_and_changes_no_verdict(
    skilltrial: Command, greeter: Callable[..., Path], another: Any, tmp_path: Path, distribution: str
) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--format", "json", *AGENT)
    before = files(tmp_path / "run")

    graded = skilltrial("grade", "run", "--format", "json", env=another(distribution, comment))

    assert graded.code == 0, graded.err
    assert graded.verdicts == ran.verdicts
    assert "changed by judging again" not in graded.err
    assert any("Judged by another version" in one for one in graded.report["limitations"])
    after = files(tmp_path / "run")
    beside = after.keys() - before.keys()
    assert len(beside) == 1
    assert json.loads(after.pop(beside.pop())) == graded.report
    assert after == before
    assert skilltrial("verify", "run").code == 0


@pytest.mark.parametrize(("change", "code", "kind"), [(always_fails, 1, "failed"), (raises, 3, "unverified")])
def test_a_judge_that_says_otherwise_writes_beside_the_report_and_lists_what_changed(
    skilltrial: Command,
    greeter: Callable[..., Path],
    another: Any,
    tmp_path: Path,
    *,
    change: Any,
    code: int,
    kind: str,
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    before = files(tmp_path / "run")
    env = another("skilltrial-grader-files", change)

    graded = skilltrial("grade", "run", "--format", "json", env=env)
    again = skilltrial("grade", "run", "--format", "json", env=env)

    assert graded.code == code, graded.err
    assert f"greet / with_skill / 1: passed -> {kind}" in graded.err
    assert "canary" not in graded.out + graded.err
    assert again.out == graded.out
    after = files(tmp_path / "run")
    assert len(after.keys() - before.keys()) == 1, "the same judgement is kept once"
    assert {name: after[name] for name in before} == before
    if kind == "unverified":
        assert graded.trials["greet/with_skill/1"]["verdict"]["owner"] == "grader"
    # The original judges still say what they said.
    assert skilltrial("grade", "run").code == 0


def test_nothing_is_written_where_nobody_wants_it(
    skilltrial: Command, greeter: Callable[..., Path], another: Any, tmp_path: Path
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    before = files(tmp_path / "run")

    graded = skilltrial("grade", "run", "--no-write", env=another("skilltrial-grader-files", always_fails))

    assert graded.code == 1
    assert files(tmp_path / "run") == before


@pytest.mark.parametrize("same", [True, False])
def test_an_archive_that_can_not_be_written_is_judged_all_the_same(
    skilltrial: Command, greeter: Callable[..., Path], another: Any, tmp_path: Path, same: bool
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    archive = tmp_path / "run"
    before = files(archive)
    env = {} if same else another("skilltrial-grader-files", comment)
    # A file-size limit of nothing is a disk that takes nothing, for the superuser too.
    under = ("sh", "-c", 'ulimit -f 0 && exec "$@"', "sh")
    for path in (archive, *archive.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)

    graded = skilltrial("grade", "run", "--format", "json", env=env, under=under)

    for path in (archive, *archive.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert graded.code == 0, graded.err
    assert ("is not kept" in graded.err) is not same
    assert files(archive) == before
    assert skilltrial("grade", "run").code == 0


@pytest.mark.parametrize("missing", ["grader", "normalizer"])
def test_a_judge_that_is_not_installed_is_named(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, missing: str
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    site = tmp_path / "site"
    distribution = "skilltrial-grader-files" if missing == "grader" else "skilltrial-host-portable"
    # The first distribution of a name on the path is the one that counts, and this one has nothing.
    info = site / f"{distribution.replace('-', '_')}-9.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 9.9\n")
    (info / "entry_points.txt").write_text("[skilltrial.nothing]\na = b:c\n")
    env = {"PYTHONPATH": os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])}

    refused = skilltrial("grade", "run", env=env)

    assert refused.code == 2, refused.err
    assert missing in refused.err
    assert not refused.out


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda root: (root / "plan.json").unlink(), "missing: plan.json"),
        (lambda root: (root / "trials" / "more.txt").write_text("x"), "additional: trials/more.txt"),
        (lambda root: (root / "notes.txt").write_text("x"), "additional: notes.txt"),
        (lambda root: shutil.rmtree(root / "trials/greet/with_skill"), "missing: trials/greet/with_skill/1/seal.json"),
        (lambda root: (root / "provenance.json").write_bytes(b""), "changed: provenance.json"),
        (
            lambda root: (root / "trials/greet/with_skill").rename(root / "trials/greet/better"),
            "additional: trials/greet/better/1/seal.json",
        ),
    ],
    ids=["a file removed", "a file in trials", "a file beside", "a trial removed", "emptied", "a trial renamed"],
)
def test_an_archive_that_is_not_what_was_sealed_is_refused_and_the_file_named(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, change: Callable[[Path], object], named: str
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    change(tmp_path / "run")

    for command in ("grade", "verify"):
        refused = skilltrial(command, "run")
        assert refused.code == 4
        assert named in refused.err
        assert not refused.out


@pytest.mark.parametrize("folder", ["nowhere", "empty", "a file", "last"])
def test_what_is_no_archive_is_refused_by_name(skilltrial: Command, tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a file").write_text("")

    # What `scan` reads need not be an archive yet, or any more.
    for command in ("grade", "verify", *(["scan"] if folder != "empty" else [])):
        refused = skilltrial(command, folder)
        assert refused.code == 4, (command, refused.err)
        assert refused.err.startswith("error: ")
        assert folder in refused.err


def test_a_report_that_was_half_written_when_its_writer_was_killed_does_not_spoil_the_archive(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    (tmp_path / "run" / ".report-0123456789ab.json.new").write_text("{")

    assert skilltrial("verify", "run").code == 0
    (tmp_path / "run" / ".plan.json.new").write_text("{")
    assert skilltrial("verify", "run").code == 4


def test_a_report_that_somebody_changed_is_told_apart_from_the_evidence(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    report = tmp_path / "run" / "report.json"
    value = json.loads(report.read_text())
    for trial in value["trials"]:
        trial["verdict"] = {"kind": "failed", "reason": "text_missing", "owner": "agent", "check": "files-1"}
    report.write_text(json.dumps(value))
    forged = report.read_bytes()

    graded = skilltrial("grade", "run", "--format", "json")

    assert graded.code == 0
    assert graded.verdicts["greet/with_skill/1"] == "passed"
    assert "failed (files-1, text missing) -> passed" in graded.err
    assert report.read_bytes() == forged, "what lies there is never overwritten"
