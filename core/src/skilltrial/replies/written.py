"""What the files of all fixtures have in common as they are written."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from .strictjson import pretty

Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
"""The name of a script or a rule."""

Seconds = Annotated[float, Field(ge=0, le=3600)]
"""How long an answer is held back."""


class Written(BaseModel):
    """A part of a file: strict, and closed to other keys."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", strict=True)


def schema_of(model: type[Written]) -> bytes:
    """The JSON Schema of a file, for editors and for people who write one by program."""
    schema: dict[str, JsonValue] = model.model_json_schema(by_alias=True, schema_generator=_Generator)
    dialect: dict[str, JsonValue] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return pretty(dialect | schema)


class _Generator(GenerateJsonSchema):
    """Says in JSON Schema what pydantic says in code.

    The schemas that come in are pydantic's own, of a package that is not ours to import.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def dict_schema(self, schema: Any) -> JsonSchemaValue:
        made = super().dict_schema(schema)
        if "patternProperties" in made:
            made["additionalProperties"] = False  # names of another form are refused, not overlooked
        return made
