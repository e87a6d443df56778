"""What holds for every answer."""

from __future__ import annotations

import json
import re
from typing import Any

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.api import Outcome
from skilltrial.checks import strictjson
from skilltrial_grader_answers.text import holds_words

FEW = settings(max_examples=200, deadline=None)
texts = st.text(st.sampled_from("ab4 \n\r_-.éЖ\u0301\"'`[]{},"), max_size=14) | st.text(max_size=20)
answers = st.none() | texts
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=10,
)


@given(texts.filter(bool), answers, st.booleans(), st.booleans())
@settings(FEW, max_examples=500)
def test_contains_and_lacks_disagree_on_every_answer_that_was_seen(judged, answered, needle, answer, fold, whole):
    how = {"ignore_case": fold, "whole_words": whole}
    both = {judged({"answers": {key: needle, **how}}, answered(answer)).outcome for key in ("contains", "lacks")}
    assert both == ({Outcome.UNVERIFIED} if answer is None else {Outcome.PASSED, Outcome.FAILED})


@given(texts.filter(bool), answers, st.booleans())
@FEW
def test_matches_and_matches_not_disagree_on_every_answer_that_was_seen(judged, answered, needle, answer, fold):
    pattern = regex.escape(needle)
    check = [{"answers": {key: pattern, "ignore_case": fold}} for key in ("matches", "matches_not")]
    both = {judged(one, answered(answer)).outcome for one in check}
    assert both == ({Outcome.UNVERIFIED} if answer is None else {Outcome.PASSED, Outcome.FAILED})


@given(st.text("ab_4 -", min_size=1, max_size=4), st.text("ab_4 -", max_size=12))
@settings(FEW, max_examples=500)
def test_whole_words_are_what_a_pattern_with_borders_finds(wanted, text):
    before = r"(?<!\w)" if re.match(r"\w", wanted) else ""
    after = r"(?!\w)" if re.search(r"\w$", wanted) else ""
    assert holds_words(text, wanted) == bool(re.search(before + re.escape(wanted) + after, text))


@given(json_values)
@FEW
def test_a_value_is_itself_in_every_form(judged, answered, value):
    text = json.dumps(value)
    for form in (text, f"`{text}`", f"```json\n{text}\n```"):
        check = {"answers": {"pointer": "", "equals": value}}
        assert judged(check, answered(form)).outcome is Outcome.PASSED


@given(json_values, json_values)
@FEW
def test_strict_equality_is_an_equivalence_that_separates(one, two):
    assert strictjson.same(one, one)
    assert strictjson.same(one, two) == strictjson.same(two, one)
    kinds = [1, 1.0, True, "1", [1], [True], {"a": 1}, {"a": 1.0}]
    assert all(strictjson.same(left, right) == (left is right) for left in kinds for right in kinds)


@given(st.text(max_size=60) | texts)
@FEW
def test_every_answer_is_judged(judged, answered, answer):
    for check in (
        {"contains": "x", "lacks": "y", "matches": "z", "equals": "q", "starts_with": "a", "max_words": 2},
        {"list": [1]},
        {"pointer": "/a", "equals": 1},
        {"schema": {"uniqueItems": True}},
    ):
        result = judged({"answers": check}, answered(answer))
        (result.reason + result.expected + result.seen).encode()  # nothing that no file could hold
