"""A repository with a pinned suite, the archive of a run that qualifies, and what is done to both."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from skilltrial.archive.keying import key_of
from skilltrial.archive.reading import open_archive
from skilltrial.cli.judging import judge
from skilltrial.judge.qualifying import standing
from skilltrial.plugins.discovery import Discovery

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]

DATA = Path(__file__).parent / "data"
AGENT = (DATA / "agent.sh").read_text("utf-8")
"""Greets where the skill tells it how, and says which model answered."""
SUITE = (DATA / "suite.yaml").read_text("utf-8")
FAKE = (DATA / "fake").read_text("utf-8")
"""Stands for the program of a host: it is asked for its version, and nothing else."""
RUN = ("--host", "portable", "--records", "events", "--", "./agent.sh")


@dataclass
class Project:
    """A repository with a suite, its skill and a program, and what is run in it."""

    root: Path
    skilltrial: Command

    def git(self, *words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(
            ["git", *identity, *words], cwd=self.root, check=True, capture_output=True, text=True, env=environment
        )
        return done.stdout.strip()

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", "change")

    def run(self, out: str = "run", *more: str) -> Path:
        ran = self.skilltrial("run", "suite.yaml", "--out", out, "--seed", "1", *more, *RUN)
        assert ran.code in (0, 1, 3), ran.err
        return self.root / out

    def graft(self, root: Path, **values: Any) -> Path:
        """Make an archive say that another host ran, as only the real one could, and seal it again."""
        program = hashlib.sha256((self.root / "fake").read_bytes()).hexdigest()
        host = {"name": "claude", "version": "9.9.9", "program_sha256": program}
        host["evidence_kind"] = "live-claude-code-subprocess"
        return self.alter(root, "plan.json", lambda plan: plan["host"].update({**host, **values}))

    def asked(self, *archives: str | Path, more: tuple[str, ...] = ()) -> Any:
        fake = self.root / "fake"
        return self.skilltrial("qualified", "suite.yaml", *archives, "--host", "claude", "--host-binary", fake, *more)

    def standing(self, archive: Path) -> dict[str, Any]:
        """What the archive is worth to whoever asks about its own key; in this process, for there are many of them."""
        opened = open_archive(archive)
        key = key_of(opened.plan, opened.suite, opened.assets, {})
        told: dict[str, Any] = standing("x", opened, judge(archive, Discovery()).report, key).model_dump(mode="json")
        return told

    def reasons(self, archive: Path) -> list[str]:
        return [doubt["reason"] for doubt in self.standing(archive)["doubts"]]

    def alter(self, root: Path, name: str, change: Callable[[Any], object]) -> Path:
        """Change a JSON file of an archive, and seal the archive again."""
        value = json.loads((root / name).read_bytes())
        change(value)
        data = json.dumps(value).encode()
        (root / name).write_bytes(data)
        manifest = json.loads((root / "manifest.json").read_bytes())
        manifest["files"][name] = hashlib.sha256(data).hexdigest()
        (root / "manifest.json").write_text(json.dumps(manifest))
        return root

    def run_in(self, arm: str, note: str, change: Callable[[Any], object]) -> Path:
        """The archive that qualifies, with a note of the runner's in case `wave` changed in one arm."""
        root, trial = self.root / "run", f"trials/wave/{arm}/1"
        lines = [json.loads(line) for line in (root / trial / "host.jsonl").read_text().splitlines()]
        for line in lines:
            told = json.loads(line["raw"]) if line["source"] == "runner" else {}
            if told.get("note") == note:
                change(told)
                line["raw"] = json.dumps(told)
        self.put(root, trial, "host.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines).encode())
        return root

    def put(self, root: Path, trial: str, name: str, data: bytes) -> None:
        """Add a file to a trial of an archive, and seal both again."""
        (root / trial / name).write_bytes(data)
        seal = json.loads((root / trial / "seal.json").read_bytes())
        seal["files"][name] = hashlib.sha256(data).hexdigest()
        (root / trial / "seal.json").write_text(json.dumps(seal))
        manifest = json.loads((root / "manifest.json").read_bytes())
        manifest["trials"][trial] = hashlib.sha256((root / trial / "seal.json").read_bytes()).hexdigest()
        (root / "manifest.json").write_text(json.dumps(manifest))


FILES = {
    "suite.yaml": SUITE,
    "greeter/SKILL.md": "---\nname: greeter\ndescription: How to greet.\n---\nWrite to greeting.txt.\n",
    "start/agent.sh": AGENT,
    "fake": FAKE,
    ".gitignore": "run*\nfake*\n",
}


def called(root: Path) -> Command:
    """`skilltrial ARGUMENTS` in a folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "skilltrial", *map(str, words)]
        environment = {**os.environ, "PATH": path, "COLUMNS": "80"}
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)

    return call


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a pinned and committed suite, and the archive of a run that qualifies."""
    root = tmp_path_factory.mktemp("template")
    for name, text in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    for name in ("start/agent.sh", "fake"):
        (root / name).chmod(0o755)
    made = Project(root, called(root))
    made.git("init", "-q", "-b", "main")
    made.commit()
    assert made.skilltrial("pin", "suite.yaml").returncode == 0
    made.commit()
    ran = made.skilltrial("run", "suite.yaml", "--out", "run", "--seed", "1", *RUN)
    assert ran.returncode == 0, ran.stderr
    made.graft(root / "run")
    return root


@pytest.fixture
def project(skilltrial: Command, template: Path, tmp_path: Path) -> Project:
    """A copy of the template of this test's own."""
    shutil.copytree(template, tmp_path, symlinks=True, dirs_exist_ok=True)
    return Project(tmp_path, skilltrial)
