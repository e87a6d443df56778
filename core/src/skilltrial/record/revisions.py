"""Folders out of git: a workspace `{git, ref}`, a skill's `previous` as `REV:path` or `merge-base:REF:path`."""

from __future__ import annotations

import io
import os
import subprocess
import tempfile
from pathlib import Path, PurePosixPath

from skilltrial.archive.trees import Tree, sha256
from skilltrial.model.errors import SourceUnusable
from skilltrial.model.evidence import Entry, FileKind

MERGE_BASE = "merge-base:"
_SHALLOW = "the clone is shallow: fetch its whole history (`fetch-depth: 0`)"


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
    hint = _SHALLOW if _is_shallow(beside) else "fetch it, or name another"
    asked = ["rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}"]
    return _git(asked, beside, f"no commit is called {reference!r}; {hint}").decode().strip()


def last_change(folder: Path) -> str:
    """The last commit, up to HEAD, that changed what is in a folder. Raises SourceUnusable."""
    asked = ["log", "-1", "--format=%H", "HEAD", "--", "."]
    found = _git(asked, folder, "there is no commit yet; commit it").decode().strip()
    if not found:
        raise SourceUnusable("no commit has this folder; commit it")
    return found


def merge_base(reference: str, beside: Path) -> str:
    """The commit where the current branch left `reference`. Raises SourceUnusable."""
    other = resolve(reference, beside)
    hint = _SHALLOW if _is_shallow(beside) else "they share no history"
    return (
        _git(["merge-base", "HEAD", other], beside, f"HEAD and {reference!r} have no common commit; {hint}")
        .decode()
        .strip()
    )


def _is_shallow(beside: Path) -> bool:
    why = "a git revision is named, but this is no git repository that can be read (is it somebody else's?)"
    return _git(["rev-parse", "--is-shallow-repository"], beside, why).decode().strip() == "true"


def tree_of_commit(commit: str, path: str, beside: Path) -> Tree:
    """A folder of a commit, with executable bits and links. Raises SourceUnusable."""
    folder = PurePosixPath(path).as_posix().removeprefix("./")
    target = commit if folder in ("", ".") else f"{commit}:{folder}"
    top = _git(["rev-parse", "--show-toplevel"], beside, f"{beside} lies in no git repository").decode().strip()
    why = f"commit {commit[:12]} has no folder {folder!r}"
    # Not `git archive`: the attributes `export-ignore` and `export-subst` would make it another folder.
    return _tree_of_listing(_git(["ls-tree", "-r", "-t", "-z", target], Path(top), why), Path(top))


def below_top(folder: Path) -> str:
    """The path of a folder below its repository's top, POSIX; empty for the top. Raises SourceUnusable."""
    if not folder.is_dir():
        raise SourceUnusable("the folder that a workspace's `git` names does not exist")
    why = f"{folder} lies in no git repository, and the `git` of a workspace must name a folder of one"
    return _git(["rev-parse", "--show-prefix"], folder, why).decode().strip("/\n")


def _tree_of_listing(listed: bytes, top: Path) -> Tree:
    """The tree of what `git ls-tree` lists, `MODE TYPE OBJECT<tab>PATH` each."""
    rows = [row.partition(b"\t") for row in listed.split(b"\0") if row]
    blobs = _blobs([about.split()[2] for about, _, _ in rows if about.split()[1] == b"blob"], top)
    entries: list[Entry] = []
    contents: dict[str, bytes] = {}
    for about, _, name in rows:
        mode, _, object_ = about.split()
        path = name.decode("utf-8", "surrogateescape")
        data = blobs.get(object_, b"")
        match mode:
            case b"040000" | b"160000":
                # A submodule is an empty folder, as in a clone without its submodules.
                entries.append(Entry(path=path, kind=FileKind.FOLDER))
            case b"120000":
                entries.append(Entry(path=path, kind=FileKind.LINK, target=data.decode("utf-8", "surrogateescape")))
            case _:
                digest = sha256(data)
                contents[digest] = data
                executable = mode == b"100755"
                entries.append(
                    Entry(path=path, kind=FileKind.FILE, executable=executable, size=len(data), sha256=digest)
                )
    return Tree.of(entries, contents)


def _blobs(objects: list[bytes], top: Path) -> dict[bytes, bytes]:
    """The bytes of objects, by one `git cat-file`: `OBJECT TYPE SIZE<newline>BYTES<newline>` each."""
    asked = b"".join(name + b"\n" for name in objects)
    told = io.BytesIO(_git(["cat-file", "--batch"], top, "a file of the commit can't be read", asked))
    found: dict[bytes, bytes] = {}
    for name in objects:
        head = told.readline().split()
        if len(head) != 3:
            raise SourceUnusable("a file of the commit is missing: the clone is partial; fetch the whole of it")
        found[name] = told.read(int(head[2]))
        told.read(1)
    return found


def with_repository(tree: Tree) -> Tree:
    """The tree as a git repository with one commit. Made once a run, so that no trial has to start git.

    Raises SourceUnusable.
    """
    from .workspace import write_tree

    if ".git" in tree.by_path:
        # A `.git` that points elsewhere would have git write into somebody's real repository.
        raise SourceUnusable("`repository: true` makes a repository, but the workspace has a `.git` already")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "project"
        folder.mkdir()
        write_tree(tree, folder)
        author = ["-c", "user.name=Project", "-c", "user.email=project@example.org", "-c", "commit.gpgsign=false"]
        why = "git could not make a repository of the workspace"
        _git(["init", "--quiet", "--template=", "--initial-branch=main"], folder, why, apart=True)
        _git(["add", "--all", "--force"], folder, why, apart=True)
        _git([*author, "commit", "--quiet", "--allow-empty", "--message=Start"], folder, why, apart=True)
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


def _git(arguments: list[str], folder: Path, why: str, asked: bytes = b"", *, apart: bool = False) -> bytes:
    """Run git; `apart` keeps the user's settings away from what is made (they may be needed to read a repository).

    Raises SourceUnusable with `why`; git's own words could hold paths or credentials of a remote.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {"LC_ALL": "C"}
    if apart:
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=environment,
            input=asked,
            capture_output=True,
            timeout=120,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceUnusable(f"git can't be run: {type(error).__name__}") from error
    if done.returncode != 0:
        raise SourceUnusable(why)
    return done.stdout
