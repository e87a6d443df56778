"""The JSON Schema of a replies file, for editors and for people who write one by program."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from pydantic import JsonValue
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from .replies import RepliesFile
from .strictjson import pretty

NAME = "replies.schema.json"


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


def make_schema() -> bytes:
    """The schema, made from the models."""
    schema: dict[str, JsonValue] = RepliesFile.model_json_schema(by_alias=True, schema_generator=_Generator)
    dialect: dict[str, JsonValue] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return pretty(dialect | schema)


def shipped_schema() -> bytes:
    """The schema, as it is shipped with this package."""
    return files(__package__).joinpath(NAME).read_bytes()
