"""What plugins make of things that are not ours: a foreign suite or transcript, and what a renderer is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pydantic import JsonValue

from .suite import Suite
from .trial import HostIdentity


@dataclass(frozen=True, slots=True)
class Losses:
    """What became of a foreign suite's meaning, a sentence each. None holds a prompt or the content of a file."""

    converted: tuple[str, ...] = ()
    """Means the same here."""
    changed: tuple[str, ...] = ()
    """Means something else here."""
    dropped: tuple[str, ...] = ()
    """Has no counterpart here."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """A fault of a foreign document: `path` is keys and list positions from its top (`("cases", 0, "prompt")`).

    `what` says what is wrong, `right` what would be right; neither holds a prompt or the content of a file. With
    `key` the fault stands at the key, not at its value.
    """

    path: tuple[str | int, ...]
    what: str
    right: str = ""
    key: bool = False


@dataclass(frozen=True, slots=True)
class ForeignSuite:
    """A suite that was read from a foreign format, or all of its faults.

    Where there are `misfits`, the rest is not looked at. Workspaces are relative to the folder of the suite file,
    skills to `skills_root`, or to that folder too where it is None.
    """

    suite: Mapping[str, JsonValue] = field(default_factory=dict)
    """The long form (`model.suite.Suite`) as JSON values."""
    losses: Losses = Losses()
    skills_root: Path | None = None
    misfits: tuple[Misfit, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignTrial:
    """What a transcript tells of one case: its records as they came, or why it was skipped (a word)."""

    case: str
    lines: tuple[str, ...] = ()
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignRun:
    """A transcript that was read. A case of the suite without a trial was not run."""

    suite: Mapping[str, JsonValue]
    """What was asked, in the long form (`model.suite.Suite`) as JSON values: one arm, one attempt."""
    host: HostIdentity
    """Who ran the cases; its `records` names the normalizer, its `evidence_kind` is `imported`."""
    began: datetime
    trials: tuple[ForeignTrial, ...]


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What a run was made of, as its archive keeps it: what a renderer may need beside the report."""

    source: bytes
    """The suite file as written."""
    suite: Suite
    """The long form."""
    workspaces: Mapping[str, Mapping[str, bytes]]
    """Case → the regular files of its workspace, path → content."""
    skills: Mapping[str, Mapping[str, bytes]]
    """Skill reference (`id`, `id@previous`) → the regular files that were installed."""
