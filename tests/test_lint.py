"""`skilltrial lint` with the real graders: faults are exit 2, notes are not, and an idle agent must not pass a case."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.resources import files
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


MCP = "use: mcp, catalog: c.json, replies: r.yaml"


@pytest.mark.parametrize(
    ("entry", "script", "told"),
    [
        ("use: mcp", "", [":1:20: fixture 'mcp': needs the option `catalog`"]),
        ("use: mcp, catalog: c.json", "", [":1:20: fixture 'mcp': needs the option `replies`, the file"]),
        ("use: mcp, catalogue: c.json", "", [":1:20: fixture 'mcp': takes no option `catalogue`; did you mean"]),
        (
            "use: mcp, catalog: none.json, replies: none.yaml",
            "",
            [":1:20: none.json, which the suite names, can't be read", ":1:20: none.yaml, which the suite names"],
        ),
        ("use: mcp, catalog: r.yaml, replies: r.yaml", "", [":1:20: r.yaml:"]),
        ("use: commands", "", [":1:20: fixture 'commands': needs the option `programs`"]),
        (MCP, "", [":1:20: the case must say which `script` of the replies it plays"]),
        (MCP, "script: none", [":6:24: case `greet`: the replies have no such `script`"]),
        (f"{MCP}, contract: {{old: [fly]}}", "script: scope", [":1:20: old: fixture 'memory' does not offer fly"]),
        (f"{MCP}, contract: {{old: [get_scope]}}", "script: scope", []),
    ],
)
def test_a_suite_whose_fixture_no_run_would_take_is_not_called_sound(
    skilltrial: Command, lay: Lay, entry: str, script: str, told: list[str]
) -> None:
    guidance = files("skilltrial_suite_guidance")
    text = suite("{files: greeting.txt, exists: true}", f"    fixtures: {{memory: {{{script}}}}}")
    lay(
        {
            "greeter/SKILL.md": SKILL,
            "greeter.trial.yaml": f"fixtures: {{memory: {{{entry}}}}}\n{text}",
            "c.json": (guidance / "catalog.json").read_text("utf-8"),
            "r.yaml": (guidance / "replies.yaml").read_text("utf-8"),
        }
    )

    linted = skilltrial("lint", "greeter.trial.yaml")

    faults = [line for line in linted.out.splitlines() if line.startswith("fault: ")]
    assert [one for one in told if not any(one in fault for fault in faults)] == [], linted.out
    assert (linted.code, "sound" in linted.out) == ((2, False) if told else (0, True))
    asked = ("run", "greeter.trial.yaml", "--dry-run", "--host", "portable", "--", "true")
    assert skilltrial(*asked).code == (2 if told else 0), "a run says the same"


@pytest.mark.parametrize("case", ["one", "two"])
def test_what_only_one_case_sets_wrongly_is_told_of_that_case(skilltrial: Command, lay: Lay, case: str) -> None:
    guidance = files("skilltrial_suite_guidance")
    scripts = {"one": "scope", "two": "scope", case: "none"}
    cases = "".join(
        f"  {name}:\n    prompt: Greet.\n    fixtures: {{memory: {{script: {script}}}}}\n"
        "    expect: [{files: greeting.txt, exists: true}]\n"
        for name, script in scripts.items()
    )
    lay(
        {
            "greeter/SKILL.md": SKILL,
            "greeter.trial.yaml": f"fixtures: {{memory: {{{MCP}}}}}\ncases:\n{cases}",
            "c.json": (guidance / "catalog.json").read_text("utf-8"),
            "r.yaml": (guidance / "replies.yaml").read_text("utf-8"),
        }
    )

    linted = skilltrial("lint", "greeter.trial.yaml")

    line = 5 if case == "one" else 9
    (fault,) = [one for one in linted.out.splitlines() if one.startswith("fault: ")]
    assert fault.startswith(f"fault: greeter.trial.yaml:{line}:24: case `{case}`: the replies have no such `script`"), (
        fault
    )
    assert linted.code == 2


@pytest.mark.parametrize("name", ["organization", "guidance"])
def test_the_suites_that_come_with_it_have_neither_fault_nor_note(skilltrial: Command, name: str) -> None:
    linted = skilltrial("lint", name, "--strict")

    assert linted.code == 0, linted.out
