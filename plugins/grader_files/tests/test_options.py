"""Checks as they are written: what each form means, how it reads, and what is refused."""

from __future__ import annotations

import json
import re

import pytest
from pydantic import ValidationError

from skilltrial.api import CheckOptions
from skilltrial_grader_files.grader import FilesGrader
from skilltrial_grader_files.reasons import Reason


@pytest.mark.parametrize(
    ("written", "sentence", "paths"),
    [
        ({"files": "CHANGELOG.md", "contains": "## Unreleased"}, "CHANGELOG.md contains ## Unreleased", "CHANGELOG.md"),
        ({"files": "a", "contains": ["x", "y"], "lacks": "z"}, "a contains x and y and lacks z", "a"),
        ({"files": "a", "matches": "x+", "matches_not": "y"}, "a matches x+ and does not match y", "a"),
        ({"files": "a", "contains": "one\n two " * 99}, "a contains " + ("one two " * 9)[:59] + "…", "a"),
        ({"files": "a.json", "pointer": "/x/0/y", "equals": 3}, "a.json has 3 at /x/0/y", "a.json"),
        ({"files": "a.json", "pointer": "", "equals": None}, "a.json has null", "a.json"),
        ({"files": "a.json", "pointer": "/x", "present": False}, "a.json has nothing at /x", "a.json"),
        ({"files": "a.json", "schema": {"type": "object"}}, "a.json fits its schema", "a.json"),
        ({"files": "a.json", "schema": "s/a.json"}, "a.json fits s/a.json", "a.json"),
        ({"files": "a", "equals_file": "golden/a"}, "a is exactly golden/a", "a"),
        ({"files": "a", "equals": ""}, "a is exactly empty", "a"),
        ({"files": "notes.txt", "exists": False}, "notes.txt does not exist", "notes.txt"),
        ({"files": "notes/", "exists": True}, "notes/ exists", "notes"),
        ({"files": "run.sh", "executable": True}, "run.sh is executable", "run.sh"),
        ({"files": "run.sh", "executable": False}, "run.sh is not executable", "run.sh"),
        ({"files": "src/", "unchanged": True}, "src/ is unchanged", "src"),
        ({"files": {"changed_within": ["src/", "README.md"]}}, "only src/ and README.md changed", "src README.md"),
        ({"files": {"nothing_changed": True}}, "nothing changed", ""),
        ({"files": "src/**/*.py", "at_least": 1}, "at least 1 files match src/**/*.py", ""),
        ({"files": "*.py", "at_least": 1, "at_most": 3}, "1 to 3 files match *.py", ""),
        ({"files": {"diff_lines": {"max": 20}}}, "at most 20 lines changed", ""),
        ({"files": "src/", "diff_lines": {"min": 1, "max": 20}}, "1 to 20 lines changed in src/", "src"),
    ],
)
def test_a_check_is_read_by_its_keys_and_reads_as_a_sentence(read, written, sentence, paths):
    check = read(written)
    assert check.sentence() == sentence
    assert check.paths() == tuple(paths.split())


def test_the_long_form_says_the_same(grader):
    models = {model.__name__: model for model in grader.check_models()}
    text = json.dumps({"path": "a", "contains": ["x", "y"]})
    assert models["TextCheck"].model_validate_json(text).sentence() == "a contains x and y"
    text = json.dumps({"changed_within": ["a"]})
    assert models["ChangedWithinCheck"].model_validate_json(text).paths() == ("a",)


def test_files_beside_the_suite_are_named(read):
    assert read({"files": "a", "equals_file": "golden/a"}).assets() == ("golden/a",)
    assert read({"files": "a", "schema": "s.json"}).assets() == ("s.json",)
    assert read({"files": "a", "schema": {}}).assets() == ()
    assert read({"files": "a", "contains": "x"}).assets() == ()


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"files": "a"}, "say what is asked of the file"),
        ({"files": "a/", "contains": "x"}, "final slash is a folder"),
        ({"files": "a", "matches": "(CANARY"}, "not a regular expression: missing )"),
        ({"files": "a", "matches": r"\p{Foo}"}, "not a regular expression: unknown property"),
        ({"files": "a", "matches": "(?:a{1000}){1000}"}, "counts in braces"),
        ({"files": "a", "matches": "a{99999999}"}, "counts in braces"),
        ({"files": "a", "matches": "a" * 2_001}, "longer than 2000"),
        ({"files": "a", "matches": ["ok", "(CANARY"]}, "missing )"),
        ({"files": {"path": "a", "equals": "x", "equals_file": "y"}}, "either `equals`"),
        ({"files": "a", "equals_file": "../y"}, "plain relative path"),
        ({"files": "a", "equals_file": "/y"}, "plain relative path"),
        ({"files": "a", "pointer": "x", "equals": 1}, "JSON Pointer"),
        ({"files": "a", "pointer": "/~2", "equals": 1}, "JSON Pointer"),
        ({"files": "a", "schema": {"type": "CANARY"}}, "not a JSON Schema: wrong at $.type"),
        ({"files": "a", "schema": 3}, "an object, `true` or `false`"),
        ({"files": "a", "schema": {"$schema": "http://example.invalid/CANARY"}}, "no known draft"),
        ({"files": "a", "schema": {"$ref": "http://example.invalid/CANARY"}}, "nothing is ever fetched"),
        ({"files": "a", "schema": {"items": [{"$ref": "CANARY.json"}]}}, "not a JSON Schema"),
        ({"files": "a", "schema": {"properties": {"x": {"$ref": "CANARY.json"}}}}, "nothing is ever fetched"),
        ({"files": "a", "schema": {"items": {"pattern": "(?:a{999}){999}"}}}, "counts in braces"),
        ({"files": "a", "schema": {"patternProperties": {"a{9999999}": {}}}}, "counts in braces"),
        ({"files": "a", "exists": False, "kind": "file"}, "`kind` goes with `exists: true`"),
        ({"files": "a/", "exists": True, "kind": "file"}, "final slash is a folder"),
        ({"files": "*", "at_least": 3, "at_most": 2}, "more than"),
        ({"files": "*", "at_least": 0}, "always holds"),
        ({"files": "*", "count": 1, "at_least": 1}, "either `count`"),
        ({"files": {"glob": "*"}}, "either `count`"),
        ({"files": "/etc/*", "at_least": 1}, "relative to the project"),
        ({"files": "a/../*", "at_least": 1}, "relative to the project"),
        ({"files": "src\\*", "at_least": 1}, "relative to the project"),
        ({"files": "src/**.py", "at_least": 1}, "stands alone"),
        ({"files": {"diff_lines": {}}}, "say `max`, `min`"),
        ({"files": {"diff_lines": {"min": 3, "max": 2}}}, "more than"),
        ({"files": {"path": "a", "glob": "*", "diff_lines": {"max": 2}}}, "either `path` or `glob`"),
    ],
)
def test_a_wrong_option_is_refused_in_plain_words(read, written, words):
    with pytest.raises(ValidationError) as refused:
        read(written)
    messages = " ".join(fault["msg"] for fault in refused.value.errors(include_input=False))
    assert words in messages
    assert "CANARY" not in messages


@pytest.mark.parametrize("empty", ["contains", "lacks", "matches", "matches_not"])
def test_an_empty_text_would_hold_everywhere_and_is_refused(read, empty):
    for nothing in ("", [], [""]):
        with pytest.raises(ValidationError):
            read({"files": "a", empty: nothing})


def test_every_reason_is_in_the_readme(request):
    readme = (request.path.parent.parent / "README.md").read_text()
    explained = set(re.findall(r"^\| `([a-z0-9_]+)` \|", readme, re.M))
    assert {reason.value for reason in Reason} <= explained


def test_the_grader_keeps_to_the_types_of_its_hooks():
    grader = FilesGrader()
    assert all(issubclass(model, CheckOptions) for model in grader.check_models())
    assert grader == FilesGrader()
