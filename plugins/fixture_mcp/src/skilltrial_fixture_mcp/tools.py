"""The tools that are offered, with their schemas ready."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from skilltrial.replies.fitting import Schema

from .params import Repeated, repeated_of

if TYPE_CHECKING:
    from pydantic import JsonValue


class Tool(NamedTuple):
    """A tool of the catalog, with its schemas compiled."""

    name: str
    raw: Mapping[str, JsonValue]
    input: Schema
    output: Schema | None
    repeated: tuple[Repeated, ...] = ()
    """Arguments that the stateless revision repeats in headers."""

    @property
    def reads_only(self) -> bool:
        """Whether the server says that it changes nothing."""
        return reads_only(self.raw)

    @classmethod
    def of(cls, raw: Mapping[str, JsonValue]) -> Tool:
        """A tool as the catalog has it; it has no fault."""
        output = raw.get("outputSchema")
        return cls(
            name=str(raw["name"]),
            raw=raw,
            input=_sound(raw["inputSchema"]),
            output=None if output is None else _sound(output),
            repeated=repeated_of(raw["inputSchema"]),
        )


def reads_only(raw: Mapping[str, JsonValue]) -> bool:
    """Whether a tool, as it was listed, is marked as one that changes nothing."""
    hints = raw.get("annotations")
    return isinstance(hints, dict) and hints.get("readOnlyHint") is True


class Catalog(NamedTuple):
    """The tools that are offered, in the order of the file; how the server under study called itself."""

    server: str
    version: str
    tools: Mapping[str, Tool]


def _sound(schema: JsonValue) -> Schema:
    return Schema(schema if isinstance(schema, dict) else bool(schema))
