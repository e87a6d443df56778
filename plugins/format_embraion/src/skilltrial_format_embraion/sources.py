"""What a suite names on disk: where its skills lie, and what is wrong with a fixture or a skill's folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

MAX_FILES, MAX_BYTES = 200, 2_000_000
"""Of one fixture or one skill's folder."""
HOME = "EMBRAION_HOME"
_MARKS = ("framework.yaml", "core/catalog.yaml")


def skills_root(suite: Path, root: Path | None, environment: Mapping[str, str]) -> Path:
    """The folder that paths of skills start from.

    `root` where it was given, else EMBRAION_HOME, else the nearest folder above the suite file with `framework.yaml`
    and `core/catalog.yaml`, else the suite's folder.
    """
    if root is not None:
        return root
    if environment.get(HOME):
        return Path(environment[HOME])
    above = (folder for folder in suite.parents if all((folder / mark).is_file() for mark in _MARKS))
    return next(above, suite.parent)


def source_fault(root: Path, path: str, noun: str) -> tuple[str, str] | None:
    """What is wrong with the folder `root / path` as a source, and what would be right; None for a good one.

    A link anywhere in it, or on the way from `root`, is a fault; so is what is neither file nor folder.
    """
    folder = root
    for step in path.split("/"):
        folder = folder / step
        if folder.is_symlink():
            return f"{noun} lies behind a link", "name a folder that is reached without one"
    if not folder.is_dir():
        return f"{noun} does not exist", "fixtures lie beside the suite file, skills below --root or EMBRAION_HOME"
    return _contents_fault(folder, noun)


def skill_fault(root: Path, path: str) -> tuple[str, str] | None:
    """What is wrong with a skill's folder: as any source, and it needs a file SKILL.md."""
    if fault := source_fault(root, path, "the skill's folder"):
        return fault
    head = root / path / "SKILL.md"
    if not head.is_file():
        return "the skill's folder has no file SKILL.md", "name the folder that holds it"
    return None


def never_installed(folder: Path) -> bool:
    """Whether a skill's folder holds what skilltrial never installs: `evals/`, suites beside the SKILL.md."""
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*")]
    return any(name.startswith("evals/") or name.endswith(_SUITES) for name in names)


_SUITES = (".trial.yaml", ".trial.yml", ".trial.json")


def _contents_fault(folder: Path, noun: str) -> tuple[str, str] | None:
    files = size = 0
    folders = [folder]
    while folders:
        try:
            entries = [(Path(entry.path), entry.stat(follow_symlinks=False)) for entry in os.scandir(folders.pop())]
        except OSError:
            return f"{noun} can't be read", "check its permissions"
        for path, status in entries:
            if stat.S_ISDIR(status.st_mode):
                folders.append(path)
            elif stat.S_ISREG(status.st_mode):
                files, size = files + 1, size + status.st_size
            else:
                what = "a link" if stat.S_ISLNK(status.st_mode) else "a special file"
                return f"{noun} holds {what}", "only plain files and folders can be copied"
            if files > MAX_FILES or size > MAX_BYTES:
                return f"{noun} is too big", f"at most {MAX_FILES} files and {MAX_BYTES} bytes"
    return None
