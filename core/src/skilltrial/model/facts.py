"""What the runner knows of a sealed trial beyond its records, and of the whole run."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field

from .jsontext import read_json
from .part import Part, Sha256
from .pins import Pin
from .trial import TrialKey

Seconds = Annotated[float, Field(ge=0, strict=False)]


class TrialFacts(Part):
    """`trial.json`. The clocks are apart: `setup_seconds` (place, fixtures), `agent_seconds`, `closing_seconds`."""

    schema_version: Literal[1] = 1
    key: TrialKey
    started: datetime
    setup_seconds: Seconds
    agent_seconds: Seconds
    closing_seconds: Seconds
    tries: Annotated[int, Field(ge=1)] = 1
    redactions: int = 0
    redacted_paths: tuple[str, ...] = ()
    """Project paths whose kept bytes hold a replaced credential."""
    listing_complete: bool = True
    """False where the project had too many files to list."""

    @classmethod
    def read(cls, data: bytes | str) -> Self:
        """Read JSON bytes; paths may hold lone surrogates, which pydantic's own reader refuses. Raises ValueError."""
        return cls.model_validate(read_json(data), strict=False)


class Reused(Part):
    """A trial that was not run but taken from another archive, which had sealed it before."""

    key: TrialKey
    archive: Sha256
    """Digest of that archive's manifest."""
    started: datetime
    """When the trial began there."""


class Provenance(Part):
    """`provenance.json`: where, when and with what a run happened."""

    schema_version: Literal[1] = 1
    started: datetime
    ended: datetime | None = None
    skilltrial: str
    python: str
    system: str
    node: str | None = None
    repository_commit: str | None = None
    repository_dirty: bool | None = None
    lock_sha256: Sha256 | None = None
    """Of `skilltrial.lock` beside the suite."""
    seed: int
    jobs: int
    passed_names: tuple[str, ...] = ()
    """Names of environment variables that were passed through; never their values."""
    resolved_links: tuple[str, ...] = ()
    """Sources that were reached through a link above them, in words."""
    changed_sources: tuple[str, ...] = ()
    """Sources that changed while the run went on: no statement about the skill is possible then."""
    interrupted: bool = False
    stopped: str | None = None
    """Why the run ended before all trials had run, in a sentence."""
    reused: tuple[Reused, ...] = ()
    resumed: tuple[datetime, ...] = ()
    """When the run was taken up again."""
    resumed_with: tuple[str, ...] = ()
    """What was another one when the run was taken up again, in words: parts, options, Python."""
    pins: tuple[Pin, ...] = ()
    """The pin of each skill of the suite, as it was found when the run began."""
    packages: dict[str, str] = Field(default_factory=dict)
    """What the parts were built on: installed distributions → their versions."""
    losses: tuple[str, ...] = ()
    """What this platform could not prove, and that the suite was converted from another tool's, in sentences."""
