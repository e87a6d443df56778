"""Folders out of git, from real repositories: exactly what the commit holds, whatever the checkout looks like."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from skilltrial.model.errors import Exit, SourceUnusable
from skilltrial.model.evidence import FileKind
from skilltrial.model.suite import Workspace
from skilltrial.record.gathering import Gatherer
from skilltrial.record.revisions import (
    below_top,
    is_revision,
    merge_base,
    resolve,
    tree_of_commit,
    tree_of_previous,
    with_repository,
)
from skilltrial.record.workspace import write_tree


def test_only_what_has_a_colon_is_a_revision():
    assert is_revision("HEAD~1:skills/notes")
    assert is_revision("merge-base:main:skills/notes")
    assert not is_revision("skills/notes-old")


@pytest.mark.parametrize("reference", ["HEAD~1", "v1", "old-branch", "{sha}", "{short}"])
def test_a_folder_of_an_earlier_commit_is_what_it_was_then(repository, reference):
    sha = repository.commit({"skills/notes/SKILL.md": "old", "skills/notes/deep/a.txt": "1", "other.txt": "x"})
    repository.git("tag", "v1")
    repository.git("branch", "old-branch")
    repository.commit({"skills/notes/SKILL.md": "new", "skills/notes/b.txt": "2"})
    repository.write({"skills/notes/SKILL.md": "not committed"})

    tree, commit = tree_of_previous(f"{reference.format(sha=sha, short=sha[:10])}:skills/notes", repository.root)

    assert commit == sha
    assert [entry.path for entry in tree.entries] == ["SKILL.md", "deep", "deep/a.txt"]
    assert tree.data("SKILL.md") == b"old"


def test_the_merge_base_is_where_the_branch_began(repository):
    base = repository.commit({"notes/SKILL.md": "base"})
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit({"notes/SKILL.md": "mine"})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"notes/SKILL.md": "theirs"})
    repository.git("checkout", "--quiet", "feature")

    tree, commit = tree_of_previous("merge-base:main:notes", repository.root)

    assert commit == base == merge_base("main", repository.root)
    assert tree.data("SKILL.md") == b"base"


def test_branches_without_a_common_commit_are_named(repository):
    repository.commit({"a": "1"})
    repository.git("checkout", "--quiet", "--orphan", "other")
    repository.commit({"a": "2"})

    with pytest.raises(SourceUnusable, match="no common commit; they share no history"):
        merge_base("main", repository.root)


@pytest.fixture
def shallow(repository, repository_at, tmp_path):
    """What a CI checkout leaves: one commit of one branch."""
    repository.commit({"notes/SKILL.md": "1"})
    repository.commit({"notes/SKILL.md": "2"})
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit({"notes/SKILL.md": "3"})
    repository.git("clone", "--quiet", "--depth=1", repository.root.as_uri(), str(tmp_path / "shallow"))
    return repository_at(tmp_path / "shallow")


@pytest.mark.parametrize(
    "previous", ["HEAD~1:notes", "origin/main:notes", "merge-base:origin/main:notes", "merge-base:HEAD~1:notes"]
)
def test_in_a_shallow_clone_the_way_out_is_named(shallow, previous):
    with pytest.raises(SourceUnusable, match=r"shallow.*fetch-depth: 0") as caught:
        tree_of_previous(previous, shallow.root)
    assert caught.value.exit is Exit.INVALID


def test_in_a_shallow_clone_with_the_other_branch_but_no_history_the_way_out_is_named(shallow):
    shallow.git("fetch", "--quiet", "--depth=1", "origin", "main:refs/remotes/origin/main")

    with pytest.raises(SourceUnusable, match=r"no common commit; .*fetch-depth: 0"):
        tree_of_previous("merge-base:origin/main:notes", shallow.root)


@pytest.mark.parametrize(
    ("previous", "said"),
    [
        ("nowhere:notes", "no commit is called 'nowhere'"),
        ("merge-base:nowhere:notes", "no commit is called 'nowhere'"),
        ("HEAD:elsewhere", "has no folder 'elsewhere'"),
        ("HEAD:notes/SKILL.md", "has no folder 'notes/SKILL.md'"),
        ("--help:notes", "no commit is called '--help'"),
        (":notes", "no commit is called ''"),
        ("HEAD:../outside", "has no folder"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(repository, previous, said):
    repository.commit({"notes/SKILL.md": "x"})

    with pytest.raises(SourceUnusable, match=said) as caught:
        tree_of_previous(previous, repository.root)
    assert caught.value.exit is Exit.INVALID


def test_where_there_is_no_repository_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with pytest.raises(SourceUnusable, match="git"):
        tree_of_previous("HEAD:notes", tmp_path)


def test_a_repository_without_a_commit_has_no_revision(repository):
    with pytest.raises(SourceUnusable, match="no commit is called 'HEAD'"):
        tree_of_previous("HEAD:notes", repository.root)


def test_git_that_is_missing_is_said(repository, monkeypatch, tmp_path):
    repository.commit({"notes/SKILL.md": "x"})
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SourceUnusable, match="git can't be run"):
        tree_of_previous("HEAD:notes", repository.root)


def test_executable_bits_links_and_names_survive(repository):
    repository.write({"w/run.sh": "#!/bin/sh\n", "w/with space.txt": "1", "w/ü.txt": "2", 'w/quo"te.txt': "3"})
    (repository.root / "w/run.sh").chmod(0o755)
    (repository.root / "w/link").symlink_to("run.sh")
    (repository.root / b"w/\xff.txt".decode("utf-8", "surrogateescape")).write_text("4")
    commit = repository.commit()

    tree = tree_of_commit(commit, "w", repository.root)
    found = tree.by_path

    assert set(found) == {"run.sh", "with space.txt", "ü.txt", 'quo"te.txt', "link", "\udcff.txt"}
    assert found["run.sh"].executable
    assert not found["ü.txt"].executable
    assert (found["link"].kind, found["link"].target) == (FileKind.LINK, "run.sh")
    assert tree.data("\udcff.txt") == b"4"


def test_attributes_of_the_repository_do_not_make_it_another_folder(repository):
    """`git archive` would leave the first out, write the commit into the second, and turn the third's line ends."""
    attributes = "tests export-ignore\nversion.txt export-subst\n*.bat text eol=crlf\n"
    repository.write(
        {".gitattributes": attributes, "tests/a.py": "1", "version.txt": "$Format:%H$\n", "x.bat": "a\nb\n"}
    )
    commit = repository.commit()

    tree = tree_of_commit(commit, "", repository.root)

    assert tree.data("tests/a.py") == b"1"
    assert tree.data("version.txt") == b"$Format:%H$\n"
    assert tree.data("x.bat") == b"a\nb\n"


def test_many_and_large_files_come_whole(repository):
    repository.write({f"w/{number}.txt": f"{number}\n" * number for number in range(300)} | {"w/big": "x" * 3_000_000})
    commit = repository.commit()

    tree = tree_of_commit(commit, "w", repository.root)

    assert tree.data("299.txt") == b"299\n" * 299
    assert tree.data("0.txt") == b""
    assert len(tree.data("big") or b"") == 3_000_000
    assert len(tree.entries) == 301


def test_a_submodule_is_an_empty_folder(repository):
    repository.commit({"a": "1"})
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    repository.git("commit", "--quiet", "-m", "sub")

    assert [(one.path, one.kind) for one in tree_of_commit("HEAD", "", repository.root).entries] == [
        ("a", FileKind.FILE),
        ("sub", FileKind.FOLDER),
    ]


def test_settings_of_a_shell_that_git_runs_in_do_not_lead_elsewhere(repository, monkeypatch, tmp_path):
    """A commit hook has GIT_DIR and GIT_INDEX_FILE set: they are not for our calls."""
    repository.commit({"notes/SKILL.md": "mine"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))

    tree, _ = tree_of_previous("HEAD:notes", repository.root)

    assert tree.data("SKILL.md") == b"mine"
    assert not (tmp_path / "index").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_repository_of_somebody_else_is_read_where_the_user_allowed_it(repository, monkeypatch, tmp_path):
    """A container in CI: the checkout belongs to another user, and the workflow set `safe.directory`."""
    repository.commit({"notes/SKILL.md": "x"})
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for path in [repository.root, *repository.root.rglob("*")]:
        os.chown(path, 12345, 12345)

    with pytest.raises(SourceUnusable, match="somebody else"):
        tree_of_previous("HEAD:notes", repository.root)

    (tmp_path / ".gitconfig").write_text(f"[safe]\n\tdirectory = {repository.root}\n")
    assert tree_of_previous("HEAD:notes", repository.root)[0].data("SKILL.md") == b"x"


# --- Workspaces ----------------------------------------------------------------------------------------------


def gatherer(suite, root: Path) -> Gatherer:
    return Gatherer(suite([{"id": "one"}]), root, root / "small.trial.yaml")


def test_a_workspace_is_a_folder_of_a_commit(repository, suite):
    repository.commit({"app/a.txt": "old", "app/sub/b.txt": "1", "evals/small.trial.yaml": "cases: {}", "top.txt": "t"})
    repository.commit({"app/a.txt": "new"})
    gather = gatherer(suite, repository.root / "evals").workspace

    earlier = gather(Workspace(git="../app", ref="HEAD~1"))
    now = gather(Workspace(git="../app"))
    inner = gather(Workspace(git="../app/sub", ref="main"))
    top = gather(Workspace(git=".."))

    assert earlier.data("a.txt") == b"old"
    assert now.data("a.txt") == b"new"
    assert [entry.path for entry in now.entries] == ["a.txt", "sub", "sub/b.txt"]
    assert [entry.path for entry in inner.entries] == ["b.txt"]
    assert top.data("top.txt") == b"t"


@pytest.mark.parametrize(
    ("workspace", "said"),
    [
        (Workspace(git="nowhere"), "does not exist"),
        (Workspace(git="app", ref="nowhere"), "no commit is called 'nowhere'"),
        (Workspace(git="new"), "has no folder 'new'"),
    ],
)
def test_a_workspace_that_git_can_not_give_is_said(repository, suite, workspace, said):
    repository.commit({"app/a.txt": "x"})
    (repository.root / "new").mkdir()

    with pytest.raises(SourceUnusable, match=said):
        gatherer(suite, repository.root).workspace(workspace)


def test_below_top_is_the_way_from_the_repositorys_top(repository):
    repository.commit({"a/b/c.txt": "x"})

    assert below_top(repository.root) == ""
    assert below_top(repository.root / "a/b") == "a/b"
    assert resolve("HEAD", repository.root / "a/b") == resolve("main", repository.root)


def made(tmp_path: Path, suite, workspace: Workspace) -> Path:
    """A place with the workspace in it."""
    tree = gatherer(suite, tmp_path).workspace(workspace)
    place = tmp_path / "place"
    place.mkdir()
    write_tree(tree, place)
    return place


def test_a_repository_that_is_made_has_one_commit_and_is_clean(tmp_path, suite, repository_at, monkeypatch):
    (tmp_path / "home").mkdir()
    settings = "[core]\n\thooksPath = /nowhere\n\texcludesFile = ignored\n"
    settings += "[commit]\n\tgpgsign = true\n[init]\n\tdefaultBranch = x\n"
    (tmp_path / "home/.gitconfig").write_text(settings)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Operator")
    source = tmp_path / "source"
    write = {"a.txt": "1\n", "run.sh": "#!/bin/sh\n", ".gitignore": "*.log\n", "x.log": "kept\n", "deep/b.txt": "2\n"}
    for name, text in write.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    (source / "run.sh").chmod(0o755)
    (source / "link").symlink_to("a.txt")
    (source / "empty").mkdir()

    place = made(tmp_path, suite, Workspace(folder="source", repository=True))
    git = repository_at(place).git

    assert git("rev-list", "--count", "--all") == "1"
    assert git("status", "--porcelain", "--ignored") == ""
    assert git("rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert git("ls-files").splitlines() == sorted([*write, "link"])
    assert git("ls-files", "--stage", "run.sh").startswith("100755")
    assert git("ls-files", "--stage", "link").startswith("120000")
    assert git("log", "-1", "--format=%an %ae") == "Project project@example.org"
    assert "Operator" not in git("log", "-1", "--format=%an %cn")
    assert git("fsck", "--strict") == ""
    assert (place / "empty").is_dir()
    (place / "a.txt").write_text("2\n")
    assert git("status", "--porcelain") == "M a.txt"


@pytest.mark.parametrize("workspace", [Workspace(repository=True), Workspace(files={"a.txt": "x"}, repository=True)])
def test_any_workspace_can_be_a_repository_an_empty_one_too(tmp_path, suite, repository_at, workspace):
    git = repository_at(made(tmp_path, suite, workspace)).git

    assert git("rev-list", "--count", "HEAD") == "1"
    assert git("status", "--porcelain") == ""


def test_a_workspace_from_git_can_be_a_repository_of_its_own(repository, suite, repository_at, tmp_path):
    repository.commit({"app/a.txt": "1"})
    repository.commit({"app/a.txt": "2"})
    tree = gatherer(suite, repository.root).workspace(Workspace(git="app", ref="HEAD~1", repository=True))
    (tmp_path / "place").mkdir()
    write_tree(tree, tmp_path / "place")

    assert repository_at(tmp_path / "place").git("rev-list", "--count", "--all") == "1"
    assert (tmp_path / "place/a.txt").read_text() == "1"


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_a_workspace_that_is_a_checkout_already_is_refused_and_its_repository_left_alone(
    repository, suite, tmp_path, kind
):
    """A worktree's `.git` is a file that points into the real repository: git would commit there."""
    head = repository.commit({"a.txt": "1"})
    if kind == "file":
        source = tmp_path / "worktree"
        repository.git("worktree", "add", "--quiet", str(source))
    elif kind == "folder":
        source = tmp_path / "clone"
        subprocess.run(["git", "clone", "--quiet", str(repository.root), str(source)], check=True)
    else:
        source = tmp_path / "linked"
        source.mkdir()
        (source / "inner").mkdir()
        (source / ".git").symlink_to("inner")

    with pytest.raises(SourceUnusable, match=r"has a `\.git` already"):
        gatherer(suite, source.parent).workspace(Workspace(folder=source.name, repository=True))

    assert repository.git("log", "--all", "--format=%H") == head
    assert repository.git("status", "--porcelain") == ""


def test_a_tree_can_not_be_made_a_repository_twice(suite, tmp_path):
    once = gatherer(suite, tmp_path).workspace(Workspace(repository=True))

    with pytest.raises(SourceUnusable, match=r"has a `\.git` already"):
        with_repository(once)
