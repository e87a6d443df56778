"""With this distribution everything first-party is there, and the demo finds all that it needs."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest


def skilltrial(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "skilltrial", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("kind", ["host", "fixture", "model", "dialect", "normalizer", "grader", "suite", "format"])
def test_a_part_of_every_kind_is_there(tmp_path: Path, kind: str) -> None:
    listed = skilltrial("plugins", cwd=tmp_path).stdout

    assert [line for line in listed.splitlines() if line.startswith(kind)]


def test_the_demo_does_the_main_job(tmp_path: Path) -> None:
    done = skilltrial("demo", "--out", "run", cwd=tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "56 of 56 promises kept" in done.stdout


def test_it_brings_the_core_and_its_parts() -> None:
    brought = requires("skilltrial-all") or []

    assert len(brought) > 10
    assert all(re.fullmatch(r"skilltrial[a-z-]*[<>=0-9.,]+", line) for line in brought)


def test_its_command_is_the_cores(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from skilltrial_all.command import main; main()", "--version"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.startswith("skilltrial ")
