"""Sources: what is read of a suite's folders, and what never reaches an agent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skilltrial.archive.trees import Tree
from skilltrial.model.errors import Exit, SourceUnusable
from skilltrial.model.evidence import FileKind
from skilltrial.model.suite import SkillSource, Workspace
from skilltrial.record.gathering import Gatherer, read_tree, without_answer_keys

ANSWER = "the answer key"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def gatherer(suite, root: Path, file: str = "small.trial.yaml", **more) -> Gatherer:
    return Gatherer(suite([{"id": "one"}], **more), root, root / file)


KEYS = [
    "evals/small.trial.yaml",
    "evals/deep/golden.txt",
    "evals/a\nb.txt",
    "small.trial.yaml",
    "other.trial.yml",
    "deep/other.trial.json",
    "line\nbreak.trial.yaml",
]
KEPT = ["SKILL.md", "deep/evals-notes.md", "evals.md", "trial.yaml", "my.trial.yaml.txt", "deep/evals/x.md"]


def test_a_skill_is_installed_without_what_the_agent_is_asked_and_how_it_is_judged(tmp_path, suite):
    write(tmp_path / "notes", dict.fromkeys(KEYS, ANSWER) | dict.fromkeys(KEPT, "fine"))

    skill = gatherer(suite, tmp_path).skill(SkillSource(id="notes", folder="notes"))

    files = {entry.path for entry in skill.tree.entries if entry.kind is FileKind.FILE}
    assert files == set(KEPT)
    assert ANSWER.encode() not in skill.tree.contents.values()
    assert "evals" not in skill.tree.by_path
    assert skill.skill.sha256 == skill.tree.digest()


@pytest.mark.parametrize("name", ["suite.yaml", "deep/measure.json"])
def test_the_suite_itself_is_not_installed_under_whatever_name_it_lies_in_the_skill(tmp_path, suite, name):
    write(tmp_path / "notes", {"SKILL.md": "x", name: ANSWER, "other.yaml": "fine"})
    root = (tmp_path / "notes" / name).parent
    gather = Gatherer(suite([{"id": "one"}]), root, tmp_path / "notes" / name)

    skill = gather.skill(SkillSource(id="notes", folder=os.path.relpath(tmp_path / "notes", root)))

    assert ANSWER.encode() not in skill.tree.contents.values()
    assert "other.yaml" in skill.tree.by_path


@pytest.mark.parametrize("kind", ["folder", "revision"])
def test_the_suite_is_not_installed_with_an_earlier_form_of_the_skill_either(repository, suite, kind):
    repository.write({"notes/SKILL.md": "old", "notes/suite.yaml": ANSWER, "notes/evals/x": ANSWER})
    repository.commit(
        {f"old/{name}": text for name, text in [("SKILL.md", "old"), ("suite.yaml", ANSWER), ("evals/x", ANSWER)]}
    )
    root = repository.root / "notes"
    previous = {"folder": "../old", "revision": "HEAD:notes"}[kind]
    gather = Gatherer(suite([{"id": "one"}]), root, root / "suite.yaml")

    skill = gather.previous(SkillSource(id="notes", folder=".", previous=previous))

    assert [entry.path for entry in skill.tree.entries] == ["SKILL.md"]
    assert skill.reference == "notes@previous"
    assert skill.skill.id == "notes"


def test_previous_is_gathered_where_an_arm_wants_it_and_only_there(tmp_path, suite):
    write(tmp_path, {"notes/SKILL.md": "new", "old/SKILL.md": "old"})
    skills = ({"id": "notes", "folder": "notes", "previous": "old"},)
    arms = ({"id": "without_skill"}, {"id": "with_skill", "skills": ("notes",)})
    previous = {"id": "previous", "skills": ("notes@previous",)}

    without = gatherer(suite, tmp_path, skills=skills, arms=arms).gather()
    with_ = gatherer(suite, tmp_path, skills=skills, arms=(*arms, previous)).gather()

    assert set(without.skills) == {"notes"}
    assert set(with_.skills) == {"notes", "notes@previous"}
    assert with_.skills["notes@previous"].tree.data("SKILL.md") == b"old"


def test_links_above_a_source_are_followed_and_links_in_it_are_kept(tmp_path, suite):
    write(tmp_path / "real", {"SKILL.md": "x", "deep/a.md": "1"})
    (tmp_path / "real/inner.md").symlink_to("deep/a.md")
    (tmp_path / "real/deep/up").symlink_to("../SKILL.md")
    (tmp_path / "notes").symlink_to("real")

    tree = gatherer(suite, tmp_path).skill(SkillSource(id="notes", folder="notes")).tree

    assert tree.by_path["inner.md"].target == "deep/a.md"
    assert tree.by_path["deep/up"].target == "../SKILL.md"
    assert tree.data("SKILL.md") == b"x"


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "deep/../../outside", "deep/chain"])
def test_a_link_out_of_a_source_is_refused_by_its_name(tmp_path, target):
    write(tmp_path, {"outside": "secret", "source/deep/x": "1"})
    (tmp_path / "source/deep/chain").symlink_to("../../outside")
    if target != "deep/chain":
        (tmp_path / "source/deep/chain").unlink()
    (tmp_path / "source/bad").symlink_to(target)

    with pytest.raises(SourceUnusable, match="bad is a link that leads out of the folder") as caught:
        read_tree(tmp_path / "source")
    assert "secret" not in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path):
    (tmp_path / "source").mkdir()
    os.mkfifo(tmp_path / "source/pipe")

    with pytest.raises(SourceUnusable, match="pipe is a pipe, a socket or a device"):
        read_tree(tmp_path / "source")


@pytest.mark.parametrize("name", ["nowhere", "file.txt"])
def test_a_source_that_is_no_folder_is_said(tmp_path, suite, name):
    write(tmp_path, {"file.txt": "x"})

    with pytest.raises(SourceUnusable, match="can't be read") as caught:
        gatherer(suite, tmp_path).workspace(Workspace(folder=name))
    assert caught.value.exit is Exit.INVALID


def test_a_skill_without_a_body_is_none(tmp_path, suite):
    write(tmp_path, {"notes/README.md": "x"})

    with pytest.raises(SourceUnusable, match=r"skill 'notes' has no SKILL\.md"):
        gatherer(suite, tmp_path).skill(SkillSource(id="notes", folder="notes"))


def test_assets_are_read_and_a_missing_one_is_named(tmp_path, suite):
    write(tmp_path, {"notes/SKILL.md": "x", "golden/a.txt": "1"})
    gather = gatherer(suite, tmp_path)

    assert gather.gather(["golden/a.txt", "golden/a.txt"]).assets == {"golden/a.txt": b"1"}
    with pytest.raises(SourceUnusable, match=r"golden/b\.txt, which the suite names, can't be read"):
        gather.gather(["golden/b.txt"])


def test_a_workspace_folder_keeps_bits_links_and_empty_folders(tmp_path, suite):
    write(tmp_path, {"w/run.sh": "#!/bin/sh", "w/é.txt": "x"})
    (tmp_path / "w/run.sh").chmod(0o700)
    (tmp_path / "w/empty").mkdir()
    (tmp_path / "w/link").symlink_to("run.sh")

    tree = gatherer(suite, tmp_path).workspace(Workspace(folder="w"))

    assert [(one.path, one.kind.value, one.executable) for one in tree.entries] == [
        ("empty", "folder", False),
        ("link", "link", False),
        ("run.sh", "file", True),
        ("é.txt", "file", False),
    ]


def test_cases_with_the_same_workspace_share_it(tmp_path, suite):
    write(tmp_path, {"notes/SKILL.md": "x"})
    files = {"files": {"a.txt": "1"}}
    asked = suite([{"id": "one", "workspace": files}, {"id": "two", "workspace": files}, {"id": "three"}])

    workspaces = Gatherer(asked, tmp_path, tmp_path / "s.trial.yaml").gather().workspaces

    assert workspaces["one"] is workspaces["two"]
    assert workspaces["three"].entries == ()


def test_bytes_of_what_is_not_installed_are_not_kept_but_shared_ones_are():
    tree = Tree.of_texts({"SKILL.md": "same", "evals/copy.md": "same", "evals/key.md": ANSWER})

    kept = without_answer_keys(tree, set())

    assert list(kept.contents.values()) == [b"same"]
