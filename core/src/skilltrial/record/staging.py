"""A suite that nobody wrote: one prompt, one skill, nothing checked. Laid down only as long as it is read."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from skilltrial.model.errors import DocumentInvalid, SourceUnusable
from skilltrial.model.part import canonical
from skilltrial.model.suite import DEFAULT_IGNORE

from .loading import Loaded, load
from .sources import Refused, scan
from .suitefile.checking import GraderDirectory
from .suitefile.folders import installed_never
from .suitefile.frontmatter import FrontMatter, read_frontmatter

CASE = "try"
_SUITE = "suite.json"
_WORKSPACE = "workspace"
_LEFT_OUT = frozenset(name.rstrip("/") for name in DEFAULT_IGNORE) | {".skilltrial"}
_LIMITS = {"files_in": 20_000, "bytes_in": 200_000_000, "bytes_out": 200_000_000}
"""A project as it lies there is larger than a workspace that was made for a case."""
_SHOWN = 5
"""So many things that are not copied are named."""
_SMALLER = "a session gets a copy of it: name the folder of one project, or a part of it"


@dataclass(frozen=True, slots=True)
class Observation:
    """What is to be tried. `workspace` is a project's folder, None for an empty one."""

    skill: Path
    prompt: str
    workspace: Path | None = None
    allow: tuple[str, ...] = ()
    seconds: int = 600
    arms: tuple[str, ...] = ("without_skill", "with_skill")
    """An arm that is not called `with_skill` has no skill. Without that one the workspace is left as it is."""


@dataclass(frozen=True, slots=True)
class Staged:
    """The suite, loaded; the tools that the skill asks for, and in sentences what of the project takes no part."""

    loaded: Loaded
    asked: tuple[str, ...]
    left_out: tuple[str, ...]


def skill_folder(argument: Path) -> Path:
    """The folder of the skill that `argument` names: it, or its SKILL.md. Raises SourceUnusable."""
    folder = argument.parent if argument.name == "SKILL.md" and argument.is_file() else argument
    if not folder.is_dir():
        raise SourceUnusable(f"there is no skill {argument}: name the folder that holds its SKILL.md")
    if not (folder / "SKILL.md").is_file():
        inside = sorted(path.parent for path in folder.glob("*/SKILL.md"))[:3]
        hint = f"did you mean {' or '.join(map(str, inside))}?" if inside else "name the folder that holds it"
        raise SourceUnusable(f"{folder} has no SKILL.md; {hint}")
    return folder.resolve()


def head_of(skill: Path) -> FrontMatter:
    """The head of a skill's SKILL.md. Raises DocumentInvalid, SourceUnusable where it has no name."""
    try:
        matter = read_frontmatter(str(skill / "SKILL.md"), (skill / "SKILL.md").read_bytes())
    except OSError as error:
        raise SourceUnusable(f"{skill / 'SKILL.md'} can't be read: {error.strerror}") from None
    if not matter.name or not re.fullmatch(r"[a-z][a-z0-9_-]{0,63}", matter.name):
        raise SourceUnusable(
            f"{skill / 'SKILL.md'}: its `name` must be lower-case letters, digits and `-`, at most 64 characters"
        )
    return matter


@contextmanager
def staged(wanted: Observation, graders: GraderDirectory) -> Iterator[Staged]:
    """The suite of an observation; what it is made of lies there as long as the context lasts.

    Raises SourceUnusable, DocumentInvalid.
    """
    if not wanted.prompt.strip():
        raise SourceUnusable("the prompt is empty: say what a user would ask")
    matter = head_of(wanted.skill)
    name = str(matter.name)
    with tempfile.TemporaryDirectory(prefix="skilltrial-") as folder:
        root = Path(folder)
        _copy(wanted.skill, root / name, _everything(wanted.skill))
        left_out: tuple[str, ...] = ()
        (root / _WORKSPACE).mkdir()
        repository = False
        if wanted.workspace is not None:
            compared = "with_skill" in wanted.arms
            repository, left_out = _lay_project(wanted.workspace, root / _WORKSPACE, name if compared else None)
        allow = tuple(dict.fromkeys((*matter.allowed_tools, *wanted.allow)))
        suite = {
            "schema_version": 1,
            "id": f"try-{name}"[:64],
            "skills": [{"id": name, "folder": name}] if "with_skill" in wanted.arms else [],
            "arms": [{"id": arm, "skills": [name] if arm == "with_skill" else []} for arm in wanted.arms],
            "gate": {"arm": wanted.arms[-1]},
            "limits": {"seconds": wanted.seconds, **_LIMITS},
            "allow": list(allow),
            "cases": [
                {
                    "id": CASE,
                    "turns": [wanted.prompt],
                    "workspace": {"folder": _WORKSPACE, "repository": repository},
                    "observe": True,
                }
            ],
        }
        (root / _SUITE).write_bytes(canonical(suite))
        loaded = load(root / _SUITE, graders)
        yield Staged(replace(loaded, source=loaded.suite.write(), links=()), matter.allowed_tools, left_out)


def _everything(folder: Path) -> list[str]:
    found = scan(folder, links="refuse")
    if refused := [one for one in found.refused if not installed_never(one.path)]:
        raise SourceUnusable("\n".join(f"{folder / one.path} {one.told}" for one in refused))
    return [entry.path for entry in found.entries]


def _lay_project(project: Path, to: Path, skill: str | None) -> tuple[bool, tuple[str, ...]]:
    """Copy a project without what git ignores and without the skill itself.

    Returns whether it is a repository, and what was left out. Raises SourceUnusable.
    """
    if not project.is_dir():
        raise SourceUnusable(f"there is no folder {project}; --workspace names a project's folder")
    tracked = _tracked(project)
    paths, refused = _listed(project) if tracked is None else (tracked, [])
    copies = sorted({path.rpartition("/")[0] for path in paths if skill and _is_skill(project, path, skill)})
    if "" in copies:
        raise SourceUnusable(f"{project} is the skill's own folder; a workspace is the project that it is for")
    left_out = [f"left out of the workspace, since it is the skill itself: {path}" for path in copies]
    left_out += [f"left out of the workspace: {one.path} {one.told}" for one in refused[:_SHOWN]]
    if len(refused) > _SHOWN:
        left_out.append(f"left out of the workspace: {len(refused) - _SHOWN} more that can't be copied")
    kept = [path for path in paths if not any(path == one or path.startswith(f"{one}/") for one in copies)]
    if len(kept) > _LIMITS["files_in"]:
        raise SourceUnusable(f"{project} has more than {_LIMITS['files_in']} files; {_SMALLER}")
    _copy(project, to, kept)
    return tracked is not None, tuple(left_out)


def _is_skill(project: Path, path: str, skill: str) -> bool:
    """Whether a file is the SKILL.md of a skill of this name, wherever it lies: the baseline would find it."""
    if path.rsplit("/", 1)[-1] != "SKILL.md" or (project / path).is_symlink():
        return False
    try:
        return read_frontmatter(path, (project / path).read_bytes()).name == skill
    except (DocumentInvalid, OSError):
        return False


def _tracked(project: Path) -> list[str] | None:
    """The files that git knows or would take, below `project`; None where this is no repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=project, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    found = sorted({path.decode("utf-8", "surrogateescape") for path in done.stdout.split(b"\0") if path})
    return [
        path
        for path in found
        if _LEFT_OUT.isdisjoint(path.split("/")) and ((project / path).is_file() or (project / path).is_symlink())
    ]


def _listed(project: Path) -> tuple[list[str], list[Refused]]:
    """The paths below a folder, and what can't be copied."""
    found = scan(project, links="inside", most=2 * _LIMITS["files_in"])
    kept = [entry.path for entry in found.entries if _LEFT_OUT.isdisjoint(entry.path.split("/"))]
    return kept, [one for one in found.refused if _LEFT_OUT.isdisjoint(one.path.split("/"))]


def _copy(source: Path, to: Path, paths: list[str]) -> None:
    to.mkdir(exist_ok=True)
    size = 0
    try:
        for path in paths:
            one, other = source / path, to / path
            if one.is_dir() and not one.is_symlink():
                other.mkdir(parents=True, exist_ok=True)
                continue
            size += one.lstat().st_size
            if size > _LIMITS["bytes_in"]:
                raise SourceUnusable(f"{source} has more than {_LIMITS['bytes_in'] // 1_000_000} MB; {_SMALLER}")
            other.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(one, other, follow_symlinks=False)
    except OSError as error:
        raise SourceUnusable(f"{source} can't be copied: {error.strerror or type(error).__name__}") from None
