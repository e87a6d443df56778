"""Checks on the value that an answer is: a list literal, JSON at a pointer, JSON of a schema."""

from __future__ import annotations

import warnings
from typing import ClassVar

from pydantic import JsonValue, field_validator

from skilltrial.api import CheckOptions, CheckResult, Evidence, Owner
from skilltrial.checks import strictjson
from skilltrial.checks.wording import as_json, beginning, cut

from .answer import answer_of, written_value
from .options import Pointer, asset_fault
from .reasons import Reason, failed, unverified


class ListCheck(CheckOptions):
    """The whole answer is this list, written plain, as inline code or in a fence; one word more is too much."""

    subject: ClassVar[str | None] = "list"

    list: JsonValue

    @field_validator("list")
    @classmethod
    def _is_a_list(cls, value: JsonValue) -> JsonValue:
        if not isinstance(value, list):
            raise ValueError('`list` is a list; for another value say `pointer: ""` and `equals`')
        return value

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"answer is the list {as_json(self.list)}"


class JsonValueCheck(CheckOptions):
    """The answer is JSON, and its value at a pointer is exactly this: `1`, `1.0` and `true` differ."""

    pointer: Pointer
    equals: JsonValue

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"answer has {as_json(self.equals)}{_place(self.pointer)}"


def _schema_fault(schema: JsonValue) -> str | None:
    """What is wrong with a schema. jsonschema is slow to import, and few suites have a schema."""
    from skilltrial.checks.schemas import schema_fault

    return schema_fault(schema)


with warnings.catch_warnings():
    # The key of a suite is `schema`; pydantic warns because its models have a deprecated method of that name.
    warnings.simplefilter("ignore", UserWarning)

    class JsonSchemaCheck(CheckOptions):
        """The answer is JSON that fits a JSON Schema, or its value at a JSON Pointer does.

        `schema` is the schema itself, or the path of one beside the suite. Nothing is fetched; `format` is not held.
        """

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
            return f"answer fits {name}{_place(self.pointer)}"

        def assets(self) -> tuple[str, ...]:
            """See CheckOptions."""
            return (self.schema,) if isinstance(self.schema, str) else ()


def list_holds(check: ListCheck, evidence: Evidence) -> CheckResult:
    """Answer a ListCheck."""
    answer = answer_of(evidence)
    try:
        value = written_value(answer)
    except ValueError:
        value = None
    if not isinstance(value, list):
        raise failed(Reason.NOT_A_LIST, expected=as_json(check.list), seen=beginning(answer))
    if not strictjson.same(value, check.list):
        raise failed(Reason.LIST_DIFFERS, expected=as_json(check.list), seen=as_json(value))
    return CheckResult.passed()


def value_holds(check: JsonValueCheck, evidence: Evidence) -> CheckResult:
    """Answer a JsonValueCheck."""
    value = _value_at(evidence, check.pointer)
    if not strictjson.same(value, check.equals):
        raise failed(Reason.VALUE_DIFFERS, expected=as_json(check.equals), seen=as_json(value))
    return CheckResult.passed()


def schema_holds(check: JsonSchemaCheck, evidence: Evidence) -> CheckResult:
    """Answer a JsonSchemaCheck."""
    from skilltrial.checks.schemas import (  # jsonschema is slow to import, and few suites have a schema
        SchemaUnusable,
        misfit,
    )

    value = _value_at(evidence, check.pointer)
    schema: JsonValue = check.schema
    if isinstance(schema, str):
        schema = _schema_beside(evidence, schema)
    try:
        fault = misfit(schema, value)
    except SchemaUnusable as error:
        raise unverified(Reason.SCHEMA_UNUSABLE, seen=str(error)) from error
    except TimeoutError as error:
        raise unverified(Reason.PATTERN_TOO_SLOW, Owner.GRADER) from error
    if fault:
        raise failed(Reason.SCHEMA_NOT_MET, expected="fits the schema", seen=fault)
    return CheckResult.passed()


def _value_at(evidence: Evidence, pointer: str) -> JsonValue:
    answer = answer_of(evidence)
    try:
        return strictjson.at(written_value(answer), pointer)
    except strictjson.PointerMissing:
        raise failed(Reason.POINTER_MISSING, expected=f"a value at {cut(pointer)}", seen=beginning(answer)) from None
    except ValueError as error:
        raise failed(Reason.NOT_JSON, expected="one JSON value and no other word", seen=beginning(answer)) from error


def _schema_beside(evidence: Evidence, path: str) -> JsonValue:
    if path not in evidence.assets:
        raise unverified(Reason.ASSET_MISSING, seen=cut(path))
    try:
        return strictjson.read(evidence.assets[path].decode("utf-8-sig"))
    except ValueError as error:
        raise unverified(Reason.SCHEMA_UNUSABLE, seen=f"{cut(path)} is not JSON") from error


def _place(pointer: str) -> str:
    return f" at {cut(pointer)}" if pointer else ""
