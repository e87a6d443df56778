"""The gate's rules: a pass rate, a majority of repeats; what chance makes of them, printed and simulated."""

from __future__ import annotations

import random
from itertools import product
from math import sqrt

import pytest

from skilltrial.judge.gate import gate, repeats
from skilltrial.model.gates import Gate, chance_red, mean_sessions
from skilltrial.model.report import TrialReport, Verdict
from skilltrial.model.words import Ending, Owner, VerdictKind

KINDS = {
    "P": VerdictKind.PASSED,
    "F": VerdictKind.FAILED,
    "U": VerdictKind.UNVERIFIED,
    "I": VerdictKind.INCOMPLETE,
    "S": VerdictKind.SKIPPED,
}
MAJORITY = Gate(arm="with_skill", majority_of=5)


@pytest.fixture
def trials(w):
    """The trials of some cases in the gate's arm: a letter for each verdict, in the order of attempts."""

    def made(*cases: str, arm: str = "with_skill"):
        return [
            TrialReport(
                key=w.key(f"case-{at}", arm, str(n)),
                polarity="positive",
                verdict=Verdict(kind=KINDS[letter], reason=None if letter == "P" else "told", owner=Owner.AGENT),
                ending=None if letter == "S" else Ending.COMPLETED,
            )
            for at, letters in enumerate(cases)
            for n, letter in enumerate(letters, start=1)
        ]

    return made


@pytest.mark.parametrize(
    ("cases", "decision", "reasons"),
    [
        (["P", "P"], "passed", ["all_passed"]),
        (["P", "FPPPP"], "passed", ["majority_passed"]),
        (["P", "FFPPP"], "passed", ["majority_passed"]),
        (["P", "FFFPP"], "failed", ["majority_failed"]),
        (["P", "FPPFF"], "failed", ["majority_failed"]),
        (["FPPPP", "FFFFF"], "failed", ["majority_failed"]),
        (["P", "F"], "incomplete", ["repeats_missing"]),
        (["P", "FPPP"], "incomplete", ["repeats_missing"]),
        (["P", "FPPPU"], "incomplete", ["told"]),
        (["P", "FFFUU"], "failed", ["majority_failed"]),
        (["U", "FFFPP"], "failed", ["majority_failed"]),
        (["U", "FPPPP"], "incomplete", ["told"]),
        (["S", "P"], "incomplete", ["told"]),
        (["P", "FFFFI"], "incomplete", ["told"]),
        (["I", "FFFFF"], "incomplete", ["told"]),
    ],
)
def test_a_majority_decides_and_what_is_missing_is_never_a_pass(trials, cases, decision, reasons):
    found = gate(MAJORITY, trials(*cases))

    assert (found.decision, list(found.reasons)) == (decision, reasons)
    assert found.exit == {"passed": 0, "failed": 1, "incomplete": 3}[decision]
    assert found.rule == "majority_of=5"


@pytest.mark.parametrize(
    ("case", "decided_by"), [("FFFPP", "3"), ("FPPFF", "5"), ("FPPPF", "4"), ("FFPPP", "5"), ("FPPPP", "4")]
)
def test_the_trial_that_decided_is_the_third_of_its_kind(trials, w, case, decided_by):
    (one,) = gate(MAJORITY, trials(case)).repeated

    assert one.decided_by == w.key("case-0", "with_skill", decided_by)
    assert (one.passed, one.failed) == (case.count("P"), case.count("F"))


def test_only_what_failed_at_first_is_repeated_and_only_in_the_gates_arm(trials):
    first = [*trials("P", "F", "U", "I", "S", "F"), *trials("F", arm="without_skill")]

    assert [(key.case, key.arm, key.label) for key in repeats(MAJORITY, first)] == [
        (case, "with_skill", label) for case in ("case-1", "case-5") for label in "2345"
    ]
    assert repeats(Gate(arm="with_skill"), first) == ()
    assert repeats(MAJORITY, trials("FPFFF")) == repeats(MAJORITY, trials("F")), "a repeat is not repeated"


@pytest.mark.parametrize(
    ("rate", "letters", "decision", "reason"),
    [
        (0.9, "PPPPPPPPPF", "passed", "pass_rate_met"),
        (0.9, "PPPPPPPPFF", "failed", "pass_rate_missed"),
        (0.7, "PPPPPPPFFF", "passed", "pass_rate_met"),
        (0.1, "PFFFFFFFFF", "passed", "pass_rate_met"),
        (0.5, "PPU", "incomplete", "told"),
        (0.5, "FFU", "failed", "pass_rate_missed"),
        (0.5, "PFU", "incomplete", "told"),
        (1, "PPP", "passed", "all_passed"),
        (1, "PPF", "failed", "pass_rate_missed"),
        (0.5, "PPI", "incomplete", "told"),
    ],
)
def test_a_pass_rate_is_met_exactly_and_never_by_what_was_not_seen(trials, rate, letters, decision, reason):
    found = gate(Gate(arm="with_skill", min_pass_rate=rate), trials(letters))

    assert (found.decision, found.reasons) == (decision, (reason,))


# --- What chance makes of it --------------------------------------------------------------------------------------


def test_the_chances_are_those_that_the_plan_of_the_house_prints():
    steady = [0.95] * 8

    assert chance_red(MAJORITY, steady) == pytest.approx(0.0056, abs=0.0001)
    assert mean_sessions(MAJORITY, steady) == pytest.approx(9.6)
    assert chance_red(Gate(arm="x"), steady, attempts=3) == pytest.approx(0.71, abs=0.005)
    assert mean_sessions(Gate(arm="x"), steady, attempts=3) == 24


RULES = [
    (Gate(arm="with_skill"), 2),
    (Gate(arm="with_skill", min_pass_rate=0.5), 2),
    (Gate(arm="with_skill", min_pass_rate=0.75), 2),
    (Gate(arm="with_skill", min_pass_rate=0.7), 3),
    (Gate(arm="with_skill", majority_of=3), 1),
]


@pytest.mark.parametrize(("rule", "attempts"), RULES, ids=lambda one: getattr(one, "rule", one))
def test_a_chance_is_the_sum_over_everything_that_can_happen(trials, rule, attempts):
    """Every outcome of every trial is played through planning and the gate itself, and weighed by its chance."""
    passing = [0.9, 0.6]
    most = rule.majority_of or attempts
    red = 0.0
    for outcomes in product("PF", repeat=most * len(passing)):
        whole = ["".join(outcomes[at * most : (at + 1) * most]) for at in range(len(passing))]
        chance = 1.0
        for one, letters in zip(passing, whole, strict=True):
            for letter in letters:
                chance *= one if letter == "P" else 1 - one
        seen = whole if rule.majority_of is None else [one if one[0] == "F" else one[0] for one in whole]
        red += chance * (gate(rule, trials(*seen)).decision == "failed")

    assert chance_red(rule, passing, attempts) == pytest.approx(red)


@pytest.mark.parametrize(("steady", "runs"), [(0.95, 500), (0.8, 500), (0.6, 500)])
def test_simulated_runs_turn_red_as_often_as_the_chance_says(trials, w, steady, runs):
    """Planning and the gate as they are, an agent that is right so often; the error is that of so many runs."""
    chance = random.Random(20261130)
    red, sessions = 0, 0
    for _ in range(runs):
        seen = trials(*("P" if chance.random() < steady else "F" for _ in range(8)))
        added = [
            one.model_copy(update={"key": key})
            for key in repeats(MAJORITY, seen)
            for one in trials("P" if chance.random() < steady else "F")
        ]
        sessions += len(seen) + len(added)
        red += gate(MAJORITY, [*seen, *added]).decision == "failed"

    printed = chance_red(MAJORITY, [steady] * 8)
    error = sqrt(printed * (1 - printed) / runs)
    assert abs(red / runs - printed) < 3 * error
    assert sessions / runs == pytest.approx(mean_sessions(MAJORITY, [steady] * 8), rel=0.05)
