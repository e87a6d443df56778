"""Arguments that the stateless revision repeats in headers (`Mcp-Param-*`), so that routers need not read bodies.

A tool's input schema says which: a property, reached from the root through `properties` only, of the type string,
integer or boolean, with the keyword `x-mcp-header`. Where any such keyword of a schema stands wrongly, none counts:
clients then leave the whole tool out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pydantic import JsonValue

KEYWORD = "x-mcp-header"
PREFIX = "mcp-param-"
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_DECIMAL = re.compile(r"(-?[0-9]+)(?:\.0+)?")
_ONE = frozenset(
    {
        "items",
        "contains",
        "unevaluatedItems",
        "additionalProperties",
        "propertyNames",
        "unevaluatedProperties",
        "not",
        "if",
        "then",
        "else",
        "contentSchema",
    }
)
"""Keywords of JSON Schema whose value is a schema."""
_SEVERAL = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""
_NAMED = frozenset({"patternProperties", "dependentSchemas", "$defs", "definitions"})
"""Keywords whose value has schemas by name; `properties` alone leads to arguments."""


class Repeated(NamedTuple):
    """An argument that is repeated: where it stands, and in which header, in lower case."""

    path: tuple[str, ...]
    header: str
    whole: bool
    """Whether it is an integer: `42` and `42.0` are then the same."""

    def says(self, arguments: JsonValue) -> str | None:
        """What the header must say; None where the argument is absent, null, or of a kind that has no header."""
        value = arguments
        for step in self.path:
            value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, bool):
            return "true" if value else "false"
        if self.whole and isinstance(value, float) and value.is_integer():
            return str(int(value))
        return str(value) if isinstance(value, str | int | float) else None

    def agrees(self, said: str, wanted: str) -> bool:
        """Whether a header's text is the wanted one."""
        number = _DECIMAL.fullmatch(said) if self.whole else None
        return said == wanted or (number is not None and number[1].lstrip("0") == wanted.lstrip("0") != "")


def repeated_of(schema: JsonValue) -> tuple[Repeated, ...]:
    """The arguments that an input schema wants repeated; none where one of its annotations is wrong."""
    found: dict[str, Repeated] = {}
    for path, part in _parts(schema):
        if KEYWORD not in part:
            continue
        token, kind = part[KEYWORD], part.get("type")
        if not path or not isinstance(token, str) or not _TOKEN.fullmatch(token):
            return ()
        header = PREFIX + token.lower()
        if kind not in ("string", "integer", "boolean") or header in found:
            return ()
        found[header] = Repeated(path, header, whole=kind == "integer")
    return tuple(found.values())


def _parts(schema: JsonValue) -> Iterator[tuple[tuple[str, ...] | None, dict[str, JsonValue]]]:
    """Each schema in a schema, with the names that lead to it where only `properties` do."""
    left: list[tuple[tuple[str, ...] | None, JsonValue]] = [((), schema)]
    while left:
        path, part = left.pop()
        if not isinstance(part, dict):
            continue
        yield path, part
        for key, value in part.items():
            if key == "properties" and isinstance(value, dict):
                left.extend((None if path is None else (*path, name), one) for name, one in value.items())
            else:
                left.extend((None, one) for one in _inner(key, value))


def _inner(key: str, value: JsonValue) -> Iterator[JsonValue]:
    """The schemas below a keyword."""
    if key in _ONE:
        yield value
    elif key in _SEVERAL and isinstance(value, list):
        yield from value
    elif key in _NAMED and isinstance(value, dict):
        yield from value.values()


def misrepeated(wanted: tuple[Repeated, ...], arguments: JsonValue, headers: Mapping[str, str | None]) -> str | None:
    """The first header that does not say what the body says; None where all do. Headers are decoded.

    A header without its argument is wrong too: a router would act on what the body does not have.
    """
    for one in wanted:
        says = one.says(arguments)
        if one.header not in headers:
            if says is not None:
                return one.header
            continue
        said = headers[one.header]
        if said is None or says is None or not one.agrees(said, says):
            return one.header
    return None
