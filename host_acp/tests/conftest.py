"""A small agent that speaks the protocol by hand, the real bridge to it, and records as of a trial."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import Declared, Exited, Record, SkillPlaced, Source, Spawned, TurnSent, as_raw
from skilltrial_host_acp.job import Job
from skilltrial_host_acp.normalizer import AcpNormalizer

AGENT = Path(__file__).parent / "agent.py"
DIGEST = "0" * 64


def _bridge(job: Job, script: list[Any], cwd: Path, **more: Any) -> "subprocess.CompletedProcess[str]":
    """One turn through the real bridge. `more` changes what the agent says it can."""
    return subprocess.run(
        [sys.executable, "-m", "skilltrial_host_acp.bridge", sys.executable, str(AGENT)],
        input=json.dumps(job.model_dump()),
        env={"PATH": os.environ["PATH"], "SCRIPT": json.dumps(script), "ABLE": json.dumps(more)},
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _records(*turns: tuple[list[str], int | None], servers: dict[str, list[str]] | None = None) -> list[Record]:
    """The records of a trial: for each turn the lines of its bridge and its exit code."""
    made: list[tuple[Source, int, str]] = []
    value: Any = {"servers": servers or {}, "project": "/p"}
    placed = SkillPlaced(skill="notes", path=".agents/skills/notes", sha256=DIGEST, body_sha256=DIGEST)
    made += [(Source.RUNNER, 0, as_raw(placed)), (Source.RUNNER, 0, as_raw(Declared(name="acp", value=value)))]
    for turn, (lines, code) in enumerate(turns, 1):
        made.append((Source.RUNNER, turn, as_raw(TurnSent(turn=turn, prompt_sha256=DIGEST))))
        made.append((Source.RUNNER, turn, as_raw(Spawned(argv=("python",)))))
        made += [(Source.STDOUT, turn, line) for line in lines]
        if code is not None:
            made.append((Source.RUNNER, turn, as_raw(Exited(code=code))))
    return [Record(seq, 0.0, source, turn, raw) for seq, (source, turn, raw) in enumerate(made, 1)]


@pytest.fixture(scope="session")
def bridge():
    return _bridge


@pytest.fixture(scope="session")
def records():
    return _records


@pytest.fixture
def talk(tmp_path):
    """`talk(script, …)`: one turn through the bridge → its events."""

    def run(script, *, job=None, servers=None, **more):
        done = _bridge(job or Job(prompt="Go."), script, tmp_path, **more)
        return AcpNormalizer().normalize(_records((done.stdout.splitlines(), done.returncode), servers=servers))

    return run
