"""Checks on a JSON file: the value at a pointer, whether there is one, and its JSON Schema."""

from __future__ import annotations

import warnings
from typing import Annotated, ClassVar

from pydantic import AfterValidator, JsonValue, field_validator

from skilltrial.api import CheckOptions, CheckResult, Evidence, Owner
from skilltrial.checks import strictjson
from skilltrial.checks.wording import as_json, cut

from .content import asset_json, json_at, pointed_at
from .options import FilePath, asset_fault
from .reasons import Reason, failed, unverified


def _pointer(pointer: str) -> str:
    if fault := strictjson.pointer_fault(pointer):
        raise ValueError(fault)
    return pointer


Pointer = Annotated[str, AfterValidator(_pointer)]
"""A JSON Pointer; the empty one is the whole document."""


class JsonValueCheck(CheckOptions):
    """The value at a JSON Pointer is exactly this: `1`, `1.0` and `true` differ, and what is missing is not null."""

    subject: ClassVar[str | None] = "path"

    path: FilePath
    pointer: Pointer
    equals: JsonValue

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"{cut(self.path)} has {as_json(self.equals)}{_place(self.pointer)}"

    def paths(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return (self.path,)


class JsonPresentCheck(CheckOptions):
    """Whether a JSON file has anything, null included, at a JSON Pointer."""

    subject: ClassVar[str | None] = "path"

    path: FilePath
    pointer: Pointer
    present: bool

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"{cut(self.path)} has {'a value' if self.present else 'nothing'}{_place(self.pointer)}"

    def paths(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return (self.path,)


def _schema_fault(schema: JsonValue) -> str | None:
    """What is wrong with a schema. jsonschema is slow to import, and few suites have a schema."""
    from skilltrial.checks.schemas import schema_fault

    return schema_fault(schema)


with warnings.catch_warnings():
    # The key of a suite is `schema`; pydantic warns because its models have a deprecated method of that name.
    warnings.simplefilter("ignore", UserWarning)

    class JsonSchemaCheck(CheckOptions):
        """A JSON file (or the value at a JSON Pointer of it) fits a JSON Schema.

        `schema` is the schema itself, or the path of one beside the suite. Nothing is fetched; `format` is not held.
        """

        subject: ClassVar[str | None] = "path"

        path: FilePath
        schema: JsonValue  # type: ignore[assignment]
        pointer: Pointer = ""

        @field_validator("schema")
        @classmethod
        def _is_a_schema(cls, schema: JsonValue) -> JsonValue:
            fault = asset_fault(schema) if isinstance(schema, str) else _schema_fault(schema)
            if fault:
                raise ValueError(fault)
            return schema

        def sentence(self) -> str:
            """See CheckOptions."""
            name = cut(self.schema) if isinstance(self.schema, str) else "its schema"
            return f"{cut(self.path)} fits {name}{_place(self.pointer)}"

        def paths(self) -> tuple[str, ...]:
            """See CheckOptions."""
            return (self.path,)

        def assets(self) -> tuple[str, ...]:
            """See CheckOptions."""
            return (self.schema,) if isinstance(self.schema, str) else ()


def value_holds(check: JsonValueCheck, evidence: Evidence) -> CheckResult:
    """Answer a JsonValueCheck."""
    value = pointed_at(evidence.files, check.path, check.pointer)
    if strictjson.same(value, check.equals):
        return CheckResult.passed()
    raise failed(Reason.VALUE_DIFFERS, expected=as_json(check.equals), seen=as_json(value))


def presence_holds(check: JsonPresentCheck, evidence: Evidence) -> CheckResult:
    """Answer a JsonPresentCheck."""
    try:
        value = json_at(evidence.files, check.path, check.pointer)
    except strictjson.PointerMissing:
        return CheckResult.of(not check.present, Reason.POINTER_MISSING.value, expected=f"a value at {check.pointer}")
    return CheckResult.of(
        check.present, Reason.POINTER_PRESENT.value, expected=f"nothing at {check.pointer}", seen=as_json(value)
    )


def schema_holds(check: JsonSchemaCheck, evidence: Evidence) -> CheckResult:
    """Answer a JsonSchemaCheck."""
    from skilltrial.checks.schemas import (  # jsonschema is slow to import, and few suites have a schema
        SchemaUnusable,
        misfit,
    )

    schema: JsonValue = check.schema
    if isinstance(schema, str):
        schema = asset_json(evidence, schema)
    value = pointed_at(evidence.files, check.path, check.pointer)
    try:
        fault = misfit(schema, value)
    except SchemaUnusable as error:
        raise unverified(Reason.SCHEMA_UNUSABLE, seen=str(error)) from error
    except TimeoutError as error:
        raise unverified(Reason.PATTERN_TOO_SLOW, Owner.GRADER) from error
    if fault is None:
        return CheckResult.passed()
    raise failed(Reason.SCHEMA_NOT_MET, expected="fits the schema", seen=fault)


def _place(pointer: str) -> str:
    return f" at {cut(pointer)}" if pointer else ""
