"""The things that are measured with: a workspace, an agent, a suite, and where runs may write."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIZES = (*[2_000] * 10, *[10_000] * 6, *[20_000] * 3, 60_000)
"""Bytes of the workspace's files: 20 files, 200,000 bytes."""
FOLDERS = ("", "src", "src/parts", "docs", "tests")
WORDS = ("alpha", "beta", "gamma", "delta", "def", "return", "import", "class", "value", "self")
IN_MEMORY = Path("/dev/shm")  # noqa: S108 - a fresh folder of ours in it
MOST_ATTEMPTS = 1000
"""Trials of one case; more trials are more cases."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """`base` is removed at the end. `agent` and `emitter` are programs; `emitter` is None without a C compiler."""

    base: Path
    workspace: Path
    agent: Path
    agent_kind: str
    emitter: Path | None
    env: Mapping[str, str]
    skilltrial: Path

    def suite(self, trials: int) -> Path:
        """A suite of so many trials of one arm, each with one check of a file. Must be a multiple of what fits."""
        cases = max(1, trials // MOST_ATTEMPTS)
        path = self.base / f"bench-{trials}.trial.json"
        case = {
            "turns": ["Write answer.txt with the answer.\n" * 20],
            "workspace": self.workspace.name,
            "checks": [{"id": "answered", "files": "answer.txt", "contains": "42"}],
        }
        document = {
            "schema_version": 1,
            "id": "bench",
            "skills": [],
            "arms": [{"id": "plain", "skills": []}],
            "gate": {"arm": "plain"},
            "attempts": trials // cases,
            "cases": [{"id": f"case-{number}", **case} for number in range(cases)],
        }
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def fresh(self, name: str) -> Path:
        """A path in `base` where nothing lies."""
        path = self.base / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        return path


def open_workshop(base: Path | None) -> Workshop:
    """Make one below `base`; in memory where the system offers that, since a disk's moods say nothing about us."""
    if base is None and os.access(IN_MEMORY, os.W_OK):
        base = IN_MEMORY
    root = Path(tempfile.mkdtemp(prefix="skilltrial-bench-", dir=base)).resolve()
    places = root / "places"
    places.mkdir()
    agent = _compiled("agent", root)
    return Workshop(
        base=root,
        workspace=_workspace(root / "workspace"),
        agent=agent or Path(shutil.copy(HERE / "agent.sh", root / "agent")),
        agent_kind="C" if agent else "sh",
        emitter=_compiled("emitter", root),
        env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(root), "TMPDIR": str(places), "LANG": "C.UTF-8"},
        skilltrial=Path(sys.executable).with_name("skilltrial"),
    )


def _workspace(root: Path) -> Path:
    """Text of a project's kind, the same every time."""
    draw = random.Random(7)  # noqa: S311 - words, no secrets
    for number, size in enumerate(SIZES):
        folder = root / FOLDERS[number % len(FOLDERS)]
        folder.mkdir(parents=True, exist_ok=True)
        text = ""
        while len(text) < size:
            text += " ".join(draw.choices(WORDS, k=9)) + "\n"
        (folder / f"file_{number:02}.txt").write_text(text[:size], encoding="ascii")
    return root


def _compiled(name: str, into: Path) -> Path | None:
    """The program of `name`.c; None where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    program = into / name
    for how in (["-static"], []):  # a static program starts faster; some systems can't link one
        words = [compiler, "-O2", *how, "-o", str(program), str(HERE / f"{name}.c")]
        if subprocess.run(words, capture_output=True, check=False).returncode == 0:
            return program
    return None
