"""Every predicate: where it passes, where it fails, and where it can't be decided."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.api import Entry, FileKind, Outcome

LINK = Entry(path="a", kind=FileKind.LINK, target="elsewhere")
OTHER = Entry(path="a", kind=FileKind.OTHER)
FOLDER = Entry(path="a", kind=FileKind.FOLDER)
BIG = Entry(path="a", kind=FileKind.FILE, size=10**9, unread="too_big")
SCRIPT = Entry(path="a", kind=FileKind.FILE, sha256="0" * 64, executable=True)
PLAIN = Entry(path="a", kind=FileKind.FILE, sha256="0" * 64)

TABLE = [
    # contains, lacks, matches, matches_not
    ({"files": "a", "contains": "b"}, {"a": "abc"}, "holds"),
    ({"files": "a", "contains": ["b", "c"]}, {"a": "abc"}, "holds"),
    ({"files": "a", "contains": ["b", "x"]}, {"a": "abc"}, "text_missing"),
    ({"files": "a", "contains": "B"}, {"a": "abc"}, "text_missing"),
    ({"files": "a", "contains": "B", "ignore_case": True}, {"a": "abc"}, "holds"),
    ({"files": "a", "contains": "STRASSE", "ignore_case": True}, {"a": "Hauptstraße"}, "holds"),
    ({"files": "a", "contains": "x\ny"}, {"a": b"x\r\ny"}, "holds"),
    ({"files": "a", "contains": "x\r\ny"}, {"a": "x\ny"}, "holds"),
    ({"files": "a", "contains": "x\ny"}, {"a": b"x\ry"}, "holds"),
    ({"files": "a", "contains": "# First"}, {"a": b"\xef\xbb\xbf# First"}, "holds"),
    ({"files": "a", "contains": "привет"}, {"a": "привет, мир"}, "holds"),
    ({"files": "a", "contains": "b", "lacks": "c"}, {"a": "abc"}, "text_present"),
    ({"files": "a", "lacks": "x"}, {"a": "abc"}, "holds"),
    ({"files": "a", "lacks": ["x", "b"]}, {"a": "abc"}, "text_present"),
    ({"files": "a", "lacks": "x\ny"}, {"a": b"x\r\ny"}, "text_present"),
    ({"files": "a", "matches": "b+c$"}, {"a": "abbc"}, "holds"),
    ({"files": "a", "matches": "(?m)^b"}, {"a": b"a\r\nb"}, "holds"),
    ({"files": "a", "matches": "^b"}, {"a": "abc"}, "pattern_missing"),
    ({"files": "a", "matches": "B", "ignore_case": True}, {"a": "abc"}, "holds"),
    ({"files": "a", "matches_not": "^b"}, {"a": "abc"}, "holds"),
    ({"files": "a", "matches_not": "b"}, {"a": "abc"}, "pattern_present"),
    # golden file
    ({"files": "a", "equals": "one\n"}, {"a": "one\n"}, "holds"),
    ({"files": "a", "equals": ""}, {"a": ""}, "holds"),
    ({"files": "a", "equals": "one\n"}, {"a": b"one\r\n"}, "content_differs"),
    ({"files": "a", "equals": "one\n", "any_newlines": True}, {"a": b"one\r\n"}, "holds"),
    ({"files": "a", "equals": "one"}, {"a": "one\n"}, "content_differs"),
    ({"files": "a", "equals": "one"}, {"a": b"\xff"}, "content_differs"),
    # JSON
    ({"files": "a", "pointer": "/x/0/y", "equals": 3}, {"a": '{"x": [{"y": 3}]}'}, "holds"),
    ({"files": "a", "pointer": "/x/0/y", "equals": 3}, {"a": b'\xef\xbb\xbf{"x": [{"y": 3}]}'}, "holds"),
    ({"files": "a", "pointer": "", "equals": {"b": 1, "a": 2}}, {"a": '{"a": 2, "b": 1}'}, "holds"),
    ({"files": "a", "pointer": "/a~1b", "equals": "s"}, {"a": '{"a/b": "s"}'}, "holds"),
    ({"files": "a", "pointer": "/x", "equals": None}, {"a": '{"x": null}'}, "holds"),
    ({"files": "a", "pointer": "/y", "equals": None}, {"a": '{"x": null}'}, "pointer_missing"),
    ({"files": "a", "pointer": "/x/0", "equals": 1}, {"a": '{"x": {"0": 1}}'}, "holds"),
    ({"files": "a", "pointer": "/00", "equals": 1}, {"a": "[1]"}, "pointer_missing"),
    ({"files": "a", "pointer": "/-", "equals": 1}, {"a": "[1]"}, "pointer_missing"),
    ({"files": "a", "pointer": "/-1", "equals": 1}, {"a": "[1]"}, "pointer_missing"),
    ({"files": "a", "pointer": "/0", "equals": "s"}, {"a": '"s"'}, "pointer_missing"),
    ({"files": "a", "pointer": "/x", "equals": 1}, {"a": '{"x": 1.0}'}, "value_differs"),
    ({"files": "a", "pointer": "/x", "equals": 1}, {"a": '{"x": true}'}, "value_differs"),
    ({"files": "a", "pointer": "/x", "equals": 1}, {"a": '{"x": "1"}'}, "value_differs"),
    ({"files": "a", "pointer": "/x", "equals": [1, 2]}, {"a": '{"x": [2, 1]}'}, "value_differs"),
    ({"files": "a", "pointer": "/x", "equals": 1}, {"a": '{"x": NaN}'}, "not_json"),
    ({"files": "a", "pointer": "/x", "equals": 1}, {"a": '{"x": 2, "x": 1}'}, "not_json"),
    ({"files": "a", "pointer": "/x", "equals": 1}, {"a": '{"x": 1} tail'}, "not_json"),
    ({"files": "a", "pointer": "/x", "equals": 1}, {"a": ""}, "not_json"),
    ({"files": "a", "pointer": "", "equals": 1}, {"a": "[" * 200_000}, "not_json"),
    ({"files": "a", "pointer": "", "equals": 1}, {"a": "9" * 10_000}, "not_json"),
    ({"files": "a", "pointer": "", "equals": 1.0}, {"a": "1e400"}, "not_json"),
    ({"files": "a", "pointer": "", "equals": []}, {"a": "[" * 400 + "]" * 400}, "value_differs"),
    ({"files": "a", "pointer": "/x", "present": True}, {"a": '{"x": null}'}, "holds"),
    ({"files": "a", "pointer": "/x", "present": True}, {"a": "{}"}, "pointer_missing"),
    ({"files": "a", "pointer": "/x", "present": False}, {"a": "{}"}, "holds"),
    ({"files": "a", "pointer": "/x", "present": False}, {"a": '{"x": null}'}, "pointer_present"),
    ({"files": "a", "pointer": "/x", "present": False}, {"a": "{"}, "not_json"),
    # existence and the executable bit
    ({"files": "a", "exists": True}, {"a": ""}, "holds"),
    ({"files": "a", "exists": True}, {}, "file_missing"),
    ({"files": "a", "exists": True}, {"a": FOLDER}, "not_a_file"),
    ({"files": "a", "exists": True}, {"a": LINK}, "not_a_file"),
    ({"files": "a", "exists": True, "kind": "link"}, {"a": LINK}, "holds"),
    ({"files": "a", "exists": True, "kind": "any"}, {"a": OTHER}, "holds"),
    ({"files": "a/", "exists": True}, {"a/b": ""}, "holds"),
    ({"files": "a/", "exists": True}, {"a": ""}, "not_a_folder"),
    ({"files": "a", "exists": False}, {}, "holds"),
    ({"files": "a", "exists": False}, {"a": ""}, "still_there"),
    ({"files": "a", "exists": False}, {"a": FOLDER}, "still_there"),
    ({"files": "a", "exists": False}, {"a": LINK}, "still_there"),
    ({"files": "a/", "exists": False}, {"a/b": ""}, "still_there"),
    ({"files": "a", "executable": True}, {"a": SCRIPT}, "holds"),
    ({"files": "a", "executable": True}, {"a": PLAIN}, "not_executable"),
    ({"files": "a", "executable": False}, {"a": PLAIN}, "holds"),
    ({"files": "a", "executable": False}, {"a": SCRIPT}, "executable"),
    ({"files": "a", "executable": False}, {}, "file_missing"),
    ({"files": "a", "executable": False}, {"a": LINK}, "not_a_file"),
    # globs
    ({"files": "src/**/*.py", "at_least": 1}, {"src/a.py": ""}, "holds"),
    ({"files": "src/**/*.py", "at_least": 2}, {"src/a.py": "", "src/b/c/d.py": ""}, "holds"),
    ({"files": "src/**/*.py", "at_least": 1}, {"a.py": "", "src/a.pyc": ""}, "too_few_files"),
    ({"files": "*.py", "at_most": 1}, {"a.py": "", "b.py": ""}, "too_many_files"),
    ({"files": "*.py", "count": 1}, {"a.py": "", "b/c.py": ""}, "holds"),
    ({"files": "*", "count": 0}, {"a": FOLDER}, "holds"),
    ({"files": {"glob": "*", "count": 0}}, {"a": LINK}, "holds"),
    ({"files": "**", "count": 2}, {".a": "", "b/c": ""}, "holds"),
]


@pytest.mark.parametrize(("check", "after", "reason"), TABLE)
def test_a_check_on_what_lies_there(answer, happened, check, after, reason):
    result = answer(check, happened(after))
    assert result.reason == reason
    assert result.outcome is (Outcome.PASSED if reason == "holds" else Outcome.FAILED)


ON_A_FILE: list[dict[str, Any]] = [
    {"contains": "x"},
    {"lacks": "x"},
    {"matches": "x"},
    {"matches_not": "x"},
    {"equals": "x"},
    {"pointer": "", "equals": 1},
    {"pointer": "/x", "present": False},
    {"schema": {}},
]
ABOUT = [{"files": "a", **options} for options in ON_A_FILE]


@pytest.mark.parametrize("check", ABOUT)
@pytest.mark.parametrize(
    ("entry", "reason"), [(LINK, "not_a_file"), (FOLDER, "not_a_file"), (OTHER, "not_a_file"), (None, "file_missing")]
)
def test_a_check_about_a_file_fails_where_none_is(answer, happened, check, entry, reason):
    result = answer(check, happened({} if entry is None else {"a": entry}))
    assert (result.outcome, result.reason, result.owner) == (Outcome.FAILED, reason, "agent")


@pytest.mark.parametrize("check", [about for about in ABOUT if about.get("equals") != "x"])
@pytest.mark.parametrize("data", [b"\xff\xfe", b"abc\x80", "text".encode("utf-16")])
def test_what_is_not_utf8_fails(answer, happened, check, data):
    assert answer(check, happened({"a": data})).reason == "not_utf8"


@pytest.mark.parametrize("check", ABOUT)
@pytest.mark.parametrize(
    ("after", "state", "reason"),
    [
        ({"a": BIG}, {}, "content_not_kept"),
        ({"a": "1"}, {"contents": {}}, "content_not_kept"),
        ({"a": "1"}, {"redacted": frozenset({"a"})}, "content_redacted"),
        ({}, {"complete": False}, "listing_cut"),
    ],
)
def test_what_is_not_known_is_unverified(answer, happened, check, after, state, reason):
    result = answer(check, happened(after, **state))
    assert (result.outcome, result.reason) == (Outcome.UNVERIFIED, reason)


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ({"files": "a", "exists": True}, "listing_cut"),
        ({"files": "a", "exists": False}, "listing_cut"),
        ({"files": "a", "executable": False}, "listing_cut"),
        ({"files": "b*", "at_least": 2}, "listing_cut"),
        ({"files": "b*", "at_most": 1}, "listing_cut"),
        ({"files": "b*", "count": 1}, "listing_cut"),
        ({"files": "b*", "count": 0}, "too_many_files"),
        ({"files": "b*", "at_least": 1}, "holds"),
        ({"files": "b", "exists": False}, "still_there"),
        ({"files": "b", "unchanged": True}, "listing_cut"),
        ({"files": "b", "unchanged": False}, "listing_cut"),
        ({"files": "a", "unchanged": True}, "listing_cut"),
        ({"files": {"nothing_changed": True}}, "listing_cut"),
        ({"files": {"nothing_changed": False}}, "listing_cut"),
        ({"files": {"changed_within": ["b"]}}, "listing_cut"),
        ({"files": {"diff_lines": {"max": 3}}}, "listing_cut"),
    ],
)
def test_a_listing_that_was_cut_proves_only_what_it_shows(answer, happened, check, reason):
    assert answer(check, happened({"b": "1"}, complete=False)).reason == reason
