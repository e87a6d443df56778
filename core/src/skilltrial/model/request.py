"""What was asked of a run beyond its suite and plan: enough to take it up again. Written into its archive."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from .part import Part


class RunRequest(Part):
    """`request.json`. `options` are the host's own, known credentials in them replaced; no value of a variable."""

    schema_version: Literal[1] = 1
    host: str
    options: dict[str, JsonValue] = Field(default_factory=dict)
    dialect: str | None = None
    model: str | None = None
    pass_env: tuple[str, ...] = ()
    allow_commands: bool = False
    retries: Annotated[int, Field(ge=0)] = 2
