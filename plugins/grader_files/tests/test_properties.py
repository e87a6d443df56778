"""What holds for every file, value and text."""

from __future__ import annotations

import difflib
import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.api import Entry, FileKind, Outcome
from skilltrial.checks import strictjson
from skilltrial_grader_files.diffs import edits

FEW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
twins = st.sampled_from([0, 0.0, False, "0", 1, 1.0, True, "1", None, [], {}, [1], [1.0], [True], {"a": 1}, {"a": 1.0}])
texts = st.text(st.sampled_from("ab \n\r\t.éЖ\ufeff"), max_size=12)
contents = st.binary(max_size=40) | texts.map(str.encode) | json_values.map(lambda value: json.dumps(value).encode())


@given(json_values | twins, json_values | twins, json_values | twins)
@FEW
def test_strict_equality_is_an_equivalence(one, two, three):
    assert strictjson.same(one, one)
    assert strictjson.same(one, two) == strictjson.same(two, one)
    if strictjson.same(one, two) and strictjson.same(two, three):
        assert strictjson.same(one, three)


@given(twins, twins)
@FEW
def test_strict_equality_separates_what_is_written_differently(one, two):
    assert strictjson.same(one, two) == (json.dumps(one) == json.dumps(two))


@given(json_values)
@FEW
def test_what_was_written_is_read_as_the_same(value):
    assert strictjson.same(strictjson.read(json.dumps(value)), value)


STATES = [
    {},
    {"complete": False},
    {"contents": {}},
    {"redacted": frozenset({"a"})},
]
trees: st.SearchStrategy[dict[str, Any]] = st.one_of(
    contents.map(lambda data: {"a": data}),
    st.just({}),
    st.builds(
        lambda kind, executable: {"a": Entry(path="a", kind=kind, executable=executable, target="t")},
        st.sampled_from(FileKind),
        st.booleans(),
    ),
)

OPPOSITES = [
    ({"files": "a", "contains": "{}"}, {"files": "a", "lacks": "{}"}),
    ({"files": "a", "contains": "{}", "ignore_case": True}, {"files": "a", "lacks": "{}", "ignore_case": True}),
    ({"files": "a", "matches": "{}"}, {"files": "a", "matches_not": "{}"}),
    ({"files": "a", "pointer": "/a", "present": True}, {"files": "a", "pointer": "/a", "present": False}),
    ({"files": "a", "executable": True}, {"files": "a", "executable": False}),
    ({"files": "a", "exists": True}, {"files": "a", "exists": False}),
    ({"files": "a", "exists": True, "kind": "any"}, {"files": "a", "exists": False}),
    ({"files": "a", "unchanged": True}, {"files": "a", "unchanged": False}),
    ({"files": {"nothing_changed": True}}, {"files": {"nothing_changed": False}}),
]
NO_SUCH_FILE = {"file_missing", "not_a_file", "not_utf8", "not_json", "still_there"}
"""A question about a file is answered with no, and so is its opposite, where there is no such file."""


@given(st.sampled_from(OPPOSITES), st.tuples(trees, trees), st.sampled_from(STATES), texts.filter(bool))
@settings(FEW, max_examples=500)
def test_a_check_and_its_opposite_disagree_on_what_is_decided(answer, happened, opposites, sides, state, needle):
    filled = [
        {key: value.format(needle) if isinstance(value, str) else value for key, value in check.items()}
        for check in opposites
    ]
    filled = [
        {key: value.replace(".", r"\.") if key.startswith("matches") else value for key, value in check.items()}
        for check in filled
    ]
    evidence = happened(*sides, **state)
    one, other = (answer(check, evidence) for check in filled)
    assert (one.outcome is Outcome.UNVERIFIED) == (other.outcome is Outcome.UNVERIFIED)
    if one.outcome is not Outcome.UNVERIFIED:
        assert {one.outcome, other.outcome} == {Outcome.PASSED, Outcome.FAILED} or (
            one.outcome is other.outcome is Outcome.FAILED and {one.reason, other.reason} <= NO_SUCH_FILE
        )


EVERY_KIND = [
    {"files": "a", "contains": "x", "lacks": "y", "matches": "[a-z]", "matches_not": r"\d{3}"},
    {"files": "a", "equals": "x", "any_newlines": True},
    {"files": "a", "equals_file": "x"},
    {"files": "a", "pointer": "/a/0", "equals": None},
    {"files": "a", "pointer": "/a", "present": True},
    {"files": "a", "schema": {"additionalProperties": {"multipleOf": 0.1}, "uniqueItems": True, "maxLength": 3}},
    {"files": "a", "schema": {"items": {"$ref": "#"}, "multipleOf": 3, "unevaluatedProperties": False}},
    {"files": "a", "exists": True},
    {"files": "a", "executable": True},
    {"files": "a", "unchanged": True},
    {"files": {"changed_within": ["a/"]}},
    {"files": {"nothing_changed": True}},
    {"files": "[a]*", "count": 1},
    {"files": {"diff_lines": {"min": 1, "max": 5}}},
]


@given(st.sampled_from(EVERY_KIND), trees, trees, st.sampled_from(STATES))
@settings(FEW, max_examples=500)
def test_every_evidence_is_answered(answer, happened, check, after, before, state):
    result = answer(check, happened(after, before, **state))
    (result.reason + result.expected + result.seen).encode()  # nothing that no file could hold
    assert result.outcome in Outcome


@given(st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=9), st.lists(st.sampled_from([b"a", b"b"]), max_size=9))
@FEW
def test_edits_lie_between_what_must_differ_and_what_a_diff_finds(before, after):
    common = _longest_common(before, after)
    assert edits(before, after, 100) == len(before) + len(after) - 2 * common
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    assert edits(before, after, 100) <= len(before) + len(after) - 2 * sum(block.size for block in blocks)


def _longest_common(one, other):
    row = [0] * (len(other) + 1)
    for left in one:
        previous = 0
        for at, right in enumerate(other, 1):
            previous, row[at] = row[at], previous + 1 if left == right else max(row[at], row[at - 1])
    return row[-1]
