"""JSON Schema, offline and in bounded time: nothing is fetched, and patterns have a time limit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from pydantic import JsonValue
from referencing import Registry
from referencing.exceptions import Unresolvable

from .patterns import finds, pattern_fault
from .wording import as_json

_DATA = ("const", "enum", "default", "examples")
"""Keywords whose values are data: a `$ref` in there refers to nothing."""


class SchemaUnusable(Exception):
    """The schema can't decide; the message says why."""


def schema_fault(schema: JsonValue) -> str | None:
    """What is wrong with a schema, in words that do not repeat it; None where nothing is."""
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return "a JSON Schema is an object, `true` or `false`"
    try:
        return _fault_of(json.dumps(schema))
    except RecursionError:
        return "not a JSON Schema that can be used: nested too deeply"


@lru_cache(maxsize=1024)
def _fault_of(text: str) -> str | None:
    """The fault of a schema that is an object. The same few schemas are asked about for every trial."""
    schema: dict[str, JsonValue] = json.loads(text)
    checker = _dialect(schema)
    if checker is None:
        return "the schema's `$schema` names no known draft of JSON Schema"
    try:
        checker.check_schema(schema)
        patterns = [fault for part in _parts(schema) for fault in _pattern_faults(part)]
        outside = _refers_outside(schema)
    except SchemaError as error:
        return f"not a JSON Schema: wrong at {error.json_path}"
    except RecursionError:
        return "not a JSON Schema that can be used: nested too deeply"
    if outside:
        return "the schema refers to a document outside itself, and nothing is ever fetched"
    return patterns[0] if patterns else None


def misfit(schema: JsonValue, value: JsonValue) -> str | None:
    """Where `value` does not fit, in words for people; None where it fits.

    Raises SchemaUnusable where the schema is none, refers to what is not there, or is too deep for the value;
    TimeoutError where a pattern takes too long.
    """
    if fault := schema_fault(schema):
        raise SchemaUnusable(fault)
    if not isinstance(schema, dict):
        return None if schema else "nothing may stand here"
    try:
        error = next(_validator(json.dumps(schema)).iter_errors(value), None)
    except Unresolvable as error_:
        raise SchemaUnusable("a reference of the schema leads nowhere") from error_
    except RecursionError as error_:
        raise SchemaUnusable("the schema or the value is nested too deeply") from error_
    except (ArithmeticError, ValueError) as error_:
        raise SchemaUnusable(f"the schema can't be applied: {type(error_).__name__}") from error_
    if error is None:
        return None
    if error.validator is None:
        return f"at {error.json_path}: nothing may stand here"
    return f"at {error.json_path}: {error.validator} {as_json(error.validator_value)} does not hold"


@lru_cache(maxsize=1024)
def _validator(text: str) -> Any:
    """What tells whether a value fits a schema that was found to be one."""
    schema: dict[str, JsonValue] = json.loads(text)
    checker = extend(  # type: ignore[no-untyped-call]
        _dialect(schema),
        {
            "pattern": _pattern,
            "patternProperties": _pattern_properties,
            "additionalProperties": _additional_properties,
        },
    )
    # A registry of our own, or the package would fetch remote references.
    return checker(schema, registry=Registry())


def _dialect(schema: dict[str, JsonValue]) -> type[Validator] | None:
    if "$schema" not in schema:
        return Draft202012Validator
    if not isinstance(schema["$schema"], str):
        return None
    return validator_for(schema, default=None)  # type: ignore[arg-type]


def _parts(schema: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Every object of a schema that is not plain data."""
    parts = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            yield part
            parts.extend(value for key, value in part.items() if key not in _DATA)
        elif isinstance(part, list):
            parts.extend(part)


def _refers_outside(schema: JsonValue) -> bool:
    """Whether a schema without ids of its own (the validator alone knows what those lead to) refers to another."""
    if any(isinstance(part.get(key), str) for part in _parts(schema) for key in ("$id", "id")):
        return False
    references = (part.get(key) for part in _parts(schema) for key in ("$ref", "$dynamicRef"))
    return any(isinstance(reference, str) and not reference.startswith("#") for reference in references)


def _pattern_faults(part: dict[str, JsonValue]) -> Iterator[str]:
    named = part.get("patternProperties")
    for pattern in (part.get("pattern"), *(named if isinstance(named, dict) else ())):
        if isinstance(pattern, str) and (fault := pattern_fault(pattern)):
            yield f"a pattern of the schema: {fault}"


def _pattern(validator: Any, pattern: str, value: object, schema: object) -> Iterator[ValidationError]:
    if isinstance(value, str) and not finds(pattern, value):
        yield ValidationError("no match")


def _pattern_properties(
    validator: Any, patterns: Mapping[str, JsonValue], value: object, schema: object
) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for pattern, wanted in patterns.items():
            for name in value:
                if finds(pattern, name):
                    yield from validator.descend(value[name], wanted, path=name, schema_path=pattern)


def _additional_properties(
    validator: Any, wanted: JsonValue, value: object, schema: Mapping[str, Mapping[str, JsonValue]]
) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        patterns = schema.get("patternProperties", {})
        for name in value:
            if name in schema.get("properties", {}) or any(finds(pattern, name) for pattern in patterns):
                continue
            if wanted is False:
                yield ValidationError("no further property", path=(name,))
            else:
                yield from validator.descend(value[name], wanted, path=name)
