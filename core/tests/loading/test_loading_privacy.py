"""No message shows a prompt, a file's text, or a sentence of a library."""

from __future__ import annotations

import copy
import json
import re
import sys
from collections.abc import Iterator
from typing import get_args

import pytest

from skilltrial.model.errors import Exit, InvalidRequest
from skilltrial.record.suitefile.wording import Setting, explain

CANARY = "CANARY of a prompt: keep this to yourself"

SUITE = {
    "schema_version": 1,
    "id": "commit-style",
    "skills": [{"id": "commit-style", "folder": "commit-style", "previous": "HEAD:commit-style"}],
    "arms": [
        {"id": "without_skill"},
        {"id": "with_skill", "skills": ["commit-style"]},
        {"id": "old", "from": "previous"},
    ],
    "gate": {"arm": "with_skill"},
    "attempts": 2,
    "limits": {"seconds": 60, "stdout": "5MB"},
    "allow": ["shell"],
    "env": ["TOKEN"],
    "fixtures": {"memory": {"use": "mcp", "reply": CANARY}},
    "cases": [
        {
            "id": "one",
            "prompt": CANARY,
            "polarity": "negative",
            "workspace": {"a.txt": CANARY},
            "needs": ["mcp_http"],
            "ignore": ["*.pyc"],
            "setup": [CANARY],
            "fixtures": {"memory": {"script": CANARY}},
            "expect": [
                {"files": "a.txt", "contains": CANARY},
                {"answers": CANARY, "lacks": CANARY},
                {
                    "id": "kept",
                    "grader": "files",
                    "path": "a.txt",
                    "contains": [CANARY],
                    "arms": ["with_skill"],
                    "turn": 1,
                },
            ],
            "rehearsals": [
                {
                    "id": "honest",
                    "expect": {"with_skill": "passed"},
                    "script": [
                        {"read_skill": "commit-style"},
                        {"write_file": {"path": "a.txt", "text": CANARY}},
                        {"edit_file": {"path": "a.txt", "old": CANARY, "new": CANARY}},
                        {"run": CANARY},
                        {"call": {"server": "memory", "tool": "put", "arguments": {"text": CANARY}}},
                        {"error": 429, "times": 1},
                        {"say": CANARY},
                    ],
                },
                {"id": "lazy", "expect": "failed", "because": ["files-1"], "script": [{"refuse": CANARY}]},
            ],
        },
        {
            "id": "two",
            "turns": [CANARY, CANARY],
            "workspace": {"files": {"b.txt": CANARY}},
            "checks": [{"answers": CANARY}],
        },
    ],
}

VALUES: list[object] = [
    None,
    7,
    -1.5,
    True,
    "",
    CANARY,
    f"!{CANARY}",
    [],
    [CANARY],
    {},
    {"x": CANARY},
    {CANARY: CANARY},
    [[]],
]

LIBRARIES = re.compile(
    r"Input should|Field required|Extra inputs|String should|validation error|pydantic|ruamel|while (parsing|scanning)"
    r"|found character|Expecting|Traceback|Value error",
    re.IGNORECASE,
)


def places(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def changed(path: tuple[str | int, ...], how: object) -> dict[str, object]:
    """The suite with another value at `path`; where `how` is a function it changes what holds the place."""
    suite = copy.deepcopy(SUITE)
    holder: object = suite
    for step in path[:-1]:
        holder = holder[step]  # type: ignore[index]
    if callable(how):
        how(holder, path[-1])
    else:
        holder[path[-1]] = how  # type: ignore[index]
    return suite


def drop(holder, key) -> None:
    del holder[key]


def misspell(holder, key) -> None:
    if isinstance(holder, dict):
        items = [(f"{name}q" if name == key else name, value) for name, value in holder.items()]
        holder.clear()
        holder.update(items)


def add(holder, key) -> None:
    if isinstance(holder, dict):
        holder[f"{key} {CANARY}"] = CANARY
    else:
        holder.append(CANARY)


def twice(holder, key) -> None:
    if isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))


def messages(project, text: str, name: str) -> str:
    """What the user is told about a suite, whatever is wrong with it."""
    refusal: InvalidRequest | None = None
    try:
        project.load(text, name, fixture_kinds=("mcp",))
    except InvalidRequest as error:
        refusal = error
    assert refusal is None or (refusal.exit is Exit.INVALID and str(refusal))
    return "" if refusal is None else str(refusal)


def test_the_suite_of_these_tests_is_sound(project):
    assert messages(project, json.dumps(SUITE), "commit-style.trial.json") == ""


@pytest.mark.parametrize("name", ["commit-style.trial.json", "commit-style.trial.yaml"])
@pytest.mark.parametrize("how", [drop, misspell, add, twice], ids=lambda how: how.__name__)
def test_no_slip_in_a_key_or_list_shows_content(project, how, name):
    for path in list(places(SUITE))[:: 1 if name.endswith(".json") else 7]:
        told = messages(project, json.dumps(changed(path, how)), name)

        assert "CANARY" not in told, (path, told)
        assert not LIBRARIES.search(told), (path, told)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_no_wrong_value_shows_content(project, value):
    refused = 0
    for path in places(SUITE):
        told = messages(project, json.dumps(changed(path, value)), "commit-style.trial.json")

        assert "CANARY" not in told, (path, told)
        assert not LIBRARIES.search(told), (path, told)
        refused += bool(told)
    assert refused > 20


@pytest.mark.parametrize("name", ["commit-style.trial.json", "commit-style.trial.yaml"])
def test_no_broken_file_shows_content(project, name):
    text = json.dumps(SUITE, indent=2)

    for end in range(1, len(text) - 2, 97):
        for broken in (text[:end], text[:end] + "\t@" + text[end:], text[:end] + '"' + text[end:], text[end:]):
            told = messages(project, broken, name)

            assert "CANARY" not in told
            assert not LIBRARIES.search(told), told


YAML_SLIPS = """\
cases:
  one:
    prompt: Say: CANARY
---
cases:
  one:
    prompt: "CANARY
---
cases:
  one:
    prompt: |
     CANARY
    CANARY again
---
cases:
  one: {prompt: CANARY, expect: [{files: a, contains: CANARY]}
---
cases:
  one:
    prompt: >
      CANARY
   CANARY: x
---
cases:
  one:
    prompt: !CANARY x
---
cases:
  one:
    prompt: *CANARY
---
cases:
  ? [CANARY]
  : x
---
cases:
  one:
    prompt: CANARY of mine
    CANARY of yours: x
---
- CANARY
---
CANARY
---
cases:
  - CANARY
---
cases: {one: {prompt: x, expect: [CANARY]}}
---
cases: {one: {prompt: x, expect: {files: CANARY}}}
---
cases: {one: {prompt: x, workspace: [CANARY]}}
---
cases: {one: {prompt: x, workspace: {a.txt: {b.txt: CANARY}}}}
---
cases: {one: {prompt: x, workspace: {a.txt: [CANARY]}, fixtures: {a.txt: CANARY}}}
---
cases: {one: {prompt: x, fixtures: CANARY}}
---
cases: {one: {prompt: x, rehearsals: [{id: a, expect: CANARY, script: CANARY}]}}
"""


@pytest.mark.parametrize("text", YAML_SLIPS.split("---\n"))
def test_no_slip_of_yaml_shows_content(project, text):
    told = messages(project, text, "commit-style.trial.yaml")

    assert told
    assert "CANARY" not in told
    assert not LIBRARIES.search(told)


def test_a_graders_own_words_are_kept_unless_they_repeat_the_check(project):
    text = "cases: {one: {prompt: x, expect: [{files: a, contains: '?b'}, {files: a, contains: '!CANARY'}]}}"

    told = messages(project, text, "commit-style.trial.yaml")

    assert "a pattern can't begin so" in told
    assert "CANARY" not in told


ERRORS = sys.modules["pydantic_core.core_schema"].ErrorType
"""pydantic brings it along, and says nowhere else which kinds of error it has."""

CONTEXT = {
    **dict.fromkeys(("pattern", "error", "tag", "discriminator", "class_name", "method_name", "function_name"), CANARY),
    **dict.fromkeys(("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "actual_length"), 3),
    "expected": "'passed' or 'failed'",
}


@pytest.mark.parametrize("kind", get_args(ERRORS))
def test_every_kind_of_pydantic_error_has_words_of_ours(kind):
    what, right = explain(kind, CONTEXT, Setting("a case", ("prompt",)), "prompt", CANARY)

    assert what
    assert "CANARY" not in what + right
    assert not LIBRARIES.search(what + right)
