"""Provenance: where a run came from, and whether its sources stayed what they were."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from skilltrial.archive.trees import sha256
from skilltrial.model.pins import PinState
from skilltrial.record.gathering import Gatherer
from skilltrial.record.loading import Loaded
from skilltrial.record.pinning import write_pins
from skilltrial.record.provenance import changed_sources, packages, provenance


@pytest.fixture
def prepared(repository, suite):
    """A run whose suite, skill, workspace and golden file lie in a repository."""
    files = {
        "small.trial.yaml": "cases: {}\n",
        "notes/SKILL.md": "x",
        "w/a.txt": "1",
        "golden.txt": "g",
        "skilltrial.lock": "l",
    }
    repository.commit(files)
    asked = suite(
        [
            {"id": "one", "workspace": {"folder": "w"}},
            {"id": "two", "workspace": {"git": "w"}},
            {"id": "three", "workspace": {"folder": "w", "repository": True}},
        ]
    )
    root = repository.root
    loaded = Loaded(
        suite=asked,
        path=root / "small.trial.yaml",
        root=root,
        source=b"cases: {}\n",
        checks={},
        document=None,  # type: ignore[arg-type]
        links=("a link above",),
    )
    sources = Gatherer(asked, root, loaded.path).gather(["golden.txt"])
    return SimpleNamespace(
        loaded=loaded,
        sources=sources,
        plan=SimpleNamespace(seed=3, jobs=2),
        parts=SimpleNamespace(identities=(SimpleNamespace(distribution="skilltrial"),)),
        passed={"B": "x", "A": "y"},
    )


def write(name: str, text: str = "other"):
    return lambda root: (root / name).write_text(text)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda root: None, ()),
        (write("unrelated.txt"), ()),
        (write("notes/evals.md"), ("skill notes",)),
        (lambda root: ((root / "notes/evals").mkdir(), (root / "notes/evals/x").write_text("key")), ()),
        (write("small.trial.yaml"), ("the suite file",)),
        (write("notes/SKILL.md"), ("skill notes",)),
        (write("w/a.txt"), ("the workspace of case one",)),
        (write("w/new.txt"), ("the workspace of case one",)),
        (lambda root: (root / "w/a.txt").chmod(0o755), ("the workspace of case one",)),
        (lambda root: (root / "w/empty").mkdir(), ("the workspace of case one",)),
        (write("golden.txt"), ("file golden.txt",)),
        (lambda root: (root / "golden.txt").unlink(), ("a source that can't be read any more",)),
        (lambda root: (root / "notes/SKILL.md").unlink(), ("a source that can't be read any more",)),
        (lambda root: (root / "small.trial.yaml").unlink(), ("a source that can't be read any more",)),
        (
            lambda root: (write("small.trial.yaml")(root), write("notes/SKILL.md")(root)),
            ("the suite file", "skill notes"),
        ),
    ],
)
def test_a_source_that_changed_during_the_run_is_named(prepared, change, told):
    change(prepared.loaded.root)

    assert changed_sources(prepared) == told


def test_a_commit_that_is_made_during_the_run_changes_a_workspace_of_head(prepared, repository):
    repository.commit({"w/a.txt": "2"})

    assert changed_sources(prepared) == ("the workspace of case one", "the workspace of case two")


def test_a_run_from_an_archive_has_no_sources_that_could_change(prepared):
    prepared.loaded = None

    assert changed_sources(prepared) == ()


def test_what_is_known_at_the_start_is_put_down(prepared, repository):
    told = provenance(prepared)

    assert told.repository_commit == repository.git("rev-parse", "HEAD")
    assert told.repository_dirty is False
    assert told.lock_sha256 == sha256(b"l")
    assert told.passed_names == ("A", "B")
    assert told.resolved_links == ("a link above",)
    assert (told.seed, told.jobs, told.ended) == (3, 2, None)
    assert told.started.tzinfo is not None

    (repository.root / "w/a.txt").write_text("2")
    assert provenance(prepared).repository_dirty is True


def test_outside_a_repository_and_without_git_nothing_is_claimed(prepared, tmp_path, monkeypatch):
    prepared.loaded = replace(prepared.loaded, root=tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert provenance(prepared).repository_commit is None
    assert provenance(prepared).repository_dirty is None

    monkeypatch.setenv("PATH", str(Path(tmp_path) / "empty"))
    told = provenance(prepared)
    assert (told.repository_commit, told.node, told.lock_sha256) == (None, None, None)


def test_the_packages_that_the_parts_are_built_on_are_told_all_the_way_down(prepared):
    told = provenance(prepared).packages

    assert told["skilltrial"] == version("skilltrial")
    assert told["pydantic-core"] == version("pydantic-core"), "needed by pydantic, not by us"
    assert "no-such-distribution" not in packages(["no-such-distribution"])


def test_the_state_of_each_pin_is_told(prepared, repository):
    assert [(pin.skill, pin.state) for pin in provenance(prepared).pins] == [("notes", PinState.UNPINNED)]

    (repository.root / "skilltrial.lock").unlink()
    repository.commit({"notes/SKILL.md": "---\nname: notes\ndescription: x\n---\n"})
    prepared.sources = Gatherer.of(prepared.loaded).gather(["golden.txt"])
    write_pins(prepared.loaded, None)

    assert [(pin.skill, pin.state) for pin in provenance(prepared).pins] == [("notes", PinState.PINNED)]
