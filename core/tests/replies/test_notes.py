"""The texts of notes say what the contract's models say."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from skilltrial.api import Answered, Called, Connected, Forwarded, Left, Refused, ToolsListed
from skilltrial.replies import notes

TEXT = st.text(st.characters(codec="utf-8"))
SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)
WORD = st.none() | TEXT


def assert_same(text: str, note: BaseModel) -> None:
    told = type(note).model_validate_json(text)
    assert told.model_dump_json() == note.model_dump_json()  # so that 1, 1.0 and true are three
    assert told.model_fields_set == set(type(note).model_fields)


@given(VALUE, TEXT, st.integers(1, 10**6), WORD)
def test_a_call(value: Any, tool: str, number: int, joins: str | None) -> None:
    text = notes.called(number, value, tool, value, joins)

    assert_same(text, Called(number=number, rpc_id=value, tool=tool, arguments=value, joins=joins))


@given(VALUE, st.booleans(), st.sampled_from(["rule", "fault", "forwarded"]))
def test_an_answer(value: Any, is_error: bool, because: Any) -> None:
    text = notes.answered(1, value, is_error=is_error, because=because, state={"s": value}, marks=value)

    assert_same(
        text, Answered(number=1, result=value, is_error=is_error, because=because, state={"s": value}, marks=value)
    )


@given(VALUE, VALUE, WORD)
def test_what_was_passed_on(sent: Any, got: Any, failed: str | None) -> None:
    text = notes.forwarded(3, sent, got, failed)

    assert_same(text, Forwarded(number=3, sent=sent, got=got, failed=failed))


@given(TEXT, WORD, st.sampled_from(["http", "stdio"]), st.integers(0, 100))
def test_who_came_and_what_was_no_call(era: str, client: str | None, transport: Any, count: int) -> None:
    assert_same(notes.connected(era, client, transport), Connected(era=era, client=client, transport=transport))
    assert_same(notes.tools_listed(count, "0a" * 32), ToolsListed(count=count, sha256="0a" * 32))
    assert_same(notes.refused(era), Refused(why=era))
    assert_same(notes.left(count, era), Left(number=count, what=era))
