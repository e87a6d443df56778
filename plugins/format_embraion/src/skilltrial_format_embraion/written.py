"""A suite as EmbrAIon has it (`schema-version: 1`): every object closed, six kinds of check."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, field_validator

Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,63}\z")]
SuitePath = Annotated[str, Field(min_length=1, max_length=250)]
"""A path; what it may hold is asked by `paths`, once the suite has its shape."""


class _Closed(BaseModel):
    """A frozen object without further keys; nothing is coerced."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class FileExists(_Closed):
    """A regular file is at `path`."""

    type: Literal["file-exists"]
    path: SuitePath


class FileAbsent(_Closed):
    """Nothing is at `path`."""

    type: Literal["file-absent"]
    path: SuitePath


class FileContains(_Closed):
    """The text file at `path` holds `text`."""

    type: Literal["file-contains"]
    path: SuitePath
    text: Annotated[str, Field(min_length=1)]


class JsonFieldEquals(_Closed):
    """The JSON file at `path` has `value` at the dotted `field`."""

    type: Literal["json-field-equals"]
    path: SuitePath
    field: Annotated[str, Field(min_length=1)]
    value: JsonValue


class UnchangedPath(_Closed):
    """The file at `path` is as it was."""

    type: Literal["unchanged-path"]
    path: SuitePath


class ChangedPathsWithin(_Closed):
    """Something changed, and nothing outside `paths`."""

    type: Literal["changed-paths-within"]
    paths: Annotated[list[SuitePath], Field(min_length=1)]


Check = Annotated[
    FileExists | FileAbsent | FileContains | JsonFieldEquals | UnchangedPath | ChangedPathsWithin,
    Field(discriminator="type"),
]


class Skill(_Closed):
    """A skill's two forms, folders below the skills' root."""

    id: Id
    candidate: SuitePath
    previous: SuitePath | None = Field(default=None)

    @field_validator("previous", mode="before")
    @classmethod
    def _text_where_given(cls, value: Any) -> Any:
        # The key may be missing; null is no path.
        if value is None:
            raise ValueError("a path is needed here")
        return value


class Case(_Closed):
    """One situation."""

    id: Id
    polarity: Literal["positive", "negative"]
    fixture: SuitePath
    prompt: Annotated[str, Field(min_length=1, max_length=20_000)]
    checks: Annotated[list[Check], Field(min_length=1)]


class WrittenSuite(_Closed):
    """The whole file."""

    schema_version: Annotated[float, Field(alias="schema-version")]
    id: Id
    skills: Annotated[list[Skill], Field(min_length=1)]
    cases: Annotated[list[Case], Field(min_length=1)]

    @field_validator("schema_version", mode="before")
    @classmethod
    def _is_one(cls, value: Any) -> float:
        # 1.0 is the number 1; true is none.
        if type(value) not in (int, float) or value != 1:
            raise ValueError("`schema-version` must be 1")
        return float(value)
