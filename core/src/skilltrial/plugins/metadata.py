"""What an installed distribution says of itself, without reading the README that its metadata ends with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_string
from importlib.metadata import Distribution


@dataclass(frozen=True, slots=True)
class Told:
    """A distribution's name and version, and the requirements as they are written."""

    name: str
    version: str
    requires: Sequence[str]


def told(one: Distribution) -> Told:
    """Read the metadata once. `importlib.metadata` reads it for each field again, with all that follows the fields."""
    text = one.read_text("METADATA")
    if not text:
        return Told(one.name, one.version, one.requires or ())
    fields = message_from_string(text.partition("\n\n")[0])
    return Told(fields["Name"], fields["Version"], fields.get_all("Requires-Dist", ()))
