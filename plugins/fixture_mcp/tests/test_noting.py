"""The texts of the everyday notes are those of the contract's models."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from skilltrial.api import Answered, Called
from skilltrial_fixture_mcp.noting import answered, called, json_of

TEXT = st.text(st.characters(codec="utf-8"))
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)


@given(VALUE, TEXT, st.integers(1, 10**6), st.none() | TEXT)
def test_a_call_is_written_as_its_model_would_be(value: Any, tool: str, number: int, joins: str | None) -> None:
    note = Called(number=number, rpc_id=value, tool=tool, arguments=value, joins=joins)

    text = called(number, value, tool, value, joins)

    assert text == note.model_dump_json()
    assert Called.model_validate_json(text) == note


@given(VALUE, st.booleans(), st.sampled_from(["rule", "fault", "forwarded"]))
def test_an_answer_is_written_as_its_model_would_be(value: Any, is_error: bool, because: Any) -> None:
    note = Answered(number=1, result=value, is_error=is_error, because=because, state={"s": value}, marks=value)

    text = answered(1, value, is_error=is_error, because=because, state={"s": value}, marks=value)

    assert text == note.model_dump_json()


@given(VALUE)
def test_what_is_sent_is_the_value(value: Any) -> None:
    assert json.loads(json_of(value)) == value
