"""Gates on whole runs: what a case that fails at first costs, what decides, and that the archive tells it alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")
JSON = ("--format", "json")


@pytest.fixture
def flaky(tmp_path: Path, greeter: Callable[..., Path]) -> Callable[..., Path]:
    """A suite of two cases whose agent does in each session with the skill what the next letter of a plan says."""

    def made(letters: str, gate: str = "") -> Path:
        plan = tmp_path / "letters"
        plan.mkdir()
        for at, letter in enumerate(letters, start=1):
            (plan / f"{at}{letter}").touch()
        agent = f"""\
#!/bin/sh
read -r prompt
if [ ! -f .agents/skills/greeter/SKILL.md ]; then exit 0; fi
case "$prompt" in *steady*) echo hello > greeting.txt; exit 0;; esac
for letter in "{plan}"/*; do
  mv "$letter" "{tmp_path}/taken" 2> /dev/null || continue
  case "$letter" in *P) echo hello > greeting.txt;; esac
  exit 0
done
"""
        case = "workspace: start, expect: [{files: greeting.txt, contains: hello}]"
        text = f"""\
{gate}
cases:
  steady: {{prompt: "Greet, steady.", {case}}}
  flaky: {{prompt: "Greet.", {case}}}
"""
        return greeter(agent, text=text)

    return made


@pytest.mark.parametrize(
    ("letters", "code", "decided"),
    [("FPPPP", 0, ("majority_passed", "4")), ("FFPPF", 1, ("majority_failed", "5"))],
)
def test_only_a_case_that_fails_is_run_again_and_the_sealed_archive_tells_what_decided(
    skilltrial: Command,
    flaky: Callable[..., Path],
    tmp_path: Path,
    letters: str,
    code: int,
    decided: tuple[str, str],
) -> None:
    suite = flaky(letters, "gate: {majority_of: 5}")

    ran = skilltrial("run", suite, "--out", "run", "--jobs", "1", *JSON, *AGENT)

    assert ran.code == code, ran.err
    gate = ran.report["gate"]
    (repeated,) = gate["repeated"]
    assert (gate["rule"], repeated["case"]) == ("majority_of=5", "flaky")
    assert (*gate["reasons"], repeated["decided_by"]["label"]) == decided
    assert sorted(key for key in ran.trials if "with_skill" in key and "without" not in key) == [
        *(f"flaky/with_skill/{n}" for n in range(1, 6)),
        "steady/with_skill/1",
    ]
    assert "failed at first, repeated for the gate: flaky (4 sessions more)" in ran.err
    assert ran.report["pair_summary"][0]["n"] == 2, "a repeat has nothing to be paired with"
    plan = json.loads((tmp_path / "run" / "plan.json").read_text())
    assert [key["label"] for key in plan["repeats"]] == ["2", "3", "4", "5"]
    again = skilltrial("grade", "run", *JSON)
    assert (again.code, again.out) == (code, ran.out)
    assert skilltrial("verify", "run").code == 0


def test_an_agent_that_never_fails_costs_one_session_a_case(skilltrial: Command, flaky: Callable[..., Path]) -> None:
    ran = skilltrial("run", flaky("P"), "--gate", "majority_of=5", "--out", "run", *JSON, *AGENT)

    assert (ran.code, len(ran.trials)) == (0, 4)
    assert "at most 8 sessions more" in " ".join(ran.err.split())


def test_a_budget_that_ends_among_the_repeats_leaves_the_gate_open_and_the_run_can_be_taken_up(
    skilltrial: Command, flaky: Callable[..., Path]
) -> None:
    suite = flaky("FPPPP", "gate: {majority_of: 5}")

    ran = skilltrial("run", suite, "--out", "run", "--max-sessions", "6", "--jobs", "1", *JSON, *AGENT)

    assert ran.code == 3
    assert "not_run" in ran.report["gate"]["reasons"]
    assert sum(trial["ending"] is not None for trial in ran.trials.values()) == 6
    resumed = skilltrial("run", "--resume", "run", *JSON)
    assert resumed.code == 0, resumed.err
    assert resumed.report["gate"]["reasons"] == ["majority_passed"]
    assert len(resumed.trials) == 8


def test_a_run_that_was_stopped_before_its_repeats_were_planned_goes_on_with_them(
    skilltrial: Command, flaky: Callable[..., Path], tmp_path: Path
) -> None:
    """Its archive is as a kill between the first round and the second leaves it."""
    suite = flaky("FPPPP")
    skilltrial("run", suite, "--out", "run", "--jobs", "1", *AGENT)
    (tmp_path / "run" / "manifest.json").unlink()
    suite_file = tmp_path / "run" / "inputs" / "suite.json"
    suite_file.write_text(suite_file.read_text().replace('"majority_of": null', '"majority_of": 5'))
    suite_file.write_text(suite_file.read_text().replace('"require": "all"', '"require": null'))

    resumed = skilltrial("run", "--resume", "run", *JSON)

    assert resumed.code == 0, resumed.err
    assert (resumed.report["gate"]["rule"], len(resumed.trials)) == ("majority_of=5", 8)


def test_another_gate_may_be_asked_of_sealed_evidence_and_the_report_says_so(
    skilltrial: Command, flaky: Callable[..., Path]
) -> None:
    skilltrial("run", flaky("PF"), "--out", "run", "--attempts", "2", "--jobs", "1", *AGENT)

    met = skilltrial("grade", "run", "--gate", "min_pass_rate=0.75", *JSON)
    missed = skilltrial("grade", "run", "--gate", "min_pass_rate=0.8", *JSON)
    other = skilltrial("grade", "run", "--gate", "arm=without_skill,all", *JSON)
    unrepeated = skilltrial("grade", "run", "--gate", "majority_of=5", *JSON)

    assert [one.code for one in (met, missed, other, unrepeated)] == [0, 1, 1, 0]
    assert met.report["gate"]["reasons"] == ["pass_rate_met"]
    assert "The gate min_pass_rate=0.75 was chosen after the run; the run's own was all." in met.report["limitations"]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("majority_of=4", "majority_of=5"),
        ("majority_of=x", "is no gate"),
        ("min_pass_rate=0", "min_pass_rate=0.9"),
        ("min_pass_rate=nan", "min_pass_rate=0.9"),
        ("min_pass_rate=x", "a rate is a number above 0"),
        ("all,majority_of=5", "one rule"),
        ("lift=0.2", "no gate decides on the difference between arms yet"),
        ("no_worse_than", "no gate decides on the difference between arms yet"),
        ("arm=nobody", "it has: without_skill, with_skill"),
        ("", "is no gate"),
    ],
)
def test_a_gate_that_is_none_is_refused_before_anything_starts(
    skilltrial: Command, flaky: Callable[..., Path], tmp_path: Path, rule: str, said: str
) -> None:
    suite = flaky("P")
    ran = skilltrial("run", suite, "--gate", rule, "--out", "run", *AGENT)

    assert ran.code == 2
    assert said in " ".join(ran.err.split())
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("gate: {majority_of: 5, min_pass_rate: 0.9}", "a gate decides by one rule"),
        ("gate: {majority_of: 4}", "majority_of"),
        ("gate: {min_pass_rate: 1.5}", "min_pass_rate"),
        ("gate: {lift: 0.2}", "no gate decides on the difference between arms yet"),
        ("gate: {majority_of: 5}\nattempts: 3", "`majority_of` repeats a case that fails by itself"),
    ],
)
def test_a_suites_gate_that_can_not_decide_is_a_fault_with_its_place(
    skilltrial: Command, flaky: Callable[..., Path], gate: str, said: str
) -> None:
    linted = skilltrial("lint", flaky("P", gate))

    assert linted.code == 2
    assert said in " ".join(linted.err.split())
    assert "greeter.trial.yaml:1" in linted.err or "greeter.trial.yaml:2" in linted.err


def test_attempts_beside_a_majority_are_refused(skilltrial: Command, flaky: Callable[..., Path]) -> None:
    ran = skilltrial("run", flaky("P"), "--gate", "majority_of=5", "--attempts", "3", "--out", "run", *AGENT)

    assert ran.code == 2
    assert "wants one attempt, not 3" in " ".join(ran.err.split())
