"""Suites, hosts and repositories to record with; every fake stands at an edge."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from skilltrial.model.suite import Suite
from skilltrial.model.trial import HostIdentity, Place, Skill
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import HostFacade
from skilltrial.plugins.hookspecs import HostSpec


@dataclass(frozen=True)
class QuietHost(HostSpec):
    """A host that is asked where skills go, and nothing else: every other hook is the spec's own, and does nothing."""

    folder: str = ".agents/skills"

    def describe_host(self) -> HostIdentity:
        return HostIdentity(name="quiet", records="quiet")

    def place_skill(self, skill: Skill, place: Place) -> Path:
        return place.project / self.folder / skill.id


@pytest.fixture
def host() -> HostFacade:
    return bind(HostFacade, "quiet", QuietHost())  # type: ignore[abstract]


@pytest.fixture
def host_at() -> Callable[[str], HostFacade]:
    return lambda folder: bind(HostFacade, "quiet", QuietHost(folder))  # type: ignore[abstract]


def make_suite(cases: Sequence[dict], **more: object) -> Suite:
    defaults = {
        "id": "small",
        "skills": ({"id": "notes", "folder": "notes"},),
        "arms": ({"id": "without_skill"}, {"id": "with_skill", "skills": ("notes",)}),
        "gate": {"arm": "with_skill"},
    }
    whole = tuple({"turns": ("do it",), "checks": ({"id": "files-1", "grader": "files"},), **case} for case in cases)
    return Suite.model_validate_json(json.dumps({**defaults, "cases": whole, **more}))


@pytest.fixture
def suite() -> Callable[..., Suite]:
    return make_suite


@dataclass(frozen=True)
class Repository:
    """A real git repository."""

    root: Path

    def git(self, *arguments: str) -> str:
        settings = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *settings, *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def commit(self, files: dict[str, str] | None = None, message: str = "change") -> str:
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.root.mkdir()
    made.git("init", "--quiet", "--initial-branch=main")
    return made


@pytest.fixture
def repository_at() -> Callable[[Path], Repository]:
    return Repository
