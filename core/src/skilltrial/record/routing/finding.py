"""Find the policy of a project: the one that was named, else the nearest from a folder upwards, in any format."""

from __future__ import annotations

from pathlib import Path

from skilltrial.model.errors import SourceUnusable

from .policy import NAMES, Policy, load_policy
from .policy_embraion import FOLDER, ROUTING
from .policy_embraion import load as load_embraion


def find_policy(named: Path | None, start: Path) -> Policy | None:
    """The policy that was named, else the nearest one from `start` upwards; None where there is none.

    Raises DocumentInvalid with every fault, SourceUnusable where it can't be read.
    """
    if named is not None:
        return load_embraion(named) if named.name == ROUTING else load_policy(named)
    try:
        folder = start.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise SourceUnusable(f"there is no folder {start}; --path takes the project's") from None
    for place in (folder, *folder.parents):
        for name in NAMES:
            if (place / name).is_file():
                return load_policy(place / name)
        if (project := place / FOLDER / ROUTING).is_file():
            return load_embraion(project)
    return None
