"""The notes of every call as the text of their records: a call is recorded many thousand times.

The same text as the models of the contract give (`Called`, `Answered`, held by a test), without validating again what
was read a moment ago.
"""

from __future__ import annotations

from pydantic import JsonValue, TypeAdapter

_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


def json_of(value: JsonValue) -> bytes:
    """A value that was read as JSON, as JSON on one line."""
    return _JSON.dump_json(value)


def called(number: int, rpc_id: JsonValue, tool: str, arguments: JsonValue, joins: str | None) -> str:
    """The text of a `Called`."""
    note: JsonValue = {
        "wire": "called",
        "number": number,
        "rpc_id": rpc_id,
        "tool": tool,
        "arguments": arguments,
        "joins": joins,
    }
    return json_of(note).decode()


def answered(
    number: int, result: JsonValue, *, is_error: bool, because: str, state: JsonValue, marks: JsonValue
) -> str:
    """The text of an `Answered`."""
    note: JsonValue = {
        "wire": "answered",
        "number": number,
        "result": result,
        "is_error": is_error,
        "because": because,
        "state": state,
        "marks": marks,
    }
    return json_of(note).decode()
