"""What was not done is never green (`test_rNN`: our list of reports)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
BARE = "arms: [{id: bare}]\ngate: {arm: bare}\n"


# --- R5: a missing attempt keeps an empty cell --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "arguments"),
    [
        ("echo hello > greeting.txt", ("--max-sessions", "2")),
        ("exit 5", ("--retries", "0")),
        ("echo hello > greeting.txt; sleep 0.6", ("--max-time", "0.5")),
    ],
    ids=["sessions used up", "host broken", "time used up"],
)
def test_r05_an_attempt_that_was_not_made_is_in_the_table_and_no_gate_passes(
    skilltrial: Command, greeter: Callable[..., Path], agent: str, arguments: tuple[str, ...]
) -> None:
    suite = greeter(f"#!/bin/sh\n{agent}\n")

    ran = skilltrial(
        "run", suite, "--out", "run", "--attempts", "3", "--jobs", "1", "--format", "json", *arguments, *AGENT
    )

    assert ran.code == 3
    assert len(ran.trials) == 6
    missing = [one for one in ran.trials.values() if one["verdict"]["reason"] == "not_run"]
    assert missing
    assert {(one["verdict"]["kind"], one["ending"]) for one in missing} == {("incomplete", None)}
    (whole,) = [one for one in ran.report["counts"] if one["arm"] == "with_skill" and one["case"] == "greet"]
    assert whole["n"] == whole["planned"] == 3
    assert whole["sealed"] + sum(one["key"]["arm"] == "with_skill" for one in missing) == 3
    assert any(f"{len(missing)} of 6 planned trials left no seal" in one for one in ran.report["limitations"])


# --- R35: an agent that does nothing passes no case -----------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    [
        "{files: notes.txt, exists: true}",
        "{files: notes.txt, contains: here}",
        "{files: notes.txt, unchanged: true}",
        "{files: other.txt, exists: false}",
        "{files: {nothing_changed: true}}",
    ],
)
def test_r35_a_case_that_an_agent_passes_by_doing_nothing_is_named_as_faulty(
    skilltrial: Command, lay: Lay, check: str
) -> None:
    lay(
        {
            "s.trial.yaml": f"{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: {{notes.txt: here}}\n"
            f"    expect: [{check}]\n    rehearsals: [{{id: honest, expect: passed, script: [{{say: Fine.}}]}}]\n"
        }
    )

    rehearsed = skilltrial(
        "rehearse", "s.trial.yaml", "--out", "run", "--format", "json", "--host", "portable", "--", "skilltrial-agent"
    )

    assert rehearsed.code == 1, rehearsed.err
    (fault,) = rehearsed.report["rehearsal"]["faults"]
    assert (fault["case"], fault["fault"]) == ("c", "cannot_fail")
    assert "null" in fault["agents"]


# --- R39: effects count, not intentions -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "agent",
    [
        "echo 'I have written hello to greeting.txt.'",
        "echo hello > /dev/null; echo hello > ../home/greeting.txt",
        "mkdir -p out; echo hello > out/greeting.txt",
        "echo 'echo hello > greeting.txt' > do-it.sh",
        "touch greeting.txt",
    ],
    ids=["claims", "beside the project", "wrong path", "a plan", "an empty file"],
)
def test_r39_what_an_agent_meant_to_do_is_not_what_it_did(
    skilltrial: Command, greeter: Callable[..., Path], agent: str
) -> None:
    ran = skilltrial("run", greeter(f"#!/bin/sh\n{agent}\n"), "--out", "run", "--format", "json", *AGENT)

    assert ran.code == 1
    assert set(ran.verdicts.values()) == {"failed"}


# --- R46: zero executed cases are never green -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suite", "arguments"),
    [
        ("cases:\n  greet:\n    turns: [Hello., And again.]\n    workspace: start\n{expect}", ()),
        ("cases:\n  greet:\n    prompt: Hello.\n    needs: [mcp_http]\n    workspace: start\n{expect}", ()),
        ("cases:\n  greet:\n    prompt: Hello.\n    workspace: start\n{expect}", ("--arm", "without_skill")),
        ("cases:\n  greet:\n    prompt: Hello.\n    workspace: start\n{expect}", ("--max-time", "0.000001")),
    ],
    ids=["skipped for its turns", "skipped for its needs", "the gate's arm left out", "no time"],
)
def test_r46_a_run_in_which_the_gates_arm_did_not_take_part_is_not_green(
    skilltrial: Command, greeter: Callable[..., Path], suite: str, arguments: tuple[str, ...]
) -> None:
    path = greeter(
        "#!/bin/sh\necho hello > greeting.txt\n",
        text=suite.format(expect="    expect: [{files: greeting.txt, contains: hello}]\n"),
    )

    ran = skilltrial("run", path, "--out", "run", "--format", "json", *arguments, *AGENT)

    assert ran.code == 3, ran.err
    assert ran.report["gate"]["decision"] == "incomplete"
    assert ran.report["gate"]["reasons"]


def test_r46_a_skipped_case_of_two_keeps_the_gate_from_passing_and_says_why(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    path = greeter(
        text="cases:\n  greet:\n    prompt: Hello.\n    workspace: start\n"
        "    expect: [{files: greeting.txt, contains: hello}]\n"
        "  talk:\n    turns: [Hello., More.]\n    workspace: start\n    expect: [{files: a, exists: true}]\n"
    )

    ran = skilltrial("run", path, "--out", "run", "--format", "json", *AGENT)

    assert ran.code == 3
    assert ran.verdicts["greet/with_skill/1"] == "passed"
    assert ran.trials["talk/with_skill/1"]["verdict"] == {
        "kind": "skipped", "reason": "needs_multi_turn", "owner": "operator", "check": None,
    }  # fmt: skip
