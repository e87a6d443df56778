"""`skilltrial lint` with the real graders: faults are exit 2, notes are not, and an idle agent must not pass a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]

SKILL = "---\nname: greeter\ndescription: How to greet.\n---\nWrite hello into greeting.txt.\n"


def suite(expect: str, *more: str) -> str:
    lines = ["cases:", "  greet:", "    prompt: Greet.", "    workspace: {notes.txt: here, src/a.py: x}", *more]
    return "\n".join([*lines, f"    expect: [{expect}]", ""])


@pytest.mark.parametrize(
    ("expect", "idle"),
    [
        ("{files: notes.txt, exists: true}", True),
        ("{files: notes.txt, contains: here}", True),
        ("{files: notes.txt, lacks: hello}", True),
        ("{files: src/, unchanged: true}", True),
        ("{files: {changed_within: [src/]}}", False),
        ("{calls: {opens_skill: never}}", True),
        ("{calls: {exactly: []}}", True),
        ("{answers: Done}", True),
        ("{files: notes.txt, contains: here}, {calls: {opens_skill: never}}", True),
        ("{files: notes.txt, contains: here}, {files: notes.txt, contains: hello, advisory: true}", True),
        ("{files: notes.txt, contains: here}, {files: notes.txt, contains: hello, arms: [without_skill]}", True),
        ("{files: notes.txt, contains: here}, {files: notes.txt, contains: hello}", False),
        ("{files: greeting.txt, exists: true}", False),
        ("{files: src/, unchanged: true}, {files: greeting.txt, contains: hello}", False),
        ("{calls: {reads_skill: greeter}}", False),
        ("{answers: hello}", False),
    ],
)
def test_r35_a_case_that_an_idle_agent_passes_is_a_fault(
    skilltrial: Command, lay: Lay, expect: str, idle: bool
) -> None:
    lay({"greeter/SKILL.md": SKILL, "greeter.trial.yaml": suite(expect)})

    linted = skilltrial("lint", "greeter.trial.yaml")

    told = "fault: greeter.trial.yaml:5:13: case `greet`: an agent that does nothing passes it"
    assert (told in linted.out) is idle
    assert linted.code == (2 if idle else 0)
    assert ("sound" in linted.out) is not idle


def test_a_golden_file_are_looked_at_too(skilltrial: Command, lay: Lay) -> None:
    lay(
        {
            "greeter/SKILL.md": SKILL,
            "golden.txt": "here",
            "greeter.trial.yaml": suite("{files: notes.txt, equals_file: golden.txt}"),
        }
    )

    linted = skilltrial("lint", "greeter.trial.yaml")

    assert (linted.code, "an agent that does nothing passes it" in linted.out) == (2, True)


def test_notes_count_when_they_are_told_to(skilltrial: Command, lay: Lay) -> None:
    lay({"other/SKILL.md": SKILL, "other.trial.yaml": suite("{files: greeting.txt, exists: true}")})

    assert "note: " in skilltrial("lint", "other.trial.yaml").out
    assert skilltrial("lint", "other.trial.yaml").code == 0
    strict = skilltrial("lint", "other.trial.yaml", "--strict")
    assert strict.code == 2
    assert strict.out.splitlines()[-1].endswith(": 1 fault; 1 case, 2 arms, 0 rehearsals")


def test_an_invalid_skill_is_a_fault(skilltrial: Command, lay: Lay) -> None:
    text = SKILL.replace("description: How to greet.\n", "")
    lay({"greeter/SKILL.md": text, "greeter.trial.yaml": suite("{files: greeting.txt, exists: true}")})

    linted = skilltrial("lint", "greeter.trial.yaml")

    assert linted.code == 2
    assert "fault: greeter.trial.yaml:1:1: skill `greeter`: its SKILL.md has no `description`" in linted.out


@pytest.mark.parametrize("name", ["organization", "guidance"])
def test_the_suites_that_come_with_it_have_neither_fault_nor_note(skilltrial: Command, name: str) -> None:
    linted = skilltrial("lint", name, "--strict")

    assert linted.code == 0, linted.out
