"""What is out to hurt: patterns and globs without end, schemas that reach out, files beyond measure."""

from __future__ import annotations

import json
import socket
import time

import pytest

from skilltrial.api import Outcome
from skilltrial_grader_files.diffs import edits
from skilltrial_grader_files.globs import Glob


@pytest.fixture
def quickly():
    start = time.process_time()
    yield
    assert time.process_time() - start < 5


SLOW = r"(x+x+)+y"
MANY_X = "x" * 3_000


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("predicate", ["matches", "matches_not"])
def test_a_pattern_without_end_is_unverified_and_the_graders_fault(answer, happened, predicate):
    result = answer({"files": "a", predicate: SLOW}, happened({"a": MANY_X}))
    assert (result.outcome, result.reason, result.owner) == (Outcome.UNVERIFIED, "pattern_too_slow", "grader")


@pytest.mark.usefixtures("quickly")
def test_what_is_plainly_wrong_outweighs_a_slow_pattern(answer, happened):
    result = answer({"files": "a", "matches": [SLOW, "z"]}, happened({"a": MANY_X}))
    assert result.reason == "pattern_missing"


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": SLOW},
        {"patternProperties": {SLOW: True}},
        {"patternProperties": {SLOW: True}, "additionalProperties": False},
    ],
)
def test_a_slow_pattern_in_a_schema_ends_too(answer, happened, schema):
    document = json.dumps(MANY_X if "pattern" in schema else {MANY_X: 1})
    result = answer({"files": "a", "schema": schema}, happened({"a": document}))
    assert (result.outcome, result.reason) == (Outcome.UNVERIFIED, "pattern_too_slow")


SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string", "pattern": "^[a-z]+$"}, "n": {"$ref": "#/$defs/count"}},
    "patternProperties": {"^x-": {"type": "boolean"}},
    "additionalProperties": False,
    "$defs": {"count": {"type": "integer", "minimum": 1}},
}


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"name": "a", "n": 1, "x-y": True}, None),
        ({"name": "A"}, "$.name: pattern"),
        ({}, "$: required"),
        ({"name": "a", "n": 0}, "$.n: minimum"),
        ({"name": "a", "x-y": 1}, "$['x-y']: type"),
        ({"name": "a", "other": 1}, "$.other: additionalProperties false does not hold"),
        ([], "$: type"),
    ],
)
def test_a_schema_is_held(answer, happened, document, place, beside):
    check = {"files": "a", "schema": "s.json" if beside else SCHEMA}
    result = answer(check, happened({"a": json.dumps(document)}, assets={"s.json": json.dumps(SCHEMA).encode()}))
    assert result.reason == ("schema_not_met" if place else "holds")
    assert (place or "") in result.seen


@pytest.mark.parametrize(
    "draft", ["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#"]
)
def test_older_drafts_are_known_and_their_own_schema_is_at_hand(answer, happened, draft):
    schema = {"$schema": draft, "properties": {"x": {"type": "string"}}, "additionalProperties": False}
    assert answer({"files": "a", "schema": schema}, happened({"a": '{"x": "s"}'})).outcome is Outcome.PASSED
    assert answer({"files": "a", "schema": schema}, happened({"a": '{"y": "s"}'})).outcome is Outcome.FAILED


def test_a_schema_for_the_value_at_a_pointer(answer, happened):
    check = {"files": "a", "pointer": "/x", "schema": {"type": "array", "minItems": 1}}
    assert answer(check, happened({"a": '{"x": [1]}'})).outcome is Outcome.PASSED
    assert answer(check, happened({"a": '{"x": []}'})).reason == "schema_not_met"
    assert answer(check, happened({"a": "[]"})).reason == "pointer_missing"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$id": "http://127.0.0.1:9/a.json", "$ref": "b.json"},
        {"allOf": [{"$ref": "file:///etc/hostname"}]},
        {"$ref": "#/nowhere"},
        {"type": 7},
        [],
        None,
    ],
)
def test_a_schema_that_leads_nowhere_is_the_operators_and_nothing_is_fetched(answer, happened, schema, monkeypatch):
    def dial(*_):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", dial)
    assets = {} if schema is None else {"s.json": json.dumps(schema).encode()}
    result = answer({"files": "a", "schema": "s.json"}, happened({"a": "{}"}, assets=assets))
    assert (result.outcome, result.owner) == (Outcome.UNVERIFIED, "operator")
    assert result.reason == ("asset_missing" if schema is None else "schema_unusable")


def test_a_schema_file_that_is_no_json_is_the_operators(answer, happened):
    for data in (b"{", b"\xff", b"NaN"):
        result = answer({"files": "a", "schema": "s.json"}, happened({"a": "{}"}, assets={"s.json": data}))
        assert (result.outcome, result.reason) == (Outcome.UNVERIFIED, "schema_unusable")


def test_a_schema_without_end_on_a_deep_document_is_unverified(answer, happened):
    schema = {"items": {"$ref": "#"}}
    result = answer({"files": "a", "schema": schema}, happened({"a": "[" * 600 + "]" * 600}))
    assert (result.outcome, result.reason) == (Outcome.UNVERIFIED, "schema_unusable")


def test_a_golden_file_comes_from_beside_the_suite(answer, happened):
    check = {"files": "a", "equals_file": "g/a"}
    assert answer(check, happened({"a": b"x\r\n\xff"}, assets={"g/a": b"x\r\n\xff"})).outcome is Outcome.PASSED
    assert answer(check, happened({"a": "one\ntwo\n"}, assets={"g/a": b"one\nthree\n"})).seen.splitlines()[-2:] == [
        "-three",
        "+two",
    ]
    result = answer(check, happened({"a": "x"}))
    assert (result.outcome, result.reason, result.owner) == (Outcome.UNVERIFIED, "asset_missing", "operator")


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize("glob", ["*a" * 100 + "b", "**/" * 200 + "x", "**/a/" * 100 + "x", "[!a-z]*" * 100])
def test_a_glob_takes_no_longer_for_being_clever(glob):
    assert not Glob(glob).matches("a" * 250)
    assert not Glob(glob).matches("/".join("a" * 300))


@pytest.mark.parametrize(
    ("glob", "hits", "misses"),
    [
        ("**", "a a/b a/b/.c", ""),
        ("**/a", "a x/a x/y/a", "a/b xa"),
        ("a/**", "a/b a/b/c", "ab b/a"),
        ("a/**/b", "a/b a/x/b a/x/y/b", "ab a/bb b a/x/bc"),
        ("a/**/**/b", "a/b a/x/b", "a b"),
        ("*.[ch]", "a.c .h", "a.cc x/a.c"),
        ("a?c", "abc", "ac a/c abbc"),
        ("[[]x]", "[x]", "x"),
        ("README.md", "README.md", "readme.md README.md/x"),
    ],
)
def test_what_a_glob_means(glob, hits, misses):
    assert all(Glob(glob).matches(path) for path in hits.split())
    assert not any(Glob(glob).matches(path) for path in misses.split())


@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("".join(f"{n}\n" for n in range(30_000)), "".join(f"{n}!\n" for n in range(30_000))),
        ("a\nb\n" * 20_000, "b\na\n" * 20_000),
        ("".join(f"{n}\n" for n in range(5_000)), "".join(f"{n}\n" for n in reversed(range(5_000)))),
    ],
)
def test_the_size_of_a_huge_change_is_found_in_time(answer, happened, before, after):
    check = {"files": {"diff_lines": {"max": 500}}}
    result = answer(check, happened({"a": after}, {"a": before}))
    assert result.reason == ("holds" if before.startswith("a") else "too_many_lines")


def test_edits_are_the_fewest():
    before, after = (list(map(str.encode, word)) for word in ("ABCABBA", "CBABAC"))
    assert edits(before, after, 100) == 5
    assert edits(before, after, 3) == 3
    assert edits(before, before, 9) == 0
    assert edits([], before, 9) == 7
    assert edits(before, before, 0) == 0
