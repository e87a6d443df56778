"""JSON Schema, checked and compiled once, and offline: nothing is ever fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from pydantic import JsonValue
from referencing import Registry, Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from .fitting import Schema

_DATA = ("const", "enum", "default", "examples")
"""Keywords whose values are data: a `$ref` in there refers to nothing."""


class SchemaFault(ValueError):
    """A schema that can't be used; the message says why, without repeating it."""


def compile_schema(schema: JsonValue) -> Schema:
    """Check a schema once and for all. Raises SchemaFault."""
    if not isinstance(schema, dict | bool):
        raise SchemaFault("a JSON Schema is a mapping, `true` or `false`")
    draft = _draft(schema)
    try:
        draft.check_schema(schema)  # type: ignore[arg-type]
        _check_parts(schema)
    except SchemaError as error:
        raise SchemaFault(f"not a JSON Schema: wrong at {error.json_path}") from None
    except RecursionError:
        raise SchemaFault("not a JSON Schema that can be used: nested too deeply") from None
    return Schema(schema)


def _draft(schema: Mapping[str, JsonValue] | bool) -> type[Validator]:
    if isinstance(schema, bool) or "$schema" not in schema:
        return Draft202012Validator
    named = schema["$schema"]
    found = validator_for(schema, default=None) if isinstance(named, str) else None  # type: ignore[arg-type]
    if found is None:
        raise SchemaFault("`$schema` names no known draft of JSON Schema")
    return found


def _check_parts(schema: JsonValue) -> None:
    resolver = None
    for part in _parts(schema):
        if isinstance(part.get("$id"), str) and part is not schema:
            raise SchemaFault("an `$id` inside a schema can't be used here: leave it out")
        for pattern in _patterns(part):
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError):
                raise SchemaFault("a pattern of the schema is no regular expression") from None
        for reference in (part.get("$ref"), part.get("$dynamicRef")):
            if not isinstance(reference, str):
                continue
            if resolver is None:
                root = Resource.from_contents(schema, default_specification=DRAFT202012)
                resolver = Registry().resolver_with_root(root)
            try:
                resolver.lookup(reference)
            except Unresolvable:
                raise SchemaFault("a reference of the schema leads nowhere; nothing is ever fetched") from None


def _patterns(part: Mapping[str, JsonValue]) -> Iterator[str]:
    named = part.get("patternProperties")
    for pattern in (part.get("pattern"), *(named if isinstance(named, dict) else ())):
        if isinstance(pattern, str):
            yield pattern


def _parts(schema: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Every object of a schema that is not plain data."""
    parts: list[JsonValue] = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            yield part
            parts.extend(value for key, value in part.items() if key not in _DATA)
        elif isinstance(part, list):
            parts.extend(part)
