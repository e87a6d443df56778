"""Faults of replies and options: each one sentence with its place, none with the file's text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from skilltrial.api import Can, InvalidRequest, RunInfo
from skilltrial.testing import FixtureFacade, bind
from skilltrial_fixture_commands.fixture import CommandsFixture
from skilltrial_fixture_commands.schema import make_schema, shipped_schema

SECRET = "canary-7f3a"


def faults(rule: str, options: Any = None, **suite: Any) -> list[str]:
    fixture = bind(FixtureFacade, "commands", CommandsFixture(programs=("git", "gh"), replies="r.yaml", **suite))
    replies = f"scripts: {{one: {{rules: [{rule}]}}}}".encode()
    return list(fixture.check_fixture({"r.yaml": replies}, options or {}))


def test_good_files_have_no_fault_and_the_fixture_fits_its_spec() -> None:
    fixture = bind(FixtureFacade, "commands", CommandsFixture(programs=("git",), replies="r.yaml"))

    assert faults("{program: git, begins: [push], reply: {exit: 1}}, {forward: true}") == []
    assert fixture.fixture_assets() == ("r.yaml",)
    assert fixture.fixture_needs() == {Can.PROGRAMS}
    assert fixture.describe_fixture({"r.yaml": b""}).tools == ("git",)


@pytest.mark.parametrize(
    "options",
    [{"programs": []}, {"programs": ["../git"]}, {"programs": ["-x"]}, {"programs": ["a b"]}, {"program": ["git"]}],
)
def test_unknown_options_are_refused_by_the_class(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CommandsFixture(**({"programs": ["git"], "replies": "r"} | options))


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("{program: npm, reply: {}}", "none of the fixture's `programs`"),
        ("{program: git}", "exactly one of `reply`, `fault` and `forward`"),
        ("{reply: {}, fault: hang}", "exactly one of `reply`, `fault` and `forward`"),
        ("{fault: explode}", "one of 'hang', 'crash' or 'missing' is wanted here"),
        ("{forward: false}", "one of True is wanted here"),
        ("{argv: [a], begins: [a], reply: {}}", "`argv` says all arguments already"),
        ("{argv: [1], reply: {}}", "a text is wanted here"),
        ("{reply: {exit: 256}}", "the number is too large"),
        ("{reply: {stdout: a, json: {}}}", "either `stdout` or `json`"),
        ("{reply: {stdout: 3}}", "a text is wanted here, or a list of its parts"),
        ("{reply: {stderr: [a, 1]}}", "a text is wanted here, or a list of its parts"),
        ("{reply: {stdout: {$argument: argv}}}", "a JSON Pointer is wanted here"),
        ("{reply: {files: {/etc/x: a}}}", "leads below the folder of the call"),
        ("{reply: {files: {a/../../x: a}}}", "leads below the folder of the call"),
        ("{reply: {files: {x: 1}}}", "a text is wanted here, or a list of its parts"),
        ("{arguments: {type: objekt}, reply: {}}", "not a JSON Schema"),
        ("{state: 3, reply: {}}", "a JSON Schema is a mapping, `true` or `false`"),
        ("{include: two}", "there is no script of this name"),
        ("{include: one}", "in a circle"),
        ("{replay: {}}", "this key is not known here"),
    ],
)
def test_a_faulty_rule_has_its_place(rule: str, says: str) -> None:
    (fault,) = faults(rule)

    assert fault.startswith("r.yaml:1:")
    assert says in fault


def test_all_faults_are_found_at_once_and_none_repeats_the_file() -> None:
    written = f"{{program: {SECRET}, reply: {{}}}}, {{argv: [{SECRET}]}}, {{reply: {{files: {{/{SECRET}: a}}}}}}"

    found = faults(written)

    assert len(found) == 3
    assert SECRET not in "".join(found)


def test_faulty_options_of_a_case_and_of_the_suite() -> None:
    assert faults("{reply: {}}", {"script": "two"}) == ["the replies have no such `script`; they have one"]
    assert faults("{reply: {}}", stdin=("npm",)) == ["`stdin` names npm, which is none of the `programs`"]


def test_a_run_with_faulty_files_does_not_start() -> None:
    fixture = CommandsFixture(programs=("git",), replies="r.yaml")

    with pytest.raises(InvalidRequest, match=r"r\.yaml:1:1"), fixture.open_fixtures(RunInfo("run"), {"r.yaml": b"{}"}):
        pass


def test_the_shipped_schema_is_what_the_models_say_and_takes_what_the_fixture_takes() -> None:
    assert shipped_schema() == make_schema()
    checker = Draft202012Validator(json.loads(shipped_schema()))
    good = {"scripts": {"one": {"rules": [{"program": "git", "argv": [], "reply": {"json": 1}}, {"forward": True}]}}}
    assert list(checker.iter_errors(good)) == []
    wrong: tuple[dict[str, Any], ...] = ({"replay": {}}, {"forward": False}, {"reply": {"exit": 256}})
    for rule in wrong:
        assert list(checker.iter_errors({"scripts": {"one": {"rules": [rule]}}}))
