"""The long form as text, which reads again to the same suite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.model.suite import Suite
from skilltrial.record.loading import Loaded, expanded

SLUGS = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30
) | st.sampled_from(
    [
        "yes",
        "null",
        "~",
        "1",
        "1.0",
        "0x1f",
        "a: b",
        "- a",
        "# x",
        "a #b",
        " x",
        "x ",
        "x\n",
        "\n",
        "a\nb",
        "a\n\nb\n",
        "\ta",
        "a\tb\n",
        "|",
        ">",
        "'",
        '"',
        "\\",
        "é",
        "\u2028",
        "\x85",
        "\x01",
        "\ufeff",
        "%a",
        "@",
        "`",
        "...",
        "---",
        "--- a\n...\n",
        "a\r\nb",
        "=",
        "<<",
        "2026-01-31",
        ".inf",
        "\U0001f600",
        "{a}",
        "[a]",
        "*a",
        "&a",
        "!a",
        "true",
        " a\n b\n",
        "a\n  b\n",
        "a" * 300 + " b" * 200,
    ]
)
PATHS = st.from_regex(r"[a-zé~ #-][a-z0-9é.# -]{0,6}[a-z0-9]", fullmatch=True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
ACTS = st.one_of(
    st.builds(lambda text: {"say": text}, TEXTS),
    st.builds(lambda path, text: {"write_file": {"path": path, "text": text}}, PATHS, TEXTS),
    st.builds(lambda tool, arguments: {"call": {"server": "m", "tool": tool, "arguments": arguments}}, TEXTS, JSON),
    st.builds(lambda times: {"error": 429, "times": times}, st.integers(0, 9)),
    st.builds(lambda where: {"error": 529, "at": where}, st.sampled_from(["before", "stream"])),
    st.builds(lambda seconds: {"stall": seconds}, st.floats(0.1, 9)),
    st.builds(
        lambda seconds, at: {"stall": seconds, "at": at}, st.floats(0.1, 9), st.sampled_from(["before", "stream"])
    ),
    st.builds(
        lambda where, times: {"garbage": where, "times": times},
        st.sampled_from(["body", "stream"]),
        st.integers(0, 3),
    ),
    st.builds(lambda text: {"max_tokens": text}, TEXTS),
)
CASES = st.fixed_dictionaries(
    {
        "turns": st.lists(TEXTS, min_size=1, max_size=2),
        "checks": st.just([{"id": "a", "grader": "answers", "starts_with": "x"}]),
    },
    optional={
        "polarity": st.sampled_from(["positive", "negative"]),
        "workspace": st.dictionaries(PATHS, TEXTS, max_size=1).map(lambda files: {"files": files})
        | st.just({"repository": True}),
        "fixtures": st.just({}) | JSON.map(lambda value: {"m": {"x": value}}),
        "ignore": st.lists(TEXTS, max_size=2),
        "setup": st.lists(TEXTS, max_size=2),
        "stage": st.sampled_from(["any", "last"]),
        "rehearsals": st.lists(ACTS, max_size=3).map(
            lambda script: [{"id": "r", "script": script, "expect": {"with_skill": "failed"}, "because": ["a"]}]
        ),
    },
)
SUITES = st.builds(
    lambda id, cases, options, attempts: {
        "id": id,
        "attempts": attempts,
        "fixtures": {"m": {"use": "mcp", "options": options}},
        "cases": [{"id": name, **case} for name, case in cases.items()],
    },
    SLUGS,
    st.dictionaries(SLUGS, CASES, min_size=1, max_size=2),
    JSON,
    st.integers(1, 9),
)


def load(project, text: str, name: str) -> Loaded:
    return project.load(text, name, fixture_kinds=("mcp",))


@given(SUITES)
@settings(max_examples=80, deadline=None)
def test_the_long_form_reads_again_to_an_equal_suite(made, written):
    loaded = load(made, json.dumps(written), "commit-style.trial.json")

    text = expanded(loaded)

    assert load(made, text, "commit-style.trial.yaml").suite == loaded.suite
    assert expanded(load(made, text, "commit-style.trial.yaml")) == text


@given(SUITES)
@settings(max_examples=30, deadline=None)
def test_the_archives_json_reads_again_to_an_equal_suite(made, written):
    suite = load(made, json.dumps(written), "commit-style.trial.json").suite

    assert Suite.read(suite.write()) == suite


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, project_of) -> object:
    return project_of(tmp_path_factory.mktemp("suite"))


def test_every_default_is_written_out(project):
    text = expanded(project.load("cases: {one: {prompt: Go., expect: [{files: a.txt, contains: x}]}}"))

    for line in (
        "schema_version: 1",
        "id: commit-style",
        "attempts: 1",
        "  seconds: 600",
        "  arm: with_skill",
        "- id: without_skill",
        "  polarity: positive",
        "  - id: files-1",
        "    path: a.txt",
        "    advisory: false",
    ):
        assert line in text.splitlines(), line
    assert "null" not in text


def test_a_prompt_of_several_lines_stays_readable(project):
    text = expanded(project.load('cases: {one: {prompt: "Do this:\\n- a\\n- b\\n", expect: [{answers: x}]}}'))

    assert "  - |\n    Do this:\n    - a\n    - b\n" in text


def test_the_long_form_may_be_written_in_the_place_of_the_short(project):
    loaded = project.load("cases: {one: {prompt: Go., expect: [{files: a.txt, contains: x}]}}")
    Path(loaded.path).write_text(expanded(loaded), "utf-8")

    assert project.load(loaded.path.read_text("utf-8")).suite == loaded.suite
