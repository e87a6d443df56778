"""Checks as they are written: how each reads, and what is refused."""

from __future__ import annotations

import re

import pytest
from pydantic import ValidationError

from skilltrial_grader_answers.reasons import Reason


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ({"answers": "STATUS: SAVED"}, "answer contains STATUS: SAVED"),
        ({"answers": {"starts_with": "STATUS: FAILED"}}, "answer starts with STATUS: FAILED"),
        (
            {"answers": {"starts_with": "a", "contains": ["b", "c"], "lacks": "d"}},
            "answer starts with a and contains b and c and lacks d",
        ),
        ({"answers": {"equals": ""}}, "answer is exactly empty"),
        ({"answers": {"matches": "x+", "max_words": 5}}, "answer matches x+ and has at most 5 words"),
        ({"answers": "long text\n" * 20}, "answer contains " + ("long text " * 20)[:59] + "…"),
        ({"answers": {"list": [1, 2]}}, "answer is the list [1, 2]"),
        ({"answers": {"pointer": "/a", "equals": None}}, "answer has null at /a"),
        ({"answers": {"pointer": "", "equals": 3}}, "answer has 3"),
        ({"answers": {"schema": "s.json", "pointer": "/a"}}, "answer fits s.json at /a"),
    ],
)
def test_a_check_reads_as_a_sentence(read, written, sentence):
    check = read(written)
    assert check.sentence() == sentence
    assert check.paths() == ()


def test_a_schema_beside_the_suite_is_named(read):
    assert read({"answers": {"schema": "s.json"}}).assets() == ("s.json",)
    assert read({"answers": {"schema": {}}}).assets() == ()


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"answers": {}}, "say what is asked of the answer"),
        ({"answers": {"ignore_case": True}}, "say what is asked of the answer"),
        ({"answers": {"starts_with": " x"}}, "`starts_with` can't hold"),
        ({"answers": {"ends_with": "x\n"}}, "`ends_with` can't hold"),
        ({"answers": {"matches": "(CANARY"}}, "not a regular expression: missing )"),
        ({"answers": {"matches_not": ["(?:a{999}){999}"]}}, "counts in braces"),
        ({"answers": {"list": "CANARY"}}, "`list` is a list"),
        ({"answers": {"pointer": "CANARY", "equals": 1}}, "JSON Pointer"),
        ({"answers": {"schema": {"type": "CANARY"}}}, "not a JSON Schema: wrong at $.type"),
        ({"answers": {"schema": {"$ref": "http://example.invalid/CANARY"}}}, "nothing is ever fetched"),
        ({"answers": {"schema": "../CANARY"}}, "plain relative path"),
    ],
)
def test_a_wrong_option_is_refused_in_plain_words(read, written, words):
    with pytest.raises(ValidationError) as refused:
        read(written)
    messages = " ".join(fault["msg"] for fault in refused.value.errors(include_input=False))
    assert words in messages
    assert "CANARY" not in messages


@pytest.mark.parametrize("key", ["contains", "lacks", "starts_with", "ends_with", "matches", "matches_not"])
def test_an_empty_text_would_hold_everywhere_and_is_refused(read, key):
    with pytest.raises(ValidationError):
        read({"answers": {key: ""}})


def test_every_reason_is_in_the_readme(request):
    readme = (request.path.parent.parent / "README.md").read_text()
    explained = set(re.findall(r"^\| `([a-z0-9_]+)` \|", readme, re.M))
    assert {reason.value for reason in Reason} <= explained
