"""The JSON Schema of a replies file, for editors and for people who write one by program."""

from __future__ import annotations

from importlib.resources import files

from pydantic import JsonValue

from .replies import RepliesFile
from .strictjson import pretty

NAME = "replies.schema.json"


def make_schema() -> bytes:
    """The schema, made from the models."""
    schema: dict[str, JsonValue] = RepliesFile.model_json_schema(by_alias=True)
    dialect: dict[str, JsonValue] = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return pretty(dialect | schema)


def shipped_schema() -> bytes:
    """The schema, as it is shipped with this package."""
    return files(__package__).joinpath(NAME).read_bytes()
