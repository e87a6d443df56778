"""What the bench judges is a trial as the judge takes it today: a figure of half a judging would be none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).parent.parent / "bench" / "normalizing.py"


@pytest.mark.parametrize("session", ["codex", "codex+log", "claude"])
def test_a_made_session_is_judged_to_its_end(session: str, tmp_path: Path) -> None:
    file = str(tmp_path / "host.jsonl")

    subprocess.run([sys.executable, DRIVER, "write", session, "0", file], check=True)
    done = subprocess.run([sys.executable, DRIVER, "judge", session, file], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "0 calls, completed\n"), done.stderr
