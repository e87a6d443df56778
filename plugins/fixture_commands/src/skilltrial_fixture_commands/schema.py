"""The JSON Schema of a replies file, for editors and for people who write one by program."""

from __future__ import annotations

from importlib.resources import files

from skilltrial.replies.written import schema_of

from .replies import RepliesFile

NAME = "replies.schema.json"


def make_schema() -> bytes:
    """The schema, made from the models."""
    return schema_of(RepliesFile)


def shipped_schema() -> bytes:
    """The schema, as it is shipped with this package."""
    return files(__package__).joinpath(NAME).read_bytes()
