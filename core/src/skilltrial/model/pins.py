"""A pin: which committed bytes a skill under test is; and what a run found of it. `skilltrial.lock` holds the pins."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from .part import Part, Sha256, Slug

Commit = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
"""A commit of git, in full."""


class SkillLock(Part):
    """One pinned skill. `source_path` is its folder below the repository's top, POSIX; `.` for the top itself.

    `files` are its files as they are installed → SHA-256 with line ends as LF (binary files as they are);
    `executable` are those that may be executed.
    """

    source_path: Annotated[str, Field(min_length=1, max_length=1024)]
    source_commit: Commit
    files: Annotated[dict[str, Sha256], Field(min_length=1)]
    executable: tuple[str, ...] = ()


class Lock(Part):
    """`skilltrial.lock`, beside a suite: the pins of its skills, by their ids."""

    schema_version: Literal[1] = 1
    skills: dict[Slug, SkillLock]

    def text(self) -> str:
        """The lock as its file: JSON with sorted keys, two spaces and a final newline."""
        return json.dumps(self.model_dump(mode="json"), indent=2, sort_keys=True) + "\n"


class PinState(StrEnum):
    """What a run found of a skill's pin when it began."""

    PINNED = "pinned"
    """The skill is what its pin says, and the commit holds exactly these bytes."""
    CHANGED = "changed"
    """The skill is not what its pin says, or the commit holds something else."""
    UNVERIFIED = "unverified"
    """The skill is what its pin says; the commit could not be looked at (no repository, or it is not there)."""
    UNPINNED = "unpinned"
    """There is no pin, or none that can be read."""


class Pin(Part):
    """The pin of one skill, as a run found it. `faults` say what was wrong, without paths of the machine."""

    skill: Slug
    state: PinState
    commit: Commit | None = None
    faults: tuple[str, ...] = ()
