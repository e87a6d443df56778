"""A small, real archive: two cases, two arms, records, changed files, earlier tries; made by the writer itself."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skilltrial.archive import layout
from skilltrial.archive.redaction import Redactor
from skilltrial.archive.trees import Tree, as_json
from skilltrial.archive.writing import ArchiveWriter, TrialWriter
from skilltrial.model.evidence import Entry, FileKind
from skilltrial.model.facts import Provenance, TrialFacts
from skilltrial.model.part import canonical
from skilltrial.model.plan import PartIdentity, Plan, SkillIdentity
from skilltrial.model.suite import Suite
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Source

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
WORKSPACE = Tree.of_texts({"notes.md": "# Notes\n", "docs/deep/plan.md": "plan\n"})
SKILL = Tree.of_texts({"SKILL.md": "---\nname: notes\ndescription: x\n---\nWrite notes.\n"})
ASSET = b'{"type": "object"}'


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def suite_of(*cases: str) -> Suite:
    return Suite.model_validate(
        {
            "id": "small",
            "skills": ({"id": "notes", "folder": "notes"},),
            "arms": ({"id": "without_skill"}, {"id": "with_skill", "skills": ("notes",)}),
            "gate": {"arm": "with_skill"},
            "cases": tuple(
                {"id": case, "turns": ("do it",), "checks": ({"id": "files-1", "grader": "files"},)} for case in cases
            ),
        }
    )


@dataclass
class World:
    """One run that is being archived, step by step."""

    root: Path
    secrets: Mapping[str, str] = field(default_factory=dict)
    cases: tuple[str, ...] = ("one", "two")

    def __post_init__(self) -> None:
        self.suite = suite_of(*self.cases)
        self.keys = tuple(TrialKey(case=case, arm=arm.id, label="1") for case in self.cases for arm in self.suite.arms)
        self.redactor = Redactor(self.secrets)

    @property
    def plan(self) -> Plan:
        return Plan(
            run="r1",
            mode="run",
            suite="small",
            suite_sha256=sha(b"source"),
            cases={case.id: sha(canonical(case.model_dump(mode="json"))) for case in self.suite.cases},
            workspaces=dict.fromkeys(self.cases, WORKSPACE.digest()),
            skills=(SkillIdentity(id="notes", sha256=SKILL.digest(), body_sha256=sha(b"body")),),
            arms=("without_skill", "with_skill"),
            host=HostIdentity(name="fake", records="fake"),
            seed=7,
            jobs=1,
            attempts=1,
            trials=self.keys,
        )

    def begin(self) -> ArchiveWriter:
        writer = ArchiveWriter.create(self.root)
        parts = [
            PartIdentity(kind="core", name="judge", distribution="skilltrial", version="1", source_sha256="0" * 64)
        ]
        writer.write(layout.REQUEST, b'{"host": "fake"}\n')
        writer.write_request(self.suite, b"source", self.plan, parts, {"schema.json": ASSET})
        for case in self.cases:
            writer.write_tree(layout.workspace_listing(case), WORKSPACE)
        writer.write_tree(layout.skill_listing("notes"), SKILL)
        writer.write(f"{layout.PART_SOURCES}/judge.py", b"# the judge\n")
        writer.write_provenance(Provenance(started=NOON, skilltrial="1", python="3", system="any", seed=7, jobs=1))
        writer.publish(self.root)
        return writer

    def facts(self, key: TrialKey, **more: object) -> TrialFacts:
        return TrialFacts.model_validate(
            {"key": key, "started": NOON, "setup_seconds": 0.1, "agent_seconds": 1.5, "closing_seconds": 0.1, **more}
        )

    def fill(self, trial: TrialWriter, said: str = "hello") -> None:
        """What one try leaves behind, without the seal."""
        trial.host.record(Source.STDOUT, said)
        trial.host.turn = 1
        trial.host.record(Source.STDERR, "a warning")
        trial.model.record(Source.MODEL, '{"request": 1}')
        changed = said.encode()
        before = WORKSPACE.entries
        after = Entry(path="out.txt", kind=FileKind.FILE, size=len(changed), sha256=sha(changed))
        trial.write_changed(sha(changed), changed)
        trial.write_json(
            layout.FILES,
            {
                "before": as_json(before),
                "after": as_json([after]),
                "gone": ["notes.md"],
                "changes": [{"path": "out.txt", "change": "created"}, {"path": "notes.md", "change": "removed"}],
            },
        )
        trial.write_json(layout.ANSWERS, [said])
        trial.write_json(
            layout.COMMANDS, [{"when": "after", "command": "true", "code": 0, "stdout": said, "stderr": ""}]
        )

    def seal_trial(self, writer: ArchiveWriter, key: TrialKey, said: str = "hello") -> str:
        trial = writer.open_trial(key, self.redactor)
        self.fill(trial, said)
        return trial.seal(self.facts(key))

    def whole(self) -> ArchiveWriter:
        """A sealed archive; the first trial was tried twice."""
        writer = self.begin()
        first, *others = self.keys
        trial = writer.open_trial(first, self.redactor)
        self.fill(trial, "first try")
        trial.begin_another(self.facts(first))
        self.fill(trial, "second try")
        trial.seal(self.facts(first))
        for key in others:
            self.seal_trial(writer, key)
        writer.seal()
        return writer


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "archive")


@pytest.fixture
def make_world() -> Callable[..., World]:
    return World


@pytest.fixture
def sealed(world: World) -> Path:
    world.whole()
    return world.root


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file below `root` by its name."""
    return {
        Path(folder, name).relative_to(root).as_posix(): Path(folder, name).read_bytes()
        for folder, _, names in os.walk(root)
        for name in names
    }


@pytest.fixture
def contents() -> Callable[[Path], dict[str, bytes]]:
    return snapshot


@pytest.fixture(autouse=True)
def _umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)
