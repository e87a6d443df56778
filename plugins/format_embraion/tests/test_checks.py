"""The six kinds of check, and what is said of those that mean something else here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skilltrial.api import ForeignSuite

Read = Callable[..., ForeignSuite]
Convert = Callable[..., list[dict[str, Any]]]


@pytest.mark.parametrize(
    ("written", "options"),
    [
        ({"type": "file-exists", "path": "a"}, {"path": "a", "exists": True}),
        ({"type": "file-absent", "path": "a"}, {"path": "a", "exists": False}),
        ({"type": "file-contains", "path": "a", "text": "x\n"}, {"path": "a", "contains": "x\n"}),
        (
            {"type": "json-field-equals", "path": "a", "field": "b.c", "value": [1, {"d": None}]},
            {"path": "a", "pointer": "/b/c", "equals": [1, {"d": None}]},
        ),
        ({"type": "unchanged-path", "path": "a"}, {"path": "a", "unchanged": True}),
        ({"type": "changed-paths-within", "paths": ["a", "b/c"]}, {"changed_within": ["a", "b/c"]}),
    ],
    ids=lambda value: value.get("type") if "type" in value else None,
)
def test_each_kind_becomes_a_question_of_the_files_grader(
    checks: Convert, written: dict[str, Any], options: dict[str, Any]
) -> None:
    first, second = checks({"type": "file-exists", "path": "z"}, written)

    assert first["id"] == "file-exists-0"
    assert second == {"id": f"{written['type']}-1", "grader": "files", **options}


@pytest.mark.parametrize(
    ("field", "pointer"),
    [("a", "/a"), ("a.b", "/a/b"), ("a/b", "/a~1b"), ("a~b", "/a~0b"), ("a..b", "/a//b"), ("~1", "/~01"), (".", "//")],
)
def test_a_dotted_field_walks_through_the_same_keys_as_a_pointer(checks: Convert, field: str, pointer: str) -> None:
    (check,) = checks({"type": "json-field-equals", "path": "a", "field": field, "value": 1})

    assert check["pointer"] == pointer


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ({"type": "json-field-equals", "path": "a", "field": "b", "value": None}, "must be there and be null"),
        ({"type": "json-field-equals", "path": "a", "field": "b.0", "value": 1}, "items of a list"),
        ({"type": "file-contains", "path": "a", "text": "x\r\n"}, "carriage return"),
        ({"type": "file-contains", "path": "a", "text": "\ufeffx"}, "byte order mark"),
        ({"type": "unchanged-path", "path": "deep"}, "is a folder"),
        ({"type": "unchanged-path", "path": "misspelt.txt"}, "not in the fixture"),
    ],
)
def test_embraion_81_05_a_check_that_passed_silently_is_told(
    suite: dict[str, Any], read: Read, written: dict[str, Any], says: str
) -> None:
    suite["cases"][0]["checks"] = [{"type": "file-exists", "path": "b"}, written]

    told = read(suite, {"start/deep/a": ""}).losses.changed

    assert [says in one for one in told if one.startswith("case greet, check 1 ")] == [True]


def test_a_check_that_means_the_same_is_told_once_by_its_kind_only(suite: dict[str, Any], read: Read) -> None:
    suite["cases"][0]["checks"] = [
        {"type": "unchanged-path", "path": "notes.txt"},
        {"type": "json-field-equals", "path": "a", "field": "b", "value": "text"},
        {"type": "file-contains", "path": "a", "text": "plain"},
    ]

    losses = read(suite).losses

    assert not [one for one in losses.changed if one.startswith("case ")]
    assert sum(one.startswith("`unchanged-path`: ") for one in losses.changed) == 1
    assert not [one for one in losses.changed if one.startswith("`changed-paths-within`")], "the suite has none"
    assert losses.dropped == ()


def test_a_folder_that_is_ignored_is_looked_at_where_a_check_names_a_path_in_it(
    suite: dict[str, Any], read: Read
) -> None:
    suite["cases"][0]["checks"] = [{"type": "file-absent", "path": "src/__pycache__/a.pyc"}]

    foreign = read(suite)

    cases: Any = foreign.suite["cases"]
    assert "__pycache__/" not in cases[0]["ignore"]
    assert ".git/" in cases[0]["ignore"]
    assert [one for one in foreign.losses.changed if one.startswith("case greet: __pycache__/ is not ignored")]


def test_what_is_never_installed_is_told_as_dropped(suite: dict[str, Any], read: Read) -> None:
    losses = read(suite, {"greeter/evals/evals.json": "{}"}).losses

    assert [one.startswith("skill greeter") for one in losses.dropped] == [True]


def test_no_sentence_tells_a_prompt_or_a_text(suite: dict[str, Any], read: Read) -> None:
    canary = "Crocuses-in-the-snow"
    suite["cases"][0]["prompt"] = canary
    suite["cases"][0]["checks"] = [
        {"type": "file-contains", "path": "a", "text": f"{canary}\r\n"},
        {"type": "json-field-equals", "path": "a", "field": "0", "value": canary},
    ]

    losses = read(suite).losses

    assert canary not in repr(losses)
