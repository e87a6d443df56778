"""A command line in a folder of its own, and small suites to give it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Finished:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        """What it printed, read as the JSON of a report."""
        value: dict[str, Any] = json.loads(self.out)
        return value


Command = Callable[..., Finished]


@pytest.fixture
def skilltrial(tmp_path: Path) -> Command:
    """Run `skilltrial ARGUMENTS` in the test's folder."""

    def run(*arguments: str | Path, env: Mapping[str, str] | None = None, within: float = 120) -> Finished:
        # The agent of these tests lies beside the Python that runs them, whether or not its venv is active.
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            [sys.executable, "-m", "skilltrial", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "COLUMNS": "80", **(env or {})},
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=within,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write text files below `root`; those that begin with `#!` can be executed."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            path.chmod(0o755)


OBEDIENT = """\
#!/bin/sh
cat > /dev/null
if [ -f .agents/skills/greeter/SKILL.md ]; then echo hello > greeting.txt; fi
"""
"""An agent that lies in its workspace and greets only where the skill tells it how."""


@pytest.fixture
def greeter(tmp_path: Path) -> Callable[..., Path]:
    """A suite of one case beside its skill. The agent's text may be given."""

    def make(agent: str = OBEDIENT, **suite: str) -> Path:
        write(
            tmp_path,
            {
                "greeter/SKILL.md": "---\nname: greeter\ndescription: How to greet.\n---\nWrite to greeting.txt.\n",
                "start/agent.sh": agent,
                "greeter.trial.yaml": suite.get("text")
                or """\
cases:
  greet:
    prompt: Greet the user.
    workspace: start
    expect:
      - {files: greeting.txt, contains: hello}
""",
            },
        )
        return tmp_path / "greeter.trial.yaml"

    return make
