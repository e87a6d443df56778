"""Folders out of git: a workspace `{git, ref}`, a skill's `previous` as `REV:path` or `merge-base:REF:path`."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

from skilltrial.archive.trees import Tree, sha256
from skilltrial.model.errors import SourceUnusable
from skilltrial.model.evidence import Entry, FileKind

MERGE_BASE = "merge-base:"


def is_revision(previous: str) -> bool:
    """Whether a skill's `previous` names a git revision, not a folder."""
    return ":" in previous


def tree_of_previous(previous: str, beside: Path) -> tuple[Tree, str]:
    """The folder that `previous` names and the commit it was taken from. Raises SourceUnusable."""
    rest = previous.removeprefix(MERGE_BASE)
    reference, _, path = rest.partition(":")
    commit = merge_base(reference, beside) if previous.startswith(MERGE_BASE) else resolve(reference, beside)
    # A path without `./` counts from the repository's top, as git itself reads `REV:path`.
    return tree_of_commit(commit, path, beside), commit


def resolve(reference: str, beside: Path) -> str:
    """The commit that a reference names. Raises SourceUnusable."""
    return (
        _git(
            ["rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}"],
            beside,
            f"no commit is called {reference!r}",
        )
        .decode()
        .strip()
    )


def merge_base(reference: str, beside: Path) -> str:
    """The commit where the current branch left `reference`. Raises SourceUnusable."""
    resolve(reference, beside)
    shallow = _git(["rev-parse", "--is-shallow-repository"], beside, "not a git repository").decode().strip() == "true"
    hint = "the clone is shallow: fetch its whole history (`fetch-depth: 0`)" if shallow else "they share no history"
    return (
        _git(["merge-base", "HEAD", reference], beside, f"HEAD and {reference!r} have no common commit; {hint}")
        .decode()
        .strip()
    )


def tree_of_commit(commit: str, path: str, beside: Path) -> Tree:
    """A folder of a commit, with executable bits and links. Raises SourceUnusable."""
    folder = PurePosixPath(path).as_posix().removeprefix("./")
    target = commit if folder in ("", ".") else f"{commit}:{folder}"
    top = _git(["rev-parse", "--show-toplevel"], beside, f"{beside} lies in no git repository").decode().strip()
    packed = _git(["archive", "--format=tar", target], Path(top), f"commit {commit[:12]} has no folder {folder!r}")
    return _unpack(packed)


def below_top(folder: Path) -> str:
    """The path of a folder below its repository's top, POSIX; empty for the top. Raises SourceUnusable."""
    if not folder.is_dir():
        raise SourceUnusable("the folder that a workspace's `git` names does not exist")
    return (
        _git(["rev-parse", "--show-prefix"], folder, "a workspace's `git` lies in no repository").decode().strip("/\n")
    )


def _unpack(packed: bytes) -> Tree:
    entries: list[Entry] = []
    contents: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(packed), encoding="utf-8", errors="surrogateescape") as archive:
        for member in archive:
            path = member.name.rstrip("/")
            if member.isdir():
                entries.append(Entry(path=path, kind=FileKind.FOLDER))
            elif member.issym():
                entries.append(Entry(path=path, kind=FileKind.LINK, target=member.linkname))
            elif member.isfile():
                file = archive.extractfile(member)
                data = file.read() if file is not None else b""
                digest = sha256(data)
                contents[digest] = data
                entries.append(
                    Entry(
                        path=path,
                        kind=FileKind.FILE,
                        executable=bool(member.mode & 0o100),
                        size=len(data),
                        sha256=digest,
                    )
                )
    return Tree.of(entries, contents)


def with_repository(tree: Tree) -> Tree:
    """The tree as a git repository with one commit. Made once a run, so that no trial has to start git."""
    from .workspace import write_tree

    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "project"
        folder.mkdir()
        write_tree(tree, folder)
        author = ["-c", "user.name=Project", "-c", "user.email=project@example.org", "-c", "commit.gpgsign=false"]
        why = "git could not make a repository of the workspace"
        _git(["init", "--quiet", "--template=", "--initial-branch=main"], folder, why)
        _git(["add", "--all", "--force"], folder, why)
        _git([*author, "commit", "--quiet", "--allow-empty", "--message=Start"], folder, why)
        return tree.with_(_read(folder / ".git").under(".git"))


def _read(root: Path) -> Tree:
    entries: list[Entry] = []
    contents: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_dir():
            entries.append(Entry(path=name, kind=FileKind.FOLDER))
        else:
            data = path.read_bytes()
            digest = sha256(data)
            contents[digest] = data
            entries.append(Entry(path=name, kind=FileKind.FILE, size=len(data), sha256=digest))
    return Tree.of(entries, contents)


def _git(arguments: list[str], folder: Path, why: str) -> bytes:
    """Run git. Raises SourceUnusable with `why`; git's own words could hold paths or credentials of a remote."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = clean | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, env=environment, capture_output=True, timeout=120, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceUnusable(f"git can't be run: {type(error).__name__}") from error
    if done.returncode != 0:
        raise SourceUnusable(why)
    return done.stdout
