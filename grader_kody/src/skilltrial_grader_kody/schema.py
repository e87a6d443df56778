"""The JSON Schemas of transcripts, made from the models; those that are shipped lie in `schemas/`."""

from __future__ import annotations

import json
from typing import Any

from .transcript import TRANSCRIPTS
from .words import Profile

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILES = {Profile.STRICT: "schemas/transcript.schema.json", Profile.ORIGINAL: "schemas/transcript-original.schema.json"}
"""Where each is shipped, in this package."""


def schema(profile: Profile) -> dict[str, Any]:
    """The JSON Schema of transcripts as a profile reads them."""
    made = _tidy(TRANSCRIPTS[profile].model_json_schema())
    return {"$schema": DIALECT, **made}


def render(profile: Profile) -> str:
    """The schema as the text of its file."""
    return json.dumps(schema(profile), indent=2) + "\n"


def _tidy(value: Any) -> Any:
    """Without titles, which only repeat names, and `discriminator`, which is no word of JSON Schema."""
    if isinstance(value, list):
        return [_tidy(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {name: _tidy(one) for name, one in inner.items()} if key in ("properties", "$defs") else _tidy(inner)
        for key, inner in value.items()
        if key not in ("title", "discriminator")
    }
