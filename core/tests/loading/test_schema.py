"""The JSON Schema of suites says the same as the loader, as far as shapes go."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from skilltrial.model.errors import DocumentInvalid
from skilltrial.record.suitefile.document import Faults, read
from skilltrial.record.suitefile.schema import suite_schema
from skilltrial.record.suitefile.structure import check_structure

SHIPPED = json.loads(files("skilltrial").joinpath("schemas/suite.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SHIPPED)

SUITE = {
    "schema_version": 1,
    "id": "commit-style",
    "skills": [{"id": "commit-style", "folder": "commit-style"}],
    "arms": [{"id": "without_skill"}, {"id": "with_skill", "skills": ["commit-style"]}],
    "gate": {"arm": "with_skill", "require": "all"},
    "attempts": 2,
    "limits": {"seconds": 60, "stdout": "5MB", "stderr": 7},
    "allow": ["shell"],
    "env": ["TOKEN"],
    "cases": [
        {
            "id": "one",
            "prompt": "Go.",
            "polarity": "negative",
            "workspace": {"a.txt": "x"},
            "needs": ["mcp_http"],
            "expect": [
                {"files": "a.txt", "contains": "x"},
                {"id": "kept", "grader": "files", "path": "a.txt", "contains": "x", "arms": ["with_skill"], "turn": 1},
            ],
            "rehearsals": [
                {
                    "id": "a",
                    "expect": {"with_skill": "passed"},
                    "script": [{"read_skill": "commit-style"}, {"say": "x"}],
                },
                {
                    "id": "b",
                    "expect": "failed",
                    "because": ["kept"],
                    "script": [{"error": 429}, {"stall": 1.5}, {"cut": "stream"}],
                },
            ],
        },
        {
            "id": "two",
            "turns": ["a", "b"],
            "workspace": {"files": {"b.txt": "x"}, "git": True},
            "checks": [{"answers": "x"}],
        },
    ],
}


def test_the_shipped_schema_is_the_one_of_this_release():
    assert suite_schema() == SHIPPED


def test_it_is_a_schema_of_2020_12():
    assert SHIPPED["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SHIPPED)


def test_short_and_long_form_are_suites(project):
    short = {
        "cases": {"one": {"prompt": "Go.", "workspace": "commit-style", "expect": [{"files": "a", "contains": "x"}]}}
    }

    for suite in (short, SUITE):
        assert VALIDATOR.is_valid(suite)
        assert project.load(json.dumps(suite), "commit-style.trial.json")


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def variants() -> Iterator[tuple[str, object]]:
    """The suite with one thing changed, for each thing in it."""
    for path in places(SUITE):
        for value in (None, -7, 1.5, True, "", "X y", [], {}, {"qq": 1}, [1], "drop", "add"):
            suite = copy.deepcopy(SUITE)
            holder: object = suite
            for step in path[:-1]:
                holder = holder[step]  # type: ignore[index]
            if value == "drop":
                del holder[path[-1]]  # type: ignore[attr-defined]
            elif value == "add" and isinstance(holder, dict):
                holder["qq"] = 1
            else:
                holder[path[-1]] = value  # type: ignore[index]
            yield f"{path}: {value!r}", suite


def shaped(suite: object) -> bool:
    """Whether the loader finds no fault of shape: those that need no names, no folders and no grader."""
    faults = Faults(read("x.json", json.dumps(suite).encode()))
    check_structure(faults)
    return not faults


def test_schema_and_loader_agree_on_shapes():
    disagreed = [label for label, suite in variants() if VALIDATOR.is_valid(suite) != shaped(suite)]

    assert disagreed == []


@pytest.mark.parametrize(
    "case",
    [
        {"prompt": "Go.", "turns": ["Go."], "expect": [{"answers": "x"}]},
        {"expect": [{"answers": "x"}]},
        {"prompt": "Go."},
        {"prompt": "Go.", "expect": [{"answers": "x"}], "checks": [{"answers": "x"}]},
        {"prompt": "Go.", "expect": [{"id": "a", "advisory": True}]},
        {"prompt": "Go.", "expect": [{"answers": "x"}], "workspace": {"ref": "HEAD"}},
        {"prompt": "Go.", "expect": [{"answers": "x"}], "workspace": {"folder": "a", "files": {}}},
        {"prompt": "Go.", "expect": [{"answers": "x"}], "workspace": {"folder": "a", "git": "."}},
        {"prompt": "Go.", "expect": [{"answers": "x"}], "workspace": {"folder": "a", "b.txt": "x"}},
    ],
)
def test_what_the_loader_refuses_beyond_the_models_the_schema_refuses_too(project, case):
    suite = {"cases": {"one": case}}

    assert not VALIDATOR.is_valid(suite)
    with pytest.raises(DocumentInvalid):
        project.load(json.dumps(suite), "commit-style.trial.json")
