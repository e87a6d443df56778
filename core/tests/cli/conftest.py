"""The command line as a user has it: a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def cli(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `python [-X ...] -m skilltrial ...` in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()

    def run(*arguments: str, python: tuple[str, ...] = (), path: Path | None = None, **more: str):
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1", **more}
        if path is not None:
            environment["PYTHONPATH"] = str(path)
        return subprocess.run(
            [sys.executable, *python, "-m", "skilltrial", *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
