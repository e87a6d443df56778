"""Throw-away distributions: metadata and modules in a folder that a fresh interpreter has on its path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

GRADER = """
from skilltrial.api import CheckOptions, CheckResult

class Exists(CheckOptions):
    exists: str

class Grader:
    \"\"\"Answers nothing.\"\"\"

    def check_models(self):
        return [Exists]

    def check_needs(self, check):
        return frozenset()

    def grade(self, check, evidence):
        return CheckResult.passed()
"""


@dataclass(frozen=True)
class Site:
    """A folder of installed distributions."""

    root: Path

    def add(
        self,
        distribution: str,
        entry_points: dict[str, dict[str, str]] | str,
        modules: dict[str, str] | None = None,
        version: str = "1.0",
    ) -> None:
        """Install a distribution: entry points by group, and modules by name."""
        info = self.root / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
        text = entry_points
        if not isinstance(text, str):
            text = "\n".join(
                f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in names.items())
                for group, names in entry_points.items()  # type: ignore[union-attr]
            )
        (info / "entry_points.txt").write_text(text)
        for name, source in (modules or {}).items():
            path = self.root / f"{name.replace('.', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(source))

    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root.parent / "home"),
            "PYTHONPATH": str(self.root),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def python(self, code: str) -> Any:
        """Run code that prints JSON as its last line."""
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    def cli(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line."""
        return subprocess.run(
            [sys.executable, "-m", "skilltrial", *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=self.root,
        )

    def imported(self, code: str) -> list[str]:
        """Which of our throw-away modules a piece of code imported."""
        return self.python(
            code
            + "\nimport sys, json\nprint(json.dumps(sorted(name for name in sys.modules if name.startswith('acme'))))"
        )


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "site").mkdir()
    return Site(tmp_path / "site")


@pytest.fixture
def grader_source() -> str:
    return GRADER
