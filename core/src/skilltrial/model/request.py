"""What was asked of a run beyond its suite and plan: enough to take it up again. Written into its archive."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from .packaged import Delivery
from .part import Part, Sha256, Slug


class Route(Part):
    """What a routing policy decided before anything started: `rule` is the route of `policy` that applied.

    `model` and `effort` are what was used, None where it was left to the host; `data` is None in a rehearsal, which
    gives no data away.
    """

    policy: str
    """Its file, without the folder."""
    policy_sha256: Sha256
    rule: str
    deployment: str | None = None
    route_class: str
    data: str | None
    model: str | None = None
    effort: str | None = None


class RunRequest(Part):
    """`request.json`. `options` are the host's own, known credentials in them replaced; no value of a variable."""

    schema_version: Literal[1] = 1
    host: str
    options: dict[str, JsonValue] = Field(default_factory=dict)
    dialect: str | None = None
    model: str | None = None
    pass_env: tuple[str, ...] = ()
    allow_commands: bool = False
    allow_mutations: bool = False
    skills: dict[Slug, Sha256] = Field(default_factory=dict)
    """Skills that were used in the place of the suite's own → digest of what was installed."""
    catalogs: dict[Slug, Sha256] = Field(default_factory=dict)
    """Fixtures whose catalog was not the suite's own → digest of the file."""
    delivery: Delivery | None = None
    """What was asked for in place of the suite's own choice."""
    fixtures: dict[Slug, dict[str, JsonValue]] = Field(default_factory=dict)
    """Fixture → options that were given in the place of the suite's own; the archived suite has them."""
    retries: Annotated[int, Field(ge=0)] = 2
    gate: str | None = None
    """The gate that was asked for in place of the suite's own, as it was written; the archived suite has it."""
    route: Route | None = None
    """None where no policy was found."""
