"""What will be executed: written before the first session, so that a missing trial can be told from one not planned."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .packaged import PluginIdentity
from .part import Part, Sha256, Slug
from .trial import FixtureIdentity, HostIdentity, TrialKey


class Skip(Part):
    """A trial that will not run, and why (`reason` is a word such as `needs_mcp_http`)."""

    key: TrialKey
    reason: str


class SkillIdentity(Part):
    """A skill that takes part: its id (`x`, or `x@previous`), digest of what is installed, digest of SKILL.md.

    `asks` are the tools that its SKILL.md asks for (`allowed-tools`, without what stands in brackets).
    """

    id: str
    sha256: Sha256
    body_sha256: Sha256
    asks: tuple[str, ...] = ()


class PartIdentity(Part):
    """A part that takes part in a run: installed, or (a host that is being written) a file.

    Of a file, `distribution` is its name without the folder, and `source_sha256` is of its bytes.
    """

    kind: Literal[
        "core",
        "host",
        "fixture",
        "answerer",
        "model",
        "dialect",
        "normalizer",
        "grader",
        "suite",
        "format",
        "renderer",
        "transcript",
        "observer",
    ]
    name: str
    distribution: str
    version: str
    source_sha256: Sha256
    origin: Literal["installed", "file"] = "installed"


class Plan(Part):
    """The trials of a run in the order in which they start, and those that are skipped."""

    schema_version: Literal[1] = 1
    run: str
    """An id that no other run has."""
    mode: Literal["run", "rehearse"]
    suite: Slug
    suite_sha256: Sha256
    """Of the suite file's bytes as written."""
    cases: dict[Slug, Sha256]
    """Case → digest of its long form."""
    workspaces: dict[Slug, Sha256]
    """Case → digest of the workspace folder."""
    skills: tuple[SkillIdentity, ...]
    plugin: PluginIdentity | None = None
    """None where the suite brings none."""
    arms: tuple[Slug, ...]
    host: HostIdentity
    fixtures: dict[Slug, FixtureIdentity] = Field(default_factory=dict)
    """Fixture → what it offers in every trial."""
    model: str | None = None
    """Name of the model part that was scripted; None in a live run."""
    seed: Annotated[int, Field(ge=0)]
    jobs: Annotated[int, Field(ge=1)]
    attempts: Annotated[int, Field(ge=1)]
    trials: tuple[TrialKey, ...]
    skips: tuple[Skip, ...] = ()
    narrowed: bool = False
    """Only some cases, arms or rehearsals were asked for."""
    repeats: tuple[TrialKey, ...] = ()
    """Trials that the gate's rule added while the run went on; they stand in `trials` too, after all others."""
