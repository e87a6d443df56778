"""`skilltrial new` and `skilltrial contract`: packages that work as they stand, and what they were proved on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
KINDS = ("host", "fixture", "normalizer", "grader")


@pytest.fixture
def installed(tmp_path: Path) -> Callable[[str, str], dict[str, str]]:
    """Put a made package where a fresh interpreter finds it, with its metadata; the variables for that."""

    def install(kind: str, name: str) -> dict[str, str]:
        module = f"skilltrial_{kind}_{name}"
        source = tmp_path / f"{kind}_{name}" / "src"
        project = (source.parent / "pyproject.toml").read_text()
        info = source / f"{module}-0.1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: skilltrial-{kind}-{name}\nVersion: 0.1.0\n")
        points = project.partition('[project.entry-points."')[2].partition("[dependency-groups]")[0]
        text = "[" + points.replace('[project.entry-points."', "[").replace('"]', "]").replace('"', "")
        (info / "entry_points.txt").write_text(text)
        return {
            "PYTHONPATH": str(source),
            "PYTHONDONTWRITEBYTECODE": "1",
            "XDG_STATE_HOME": str(tmp_path / "state"),
        }

    return install


@pytest.mark.parametrize("kind", [*KINDS, "suite"])
def test_what_is_made_has_types_and_is_formatted(
    skilltrial: Command, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, kind: str
) -> None:
    # One cache for all of them: mypy reads pydantic once.
    types = tmp_path_factory.getbasetemp() / "types-of-templates"
    made = skilltrial("new", kind, "acme-two")
    folder = tmp_path / f"{kind}_acme_two"

    assert made.code == 0, made.err
    assert f"wrote {kind}_acme_two" in made.out
    assert not [path for path in folder.rglob("*") if "@" in path.name or path.suffix == ".txt"]
    for path in folder.rglob("*"):
        assert path.is_dir() or "@name@" not in path.read_text()
    for command in (
        ("mypy", "--strict", "src", "tests", "--cache-dir", str(types)),
        ("ruff", "format", "--line-length", "120", "--check", "--isolated", "."),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=folder,
            env={**os.environ, "MYPYPATH": "src"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_a_templates_green_contract_never_reads_as_proof(
    skilltrial: Command, installed: Callable[[str, str], dict[str, str]], kind: str
) -> None:
    skilltrial("new", kind, "acme")
    env = installed(kind, "acme")

    before = skilltrial("plugins", "acme", env=env)
    proved = skilltrial("contract", "acme", env=env)
    after = skilltrial("plugins", "acme", env=env)

    assert before.code == 0, before.out
    assert "not run here; `skilltrial contract acme` runs it" in before.out
    assert proved.code == 0, proved.out + proved.err
    assert f"{kind} acme (skilltrial-{kind}-acme 0.1.0): " in proved.out
    assert "tests hold; proved on the fake program of the template: nothing is proved of the author's own" in proved.out
    assert "! this says nothing of your own program" in proved.out
    assert "proved on the fake program of the template: nothing is proved of the author's own program" in after.out


def test_a_proof_is_of_the_sources_that_were_held(
    skilltrial: Command, installed: Callable[[str, str], dict[str, str]], tmp_path: Path
) -> None:
    skilltrial("new", "grader", "acme")
    env = installed("grader", "acme")
    skilltrial("contract", "acme", env=env)
    source = tmp_path / "grader_acme/src/skilltrial_grader_acme/grader.py"

    source.write_text(source.read_text() + "\n# changed\n")
    changed = skilltrial("plugins", "acme", env=env)

    assert "contract      not run on these sources; `skilltrial contract acme` runs it" in changed.out


def test_a_broken_contract_is_exit_1_and_each_fault_is_told(
    skilltrial: Command, installed: Callable[[str, str], dict[str, str]], tmp_path: Path
) -> None:
    skilltrial("new", "grader", "acme")
    env = installed("grader", "acme")
    source = tmp_path / "grader_acme/src/skilltrial_grader_acme/grader.py"
    source.write_text(source.read_text().replace("CheckResult.of(called,", "CheckResult.of(True,"))
    tests = tmp_path / "grader_acme/tests/test_contract.py"
    waived = '    waive = {"test_a_check_is_a_sentence": "it holds all the same"}  # noqa\n'
    tests.write_text(tests.read_text().replace("    proved_on", f"{waived}    proved_on"))

    proved = skilltrial("contract", "acme", env=env)
    shown = skilltrial("plugins", "acme", "--format", "json", env=env)

    assert proved.code == 1
    assert "grader acme (skilltrial-grader-acme 0.1.0): broken: 2 of 13 tests fail" in proved.out
    assert "failed  test_fails_where_it_does_not: {'tool': 'shell'} must fail" in proved.out
    assert "failed  test_a_check_is_a_sentence: [XPASS(strict)] it holds all the same" in proved.out
    assert json.loads(shown.out)[0]["contract"].startswith("broken: 2 of 13 tests fail, ")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("new", "host", "Acme"), "'Acme' can't be the name of a host"),
        (("new", "host", "../acme"), "can't be the name of a host"),
        (("new", "host", "acme_one"), "can't be the name of a host"),
        (("new", "host", "a" * 41), "can't be the name of a host"),
        (("new", "host", "codex"), "a host 'codex' is installed already (skilltrial-host-codex)"),
        (("new", "grader", "acme", "--into", "nowhere"), "can't be written: No such file or directory"),
        (("new", "dialect", "acme"), "'dialect' is not one of"),
        (("contract", "nobody"), "no part with a contract is called 'nobody'; installed: "),
        (("contract", "codex", "nowhere"), "there are no tests at nowhere"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_writes_nothing(
    skilltrial: Command, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    done = skilltrial(*arguments)

    assert done.code == 2
    assert told in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", ["folder", "file", "link"])
def test_nothing_is_written_over(skilltrial: Command, tmp_path: Path, there: str) -> None:
    target = tmp_path / "host_acme"
    if there == "folder":
        target.mkdir()
    elif there == "file":
        target.write_text("mine")
    else:
        target.symlink_to("nowhere")

    done = skilltrial("new", "host", "acme")

    assert done.code == 2
    assert "host_acme exists already; nothing is written over" in done.err
    assert not target.is_dir() or not list(target.iterdir())


def test_a_contract_that_is_about_another_part_proves_nothing(
    skilltrial: Command, installed: Callable[[str, str], dict[str, str]], lay: Callable[..., None]
) -> None:
    skilltrial("new", "grader", "acme")
    env = installed("grader", "acme")
    lay({"other/test_nothing.py": "def test_it(): pass\n"})

    proved = skilltrial("contract", "acme", "other", env=env)

    assert proved.code == 1
    assert "grader acme: no contract in other is about skilltrial_grader_acme.grader:AcmeGrader" in proved.out
