"""Find the policy of a project: the one that was named, else the nearest from a folder upwards, in any format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial.model.errors import SourceUnusable

from .names import FOLDER, NAMES, ROUTING

if TYPE_CHECKING:
    from .policy import Policy


def find_policy(named: Path | None, start: Path) -> Policy | None:
    """The policy that was named, else the nearest one from `start` upwards; None where there is none.

    Raises DocumentInvalid with every fault, SourceUnusable where it can't be read.
    """
    if named is not None:
        return _of_project(named) if named.name == ROUTING else _own(named)
    try:
        folder = start.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise SourceUnusable(f"there is no folder {start}; --path takes the project's") from None
    for place in (folder, *folder.parents):
        for name in NAMES:
            if (place / name).is_file():
                return _own(place / name)
        if (project := place / FOLDER / ROUTING).is_file():
            return _of_project(project)
    return None


def _own(path: Path) -> Policy:
    from .policy import load_policy  # most projects have no policy

    return load_policy(path)


def _of_project(path: Path) -> Policy:
    from .policy_embraion import load

    return load(path)
