"""To what a qualification belongs, and what an archive is worth to somebody who asks for one."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .part import Part, Sha256, Slug
from .report import Word
from .trial import CatalogIdentity


class Key(Part):
    """What a qualification belongs to; where one of these is another, nothing is known.

    `model` is the one that was seen to answer: None in a key of the present, where none was asked for.
    """

    host: Slug
    version: str | None
    program_sha256: Sha256 | None
    model: str | None = None
    skills: dict[str, Sha256]
    """Skills of the gate's arm → digest of what is installed."""
    catalogs: dict[Slug, CatalogIdentity] = Field(default_factory=dict)
    """Fixture → its catalog."""
    suite: Slug
    suite_sha256: Sha256
    """Of `parts`."""
    parts: dict[str, Sha256]
    """What the suite is made of beside skills and catalogs, a part each, in words → digest."""


class Doubt(Part):
    """Why an archive qualifies nothing: a word, and a sentence."""

    reason: Word
    told: str


class Difference(Part):
    """What is another one now than when the archive was made."""

    what: str
    then: str
    now: str


Worth = Literal["qualifies", "other_key", "nothing", "refused"]
"""`other_key`: it qualified what it ran, which is not what is asked about. `refused`: it can't be judged."""


class Standing(Part):
    """What one archive is worth. `archive` is its folder as it was given."""

    archive: str
    manifest: Sha256 | None = None
    worth: Worth
    key: Key | None = None
    doubts: tuple[Doubt, ...] = ()
    changed: tuple[Difference, ...] = ()
    refusal: str | None = None


class Qualification(Part):
    """The answer of `skilltrial qualified`: the present key, and every archive that was given."""

    schema_version: Literal[1] = 1
    present: Key
    archives: tuple[Standing, ...]


def qualification_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of an answer of `skilltrial qualified`."""
    schema = Qualification.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "skilltrial qualification", **schema}
