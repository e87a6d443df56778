"""A command line in a folder of its own, and small suites to give it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
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

    @property
    def trials(self) -> dict[str, dict[str, Any]]:
        """The report's trials by `case/arm/label`."""
        return {"/".join(one["key"][part] for part in ("case", "arm", "label")): one for one in self.report["trials"]}

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdicts by `case/arm/label`."""
        return {key: one["verdict"]["kind"] for key, one in self.trials.items()}

    def outcomes(self, trial: str) -> dict[str, str]:
        """The outcomes of a trial's checks by their ids."""
        return {one["id"]: one["outcome"] for one in self.trials[trial]["checks"]}


Command = Callable[..., Finished]


def environment(more: Mapping[str, str] | None) -> dict[str, str]:
    """Ours, with the agent of these tests on PATH: it lies beside the Python that runs them."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "80", **(more or {})}


@pytest.fixture
def skilltrial(tmp_path: Path) -> Command:
    """Run `skilltrial ARGUMENTS` in the test's folder; `under` is a command that runs it (`unshare ...`)."""

    def run(
        *arguments: str | Path,
        env: Mapping[str, str] | None = None,
        within: float = 120,
        under: tuple[str, ...] = (),
        cwd: Path = tmp_path,
    ) -> Finished:
        done = subprocess.run(
            [*under, sys.executable, "-m", "skilltrial", *map(str, arguments)],
            cwd=cwd,
            env=environment(env),
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=within,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start `skilltrial ARGUMENTS` and go on; what still runs when the test ends is killed."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str | Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "skilltrial", *map(str, arguments)],
            cwd=tmp_path,
            env=environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def eventually() -> Callable[..., None]:
    """Wait until something holds, for so many seconds at most, and while a process runs that should bring it about."""

    def wait(holds: Callable[[], object], runner: subprocess.Popen[str], seconds: float = 30) -> None:
        until = time.monotonic() + seconds
        while not holds():
            assert runner.poll() is None, f"it ended with {runner.returncode}: {runner.communicate()[1]}"
            assert time.monotonic() < until, "it never came to hold"
            time.sleep(0.01)

    return wait


@pytest.fixture
def lay(tmp_path: Path) -> Callable[[Mapping[str, str]], None]:
    """Write text files below the test's folder; those that begin with `#!` can be executed."""
    return lambda files: write(tmp_path, files)


@pytest.fixture
def holders() -> Callable[..., list[str]]:
    """The paths below a folder that hold a text, in their name or in their bytes."""

    def find(root: Path, text: str) -> list[str]:
        data = text.encode()
        return [
            str(path.relative_to(root))
            for path in root.rglob("*")
            if text in str(path.relative_to(root)) or (path.is_file() and data in path.read_bytes())
        ]

    return find


def runs(pid: int) -> bool:
    """Whether a process runs; one that only waits for its parent to notice its end does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        pass
    if Path("/proc/self/stat").exists():
        return False
    return bool(subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).returncode == 0)


@pytest.fixture
def still_running() -> Callable[[Path], list[int]]:
    """Those of the processes whose pids an agent noted in a file, a line each, that still run."""
    return lambda noted: [int(pid) for pid in noted.read_text().split() if runs(int(pid))]


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
