"""What is refused of an EmbrAIon suite, a host or an archive, before anything starts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
ENTRY = '{"id": "greeter", "candidate": "greeter"}'
"""The suite's one skill, as its text has it."""


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda text, _: text.replace('"positive"', '"sideways"'), "polarity"),
        (lambda text, _: text[:-1], "suite.json:1:"),
        (lambda text, _: text + " " * 2_000_001, "bytes long"),
        (lambda text, canary: text.replace('"fixture"', f'"{canary}"'), "no such key"),
        (lambda text, canary: text.replace('"start"', f'"../{canary}"'), "`..`"),
        (lambda text, canary: text.replace('"start"', f'"{canary}"'), "does not exist"),
        (lambda text, _: text.replace('"id": "greet",', '"id": "greet", "id": "greet",'), "twice"),
        (lambda text, _: text.replace(ENTRY, f"{ENTRY}, {ENTRY}"), "twice"),
        (lambda text, _: text.replace('"hello"', "NaN"), "suite.json:1:"),
        (lambda text, _: text.replace('"greeting.txt"', '"greeting.txt\\n"'), "control character"),
        (lambda text, _: text.replace('"schema-version": 1', '"schema-version": true'), "schema-version"),
    ],
    ids=["polarity", "broken", "big", "key", "path", "no fixture", "double key", "double id", "NaN", "newline", "true"],
)
def test_embraion_08_a_faulty_suite_is_explained_without_a_word_of_its_prompts(
    run: Command,
    skilltrial: Command,
    greetings: Callable[..., Path],
    tmp_path: Path,
    spoil: Callable[[str, str], str],
    says: str,
    *,
    canary: str,
    document: Callable[..., dict[str, Any]],
) -> None:
    suite = greetings(suite=spoil(json.dumps(document()), canary))

    for refused in (run(suite), skilltrial("lint", suite, "--format", "embraion")):
        assert refused.code == 2
        assert says in refused.err
        assert canary not in refused.out + refused.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "out", ["suite.json", "start/agent.sh", "greeter/SKILL.md", "link", "inside/run", "greeter/run"]
)
def test_embraion_09_an_archive_is_never_written_over_or_into_a_source(
    run: Command, greetings: Callable[..., Path], tmp_path: Path, out: str
) -> None:
    suite = greetings('#!/bin/sh\necho called >> "$CALLS"\n')
    (tmp_path / "link").symlink_to("suite.json")
    (tmp_path / "inside").symlink_to("start")
    sources = [suite, tmp_path / "start" / "agent.sh", tmp_path / "greeter" / "SKILL.md"]
    before = [path.read_bytes() for path in sources]
    calls = tmp_path / "calls"

    refused = run(suite, "--out", out, "--pass-env", "CALLS", env={"CALLS": str(calls)})

    assert refused.code == 2, refused.err
    assert not calls.exists()
    assert [path.read_bytes() for path in sources] == before


def test_embraion_09_a_skill_of_another_root_is_a_source_too(
    run: Command, greetings: Callable[..., Path], tmp_path: Path, skill: str
) -> None:
    suite = greetings(**{"elsewhere/greeter/SKILL.md": skill})

    refused = run(suite, "--root", str(tmp_path / "elsewhere"), "--out", "elsewhere/greeter/run")

    assert refused.code == 2
    assert "skill 'greeter'" in refused.err


def test_embraion_10_an_archive_may_lie_behind_a_link_above_it(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")

    assert run(greetings(), "--attempts", "1", "--out", "alias/run").code == 0
    assert (tmp_path / "real" / "run" / "manifest.json").exists()


def test_embraion_14_an_effort_that_claude_code_does_not_have_is_refused(
    run: Command, greetings: Callable[..., Path], tmp_path: Path
) -> None:
    refused = run(greetings(), agent=("--host", "claude", "--effort", "ultra", "--pass-env", "ANTHROPIC_API_KEY"))

    assert refused.code == 2
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "agent",
    [
        ("--host", "portable"),
        ("--host", "portable", "--host-command", "[]"),
        ("--host", "portable", "--model", "m", "--", "./agent.sh"),
        ("--host", "portable", "--skill-dir", "../x", "--", "./agent.sh"),
        ("--host", "codex", "--host-command", '["./agent.sh"]'),
        ("--host", "copilot", "--", "./agent.sh"),
    ],
)
def test_embraion_17_what_a_host_does_not_take_is_refused(
    run: Command, greetings: Callable[..., Path], tmp_path: Path, agent: tuple[str, ...]
) -> None:
    assert run(greetings(), agent=agent).code == 2
    assert not (tmp_path / "run").exists()
