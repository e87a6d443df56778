"""The JSON Schema of suite files: what people may write, short form and long."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from .written import WrittenSuite


class _Generator(GenerateJsonSchema):
    """Says in JSON Schema what pydantic says in code; leaves out defaults that only mean "not given".

    The schemas that come in are pydantic's own, of a package that is not ours to import.
    """

    def default_schema(self, schema: Any) -> JsonSchemaValue:
        if schema.get("default") in ("", ()):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def dict_schema(self, schema: Any) -> JsonSchemaValue:
        made = super().dict_schema(schema)
        if "patternProperties" in made:
            made["additionalProperties"] = False  # keys that are no ids are refused, not overlooked
        return made

    def tagged_union_schema(self, schema: Any) -> JsonSchemaValue:
        # An empty workspace fits two forms, and both mean the same.
        made = super().tagged_union_schema(schema)
        return {("anyOf" if key == "oneOf" else key): value for key, value in made.items()}


def suite_schema() -> dict[str, Any]:
    """The schema, in JSON Schema 2020-12. A check's further keys are its grader's options, so they are open."""
    schema = TypeAdapter(WrittenSuite).json_schema(schema_generator=_Generator)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "skilltrial suite",
        **{key: value for key, value in schema.items() if key != "title"},
    }
