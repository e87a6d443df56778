"""Checks on what changed, and the passes that other tools give away for nothing."""

from __future__ import annotations

import pytest

from skilltrial.api import Entry, FileKind, Outcome

BEFORE = {"src/a.py": "1\n", "src/deep/b.py": "2\n", "README.md": "hello\n", "doc": "x\n"}
BIG = Entry(path="big.bin", kind=FileKind.FILE, size=10**9, unread="too_big")


@pytest.mark.parametrize(
    ("check", "after", "reason"),
    [
        ({"files": "src/a.py", "unchanged": True}, BEFORE, "holds"),
        ({"files": "src/a.py", "unchanged": True}, BEFORE | {"src/a.py": "9"}, "changed"),
        ({"files": "src/a.py", "unchanged": False}, BEFORE | {"src/a.py": "9"}, "holds"),
        ({"files": "src/a.py", "unchanged": False}, BEFORE, "not_changed"),
        ({"files": "src/a.py", "unchanged": True}, BEFORE | {"src/a.pyc": "9"}, "holds"),
        ({"files": "src/", "unchanged": True}, BEFORE | {"README.md": "9"}, "holds"),
        ({"files": "src/", "unchanged": True}, BEFORE | {"src/deep/b.py": "9"}, "changed"),
        ({"files": "src", "unchanged": True}, BEFORE | {"src/deep/b.py": "9"}, "changed"),
        ({"files": "src/", "unchanged": True}, BEFORE | {"src/deep/new.py": "9"}, "changed"),
        ({"files": "src/", "unchanged": True}, {"README.md": "hello\n"}, "changed"),
        ({"files": "new.txt", "unchanged": True}, BEFORE | {"new.txt": ""}, "changed"),
        ({"files": "doc", "unchanged": True}, BEFORE | {"doc": Entry(path="doc", kind=FileKind.FOLDER)}, "changed"),
        ({"files": {"nothing_changed": True}}, BEFORE, "holds"),
        ({"files": {"nothing_changed": True}}, BEFORE | {"n": ""}, "changed"),
        ({"files": {"nothing_changed": False}}, BEFORE | {"n": ""}, "holds"),
        ({"files": {"nothing_changed": False}}, BEFORE, "not_changed"),
        ({"files": {"changed_within": ["src/", "README.md"]}}, BEFORE | {"src/a.py": "9"}, "holds"),
        ({"files": {"changed_within": ["src/", "README.md"]}}, BEFORE | {"README.md": "9"}, "holds"),
        ({"files": {"changed_within": ["src/", "README.md"]}}, BEFORE | {"doc": "9"}, "changed_outside"),
        ({"files": {"changed_within": ["src/"]}}, BEFORE | {"srcs/a": "9"}, "changed_outside"),
        ({"files": {"changed_within": ["src/"]}}, BEFORE, "nothing_changed"),
        ({"files": {"changed_within": ["docs/new/page.md"]}}, BEFORE | {"docs/new/page.md": "p"}, "holds"),
        ({"files": {"changed_within": ["docs/new/page.md"]}}, BEFORE | {"docs/new/other.md": "p"}, "changed_outside"),
        (
            {"files": {"changed_within": ["docs/page.md"]}},
            BEFORE | {"docs": Entry(path="docs", kind=FileKind.FOLDER)},
            "nothing_changed",
        ),
        ({"files": {"diff_lines": {"max": 2}}}, BEFORE | {"src/a.py": "9\n"}, "holds"),
        ({"files": {"diff_lines": {"max": 1}}}, BEFORE | {"src/a.py": "9\n"}, "too_many_lines"),
        ({"files": {"diff_lines": {"max": 0}}}, BEFORE, "holds"),
        ({"files": {"diff_lines": {"min": 1}}}, BEFORE, "too_few_lines"),
        ({"files": {"diff_lines": {"min": 2}}}, BEFORE | {"src/a.py": "9\n"}, "holds"),
        ({"files": {"diff_lines": {"max": 0}}}, BEFORE | {"src/a.py": b"1\r\n"}, "too_many_lines"),
        ({"files": "src/", "diff_lines": {"max": 1}}, BEFORE | {"README.md": "\n" * 50}, "holds"),
        ({"files": {"glob": "*.md", "diff_lines": {"max": 50}}}, BEFORE | {"README.md": "\n" * 60}, "too_many_lines"),
        ({"files": {"diff_lines": {"max": 3}}}, BEFORE | {"new": "1\n2\n3\n"}, "holds"),
        ({"files": {"diff_lines": {"max": 2}}}, BEFORE | {"new": "1\n2\n3\n"}, "too_many_lines"),
        ({"files": {"diff_lines": {"max": 3}}}, {}, "too_many_lines"),
        ({"files": {"diff_lines": {"max": 0}}}, BEFORE | {"image.png": b"\x89PNG\xff"}, "holds"),
        ({"files": {"diff_lines": {"max": 9}}}, BEFORE | {"doc": b"\x89PNG\xff"}, "not_utf8"),
    ],
)
def test_a_check_on_what_changed(answer, happened, check, after, reason):
    result = answer(check, happened(after, BEFORE))
    assert result.reason == reason
    assert result.outcome is (Outcome.PASSED if reason == "holds" else Outcome.FAILED)


@pytest.mark.parametrize(
    "check",
    [
        {"files": "src/a.pi", "unchanged": True},
        {"files": "source/", "unchanged": True},
        {"files": "source/", "unchanged": False},
        {"files": "source/", "diff_lines": {"max": 3}},
        {"files": {"glob": "**/*.rs", "diff_lines": {"max": 3}}},
    ],
)
def test_a_path_that_never_was_is_no_pass(answer, happened, check):
    result = answer(check, happened(BEFORE))
    assert (result.outcome, result.reason, result.owner) == (Outcome.UNVERIFIED, "never_there", "operator")


@pytest.mark.parametrize(
    "check",
    [
        {"files": "big.bin", "unchanged": True},
        {"files": {"nothing_changed": True}},
        {"files": {"nothing_changed": False}},
        {"files": {"changed_within": ["src/"]}},
        {"files": {"diff_lines": {"max": 3}}},
    ],
)
def test_a_file_that_nobody_read_is_not_unchanged(answer, happened, check):
    tree = {"src/a.py": "1", "big.bin": BIG}
    result = answer(check, happened(tree))
    assert (result.outcome, result.reason) == (Outcome.UNVERIFIED, "content_not_kept")


def test_a_file_that_nobody_read_does_no_harm_elsewhere(answer, happened):
    evidence = happened({"src/a.py": "2", "big.bin": BIG}, {"src/a.py": "1", "big.bin": BIG})
    assert answer({"files": "src/", "unchanged": False}, evidence).outcome is Outcome.PASSED
    assert answer({"files": {"changed_within": ["src/", "big.bin"]}}, evidence).outcome is Outcome.PASSED


def test_a_changed_mode_is_a_change_without_lines(answer, happened):
    one = Entry(path="a", kind=FileKind.FILE, sha256="0" * 64)
    evidence = happened({"a": one.model_copy(update={"executable": True})}, {"a": one})
    assert answer({"files": "a", "unchanged": True}, evidence).reason == "changed"
    assert answer({"files": "a", "diff_lines": {"max": 0}}, evidence).outcome is Outcome.PASSED


def test_lines_of_content_that_is_not_known_are_not_zero(answer, happened):
    evidence = happened({"a": "2\n"}, {"a": "1\n"}, redacted=frozenset({"a"}))
    assert answer({"files": {"diff_lines": {"max": 9}}}, evidence).reason == "content_redacted"
    evidence = happened({"a": "2\n"}, {"a": "1\n"}, contents={})
    assert answer({"files": {"diff_lines": {"max": 9}}}, evidence).reason == "content_not_kept"


# The silent passes of the six kinds that suites of another format have, one by one.


@pytest.mark.parametrize("tree", [{"notes/x": ""}, {"notes": Entry(path="notes", kind=FileKind.LINK, target="x")}])
def test_a_folder_or_link_is_not_the_file_that_was_asked_for(answer, happened, tree):
    assert answer({"files": "notes", "exists": True}, happened(tree)).outcome is Outcome.FAILED
    assert answer({"files": "notes", "exists": False}, happened(tree)).outcome is Outcome.FAILED


def test_a_text_with_crlf_can_match(answer, happened):
    check = {"files": "a", "contains": "one\r\ntwo"}
    assert answer(check, happened({"a": b"one\r\ntwo"})).outcome is Outcome.PASSED
    assert answer(check, happened({"a": b"one\ntwo"})).outcome is Outcome.PASSED


@pytest.mark.parametrize("document", ["{}", '{"x": {}}', '{"x": []}', "[]", '"x"', "null"])
def test_a_missing_field_is_not_null(answer, happened, document):
    check = {"files": "a", "pointer": "/x/y", "equals": None}
    assert answer(check, happened({"a": document})).reason == "pointer_missing"


@pytest.mark.parametrize(("value", "document"), [(1, "true"), (True, "1"), (0, "false"), (1, "1.0"), (1.0, "1")])
def test_numbers_and_booleans_are_not_mixed_up(answer, happened, value, document):
    check = {"files": "a", "pointer": "", "equals": value}
    assert answer(check, happened({"a": document})).reason == "value_differs"


@pytest.mark.parametrize("document", ["NaN", "[Infinity]", '{"x": -Infinity}'])
def test_what_is_not_json_is_not_read_as_json(answer, happened, document):
    assert answer({"files": "a", "schema": {}}, happened({"a": document})).reason == "not_json"


@pytest.mark.parametrize("path", ["src", "src/", "src/deep", "src/deep/"])
def test_an_unchanged_folder_is_watched_to_its_depth(answer, happened, path):
    evidence = happened(BEFORE | {"src/deep/b.py": "9"}, BEFORE)
    assert answer({"files": path, "unchanged": True}, evidence).outcome is Outcome.FAILED


def test_r35_an_agent_that_does_nothing_changed_nothing_within(answer, happened):
    for places in (["src/"], ["README.md"], ["src/", "doc"]):
        assert answer({"files": {"changed_within": places}}, happened(BEFORE)).outcome is Outcome.FAILED
