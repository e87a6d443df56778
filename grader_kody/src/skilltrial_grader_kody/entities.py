"""Names of saved entries, and whether an import or argument names the same one.

`package:{id}`, `package:@scope/name#{subpath}`; imports are `kody:@scope/name/{subpath}`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENTITY = re.compile(
    r"(?:(?P<type>[A-Za-z][A-Za-z0-9_-]*):)?(?P<name>@[^/@#\s]+/[^/#\s]+|[^/#\s]+)(?:[/#](?P<path>[^\s]*))?"
)


@dataclass(frozen=True, slots=True)
class Entity:
    """A saved entry: its type where one is written, its id or `@scope/name`, and a part of it."""

    type: str
    name: str
    path: str

    @property
    def scoped(self) -> bool:
        """Whether it is named by scope and name, and not by an id that only the inventory can resolve."""
        return self.name.startswith("@")


def entity(text: str) -> Entity | None:
    """Read a name; None where the text is none."""
    match = _ENTITY.fullmatch(text)
    if match is None:
        return None
    return Entity(match["type"] or "", match["name"], (match["path"] or "").removeprefix("./").strip("/"))


def same_entity(target: str, written: str, export: str | None = None) -> bool | None:
    """Whether `written` (an import's specifier, an argument) names `target`; None where only the inventory knows."""
    if not written:
        return None
    if written == target:
        return True
    one, other = entity(target), entity(written)
    if one is None or other is None:
        return False
    if one.name == other.name:
        return not one.path or one.path in (other.path, export) or (not other.path and export is None)
    if one.scoped == other.scoped:
        return False
    return None
