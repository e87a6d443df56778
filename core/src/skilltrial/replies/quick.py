"""The everyday part of JSON Schema as plain predicates: every call is held against a schema or two.

A schema with any other keyword has none, and `jsonschema` decides alone; where there is one, a test holds that both
decide alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import JsonValue

Predicate = Callable[["JsonValue"], bool]

_SILENT = frozenset({"$schema", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""Keywords that hold nothing."""

_KINDS: Mapping[str, Predicate] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
    ),
}


def predicate(schema: JsonValue) -> Predicate | None:
    """The predicate of a sound schema; None where a keyword is none of the everyday ones."""
    if isinstance(schema, bool):
        return lambda value: schema
    if not isinstance(schema, dict):
        return None
    parts: list[Predicate] = []
    for keyword, given in schema.items():
        if keyword in _SILENT:
            continue
        made = _MAKERS[keyword](given, schema) if keyword in _MAKERS else None
        if made is None:
            return None
        parts.append(made)
    if len(parts) == 1:
        return parts[0]

    def every(value: JsonValue) -> bool:
        for part in parts:  # noqa: SIM110 - `all` of a generator costs as much as the parts
            if not part(value):
                return False
        return True

    return every


def _type(given: JsonValue, schema: Mapping[str, JsonValue]) -> Predicate | None:
    if isinstance(given, str):
        return _KINDS.get(given)
    kinds = [_KINDS[kind] for kind in given if isinstance(kind, str)] if isinstance(given, list) else []
    return lambda value: any(kind(value) for kind in kinds)


def _properties(given: JsonValue, schema: Mapping[str, JsonValue]) -> Predicate | None:
    named = {name: predicate(inner) for name, inner in given.items()} if isinstance(given, dict) else {}
    parts = [(name, part) for name, part in named.items() if part is not None]
    if len(parts) != len(named):
        return None

    def each(value: JsonValue) -> bool:
        if isinstance(value, dict):
            for name, part in parts:
                if name in value and not part(value[name]):
                    return False
        return True

    return each


def _required(given: JsonValue, schema: Mapping[str, JsonValue]) -> Predicate | None:
    names = frozenset(name for name in given if isinstance(name, str)) if isinstance(given, list) else frozenset()
    return lambda value: not isinstance(value, dict) or names <= value.keys()


def _additional(given: JsonValue, schema: Mapping[str, JsonValue]) -> Predicate | None:
    if given is True:
        return lambda value: True
    named = schema.get("properties", {})
    if given is not False or "patternProperties" in schema or not isinstance(named, dict):
        return None
    names = named.keys()
    return lambda value: not isinstance(value, dict) or value.keys() <= names


def _const(given: JsonValue, schema: Mapping[str, JsonValue]) -> Predicate | None:
    # Of numbers and of what holds numbers, equality is a matter of its own: 1 is 1.0, and true is not 1.
    if not isinstance(given, str):
        return None
    return lambda value: value == given


def _enum(given: JsonValue, schema: Mapping[str, JsonValue]) -> Predicate | None:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        return None
    words = frozenset(one for one in given if isinstance(one, str))
    return lambda value: isinstance(value, str) and value in words


def _shortest(given: JsonValue, schema: Mapping[str, JsonValue]) -> Predicate | None:
    if not isinstance(given, int):
        return None
    return lambda value: not isinstance(value, str) or len(value) >= given


def _longest(given: JsonValue, schema: Mapping[str, JsonValue]) -> Predicate | None:
    if not isinstance(given, int):
        return None
    return lambda value: not isinstance(value, str) or len(value) <= given


_MAKERS: Mapping[str, Callable[[JsonValue, Mapping[str, JsonValue]], Predicate | None]] = {
    "type": _type,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "const": _const,
    "enum": _enum,
    "minLength": _shortest,
    "maxLength": _longest,
}
