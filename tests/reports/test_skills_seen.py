"""Which skill was there, how it was reached, what a host does not show (`test_rNN`: our list of reports)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
EVENTS = ("--host", "portable", "--records", "events", "--retries", "0", "--", "./agent.sh")
DONE = '{"type": "TurnEnded", "answer": "Done."}\n{"type": "SessionEnded", "ending": "completed"}'
"""What a program that prints events says when it has answered."""


def telling(*lines: str, work: str = "echo hello > greeting.txt") -> str:
    """An agent that does some work and prints events."""
    return f"#!/bin/sh\ncat > /dev/null\n{work}\ncat <<EOF\n" + "\n".join(lines) + "\nEOF\n"


def step(name: str) -> str:
    """The event of a skill's step, for a shell to fill in; nothing where the skill is not there."""
    return (
        "$([ -f .agents/skills/greeter/SKILL.md ] && printf "
        f'\'{{"type": "SkillStep", "skill": "greeter", "step": "{name}", "path": "%s", "sha256": "%s"}}\' '
        ".agents/skills/greeter/SKILL.md $(sha256sum .agents/skills/greeter/SKILL.md | cut -c1-64))"
    )


# --- R2: the skill under test keeps its name ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "folder"),
    [((), ".agents/skills"), (("--skill-dir", "know-how"), "know-how"), (("--skill-dir", "a/b/c"), "a/b/c")],
)
def test_r02_a_skill_is_installed_under_its_own_name_and_known_by_its_content(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, arguments: tuple[str, ...], folder: str
) -> None:
    suite = greeter(f"#!/bin/sh\ncat > /dev/null\nls -A {folder} > greeting.txt 2>&1\necho hello >> greeting.txt\n")

    ran = skilltrial("run", suite, "--out", "run", "--arm", "with_skill", "--format", "json", *arguments, *AGENT)

    assert ran.code == 0, ran.err
    (kept,) = (tmp_path / "run" / "trials" / "greet" / "with_skill" / "1" / "changed").iterdir()
    assert kept.read_text() == "greeter\nhello\n"
    (skill,) = ran.report["digests"]["skills"]
    assert skill["id"] == "greeter"
    assert skill["sha256"] in (tmp_path / "run" / "trials/greet/with_skill/1/host.jsonl").read_text()


def test_r02_a_step_of_a_skill_with_the_same_name_and_other_content_is_not_one_of_ours(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    foreign = step("read").replace("$(sha256sum .agents/skills/greeter/SKILL.md | cut -c1-64)", "0" * 64)
    elsewhere = step("read").replace('"%s", "sha', '"home/%s", "sha')
    suite = greeter(telling(foreign, elsewhere, DONE))

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *EVENTS)

    assert ran.code == 0, ran.err + ran.out
    assert {row["evidence"] for trial in ran.trials.values() for row in trial["trigger"]} == {"unverified"}


# --- R7, R12: how a skill was reached, and what came of it ---------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "evidence", "reached"),
    [
        (("mentioned",), "unverified", "mentioned"),
        (("offered", "requested"), "unverified", "requested"),
        (("offered", "errored"), "unverified", "errored"),
        (("offered", "read"), "read-observed", "read"),
        (("read", "script_run"), "read-observed", "script_run"),
    ],
)
def test_r07_the_report_tells_how_far_a_skill_came_and_by_which_way(
    skilltrial: Command, greeter: Callable[..., Path], steps: tuple[str, ...], evidence: str, reached: str
) -> None:
    suite = greeter(telling(*map(step, steps), DONE))

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *EVENTS)

    (row,) = ran.trials["greet/with_skill/1"]["trigger"]
    assert (row["evidence"], row["reached"], set(row["steps"])) == (evidence, reached, set(steps))
    (bare,) = ran.trials["greet/without_skill/1"]["trigger"]
    assert (bare["present"], bare["steps"]) == (False, [])


@pytest.mark.parametrize(
    ("steps", "work", "verdict", "evidence"),
    [
        ((), "echo hello > greeting.txt", "passed", "unverified"),
        (("read",), "true", "failed", "read-observed"),
        (("read",), "echo hello > greeting.txt", "passed", "read-observed"),
        ((), "true", "failed", "unverified"),
    ],
    ids=["well without it", "badly with it", "well with it", "badly without it"],
)
def test_r12_whether_a_skill_was_read_and_what_the_agent_did_are_two_answers(
    skilltrial: Command, greeter: Callable[..., Path], steps: tuple[str, ...], work: str, verdict: str, evidence: str
) -> None:
    suite = greeter(telling(*map(step, steps), DONE, work=work))

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *EVENTS)

    trial = ran.trials["greet/with_skill/1"]
    assert (trial["verdict"]["kind"], trial["trigger"][0]["evidence"]) == (verdict, evidence)


# --- R11: what can't be seen is not available, never 0 --------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value"), [("tool_calls", None), ("usage", None), ("models", []), ("model_retries", None)]
)
def test_r11_what_a_host_does_not_show_is_absent_from_the_report(
    skilltrial: Command, greeter: Callable[..., Path], field: str, value: object
) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--format", "json", *AGENT)

    for trial in ran.trials.values():
        assert trial[field] == value, trial[field]
        assert {(row["evidence"], row["reason"]) for row in trial["trigger"]} == {("unverified", "host_does_not_show")}
    assert "Of this host only exit codes and files were observed." in ran.report["limitations"]


def test_r11_a_check_on_what_the_host_does_not_show_is_unverified_and_not_green(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    suite = greeter(
        text="cases:\n  greet:\n    prompt: Greet.\n    workspace: start\n"
        "    expect:\n      - {id: says, grader: answers, contains: Done}\n"
        "      - {id: says_not, grader: answers, lacks: Done}\n"
    )

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *AGENT)

    assert ran.code == 3
    assert set(ran.outcomes("greet/with_skill/1").values()) == {"unverified"}


# --- R21: a skill is where the suite says, whatever folder the command is called from --------------------------------


def test_r21_a_relative_skill_folder_is_the_suites_own_and_what_lay_there_is_named_by_digest(
    skilltrial: Command, greeter: Callable[..., Path], lay: Lay, tmp_path: Path
) -> None:
    """A treated run is never bare: called from a folder with a skill of the same name, it still has the suite's."""
    suite = greeter()
    lay({"elsewhere/greeter/SKILL.md": "---\nname: greeter\ndescription: Another.\n---\nDo nothing.\n"})
    agent = "--host-command", '["./agent.sh"]'

    here = skilltrial("run", suite, "--out", "here", "--format", "json", "--host", "portable", *agent)
    there = skilltrial(
        "run", "../greeter.trial.yaml", "--out", "there", "--format", "json", "--host", "portable", *agent,
        cwd=tmp_path / "elsewhere",
    )  # fmt: skip

    assert (here.code, there.code) == (0, 0), there.err
    assert here.report["digests"]["skills"] == there.report["digests"]["skills"]
    (digest,) = [skill["sha256"] for skill in there.report["digests"]["skills"]]
    records = tmp_path / "elsewhere" / "there" / "trials" / "greet" / "with_skill" / "1" / "host.jsonl"
    assert digest in records.read_text()
    bare = tmp_path / "elsewhere" / "there" / "trials" / "greet" / "without_skill" / "1" / "host.jsonl"
    assert digest not in bare.read_text()
