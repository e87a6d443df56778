"""Schemas of everyday keywords: the quick predicates decide as `jsonschema` does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from skilltrial.replies.quick import predicate

NAMES = st.sampled_from(["a", "b", "c"])
SCALAR = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, 1.0, -0.0, 1.5, 1e300])
    | st.sampled_from(["", "a", "ab", "abc", "é", "👍🏽"])
)
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
KIND = st.sampled_from(["object", "array", "string", "boolean", "null", "number", "integer"])


def schemas(inner: Any) -> Any:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": KIND | st.lists(KIND, min_size=1, max_size=3, unique=True),
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "required": st.lists(NAMES, max_size=3, unique=True),
            "additionalProperties": st.booleans(),
            "const": st.sampled_from(["a", "ab"]),
            "enum": st.lists(st.sampled_from(["a", "b", ""]), min_size=1, unique=True),
            "minLength": st.integers(0, 3),
            "maxLength": st.integers(0, 3),
            "title": st.just("t"),
            "default": SCALAR,
        },
    )


@given(schema=st.recursive(st.booleans(), schemas, max_leaves=6), value=VALUE)
def test_both_decide_alike(schema: Any, value: Any) -> None:
    quick = predicate(schema)

    assert quick is not None
    assert quick(value) is Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "a"},
        {"$ref": "#/x"},
        {"const": 1},
        {"const": {"a": 1}},
        {"enum": ["a", 1]},
        {"minimum": 1},
        {"additionalProperties": {"type": "string"}},
        {"additionalProperties": False, "patternProperties": {"a": True}},
        {"properties": {"a": {"format": "date"}}},
        {"minLength": 1.0},
        {"anyOf": [{}]},
        {"unknown": 1},
    ],
)
def test_any_other_keyword_is_left_to_the_library(schema: Any) -> None:
    assert predicate(schema) is None
