"""An archive lies apart from what it is made of: written into a source, it would change the source under the run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from skilltrial.model.errors import SourceUnusable

from .loading import Loaded
from .revisions import is_revision


def refuse_inside_source(out: Path, loaded: Loaded) -> None:
    """Raise SourceUnusable where `out` is, or lies in, a folder that the suite names; links are seen through."""
    refuse_inside(out, _folders(loaded))


def refuse_inside(out: Path, sources: Iterable[tuple[str, Path]]) -> None:
    """Raise SourceUnusable where `out` is, or lies in, one of these folders, each with words for it."""
    target = real(out)
    for what, folder in sources:
        if target.is_relative_to(real(folder)):
            raise SourceUnusable(f"{out} lies in {what}, which an archive would change; name another folder with --out")


def real(path: Path) -> Path:
    """Where a path leads; one that leads to itself stays what it is, where `Path.resolve` would raise."""
    return Path(os.path.realpath(path))


def _folders(loaded: Loaded) -> Iterator[tuple[str, Path]]:
    suite, root, skills = loaded.suite, loaded.root, loaded.skills_root or loaded.root
    for skill in suite.skills:
        yield f"the folder of skill {skill.id!r}", loaded.elsewhere.skills.get(skill.id, skills / skill.folder)
        if skill.previous is not None and not is_revision(skill.previous):
            yield f"the previous folder of skill {skill.id!r}", skills / skill.previous
    for case in suite.cases:
        if case.workspace.folder is not None:
            yield f"the workspace of case {case.id!r}", root / case.workspace.folder
