"""What lint says of a gate: exact chances, compared here with trials that are counted one by one."""

from __future__ import annotations

import itertools
import math

import pytest

from skilltrial.model.gates import Gate, chance_red
from skilltrial.record.chances import gate_chances

CASE = "{prompt: Go., workspace: {a.txt: x}, expect: [{files: a.txt, contains: y}]}"


def told(project, cases: int, gate: str, attempts: int = 1) -> dict[str, list[str]]:
    listed = ", ".join(f"c{at}: {CASE}" for at in range(cases))
    suite = project.load(f"gate: {gate}\nattempts: {attempts}\ncases: {{{listed}}}\n").suite
    head, *rows = gate_chances(suite)
    assert all(len(row) <= 80 for row in (head, *rows))
    return {"head": [head], **{row[:40].strip(): row[40:].split() for row in rows}}


def test_a_majority_of_five_is_rarely_red_by_chance_and_costs_little(project):
    rows = told(project, 8, "{arm: with_skill, majority_of: 5}")

    assert rows["head"] == ["gate majority_of=5 of 8 cases, by chance alone:"]
    assert rows["an unchanged skill is red in"][1] == "0.6%"
    assert rows["sessions of the arm with_skill"][1] == "9.6"
    assert rows["a case that falls to 0% is caught in"] == ["100%"] * 4


def test_all_of_three_attempts_is_red_most_of_the_time(project):
    rows = told(project, 8, "{arm: with_skill}", attempts=3)

    assert rows["head"] == ["gate all of 8 cases x 3 attempts, by chance alone:"]
    assert rows["an unchanged skill is red in"][1] == "71%"
    assert rows["sessions of the arm with_skill"] == ["24.0"] * 4


@pytest.mark.parametrize("passing", [0.9, 0.95, 0.5])
def test_the_chance_of_a_majority_is_that_of_all_orders_counted(passing):
    """Every sequence of five outcomes with its probability: red where the first failed and most of the five did."""
    red = math.fsum(
        math.prod(passing if ok else 1 - passing for ok in outcomes)
        for outcomes in itertools.product((True, False), repeat=5)
        if not outcomes[0] and outcomes.count(False) >= 3
    )

    assert chance_red(Gate(arm="with_skill", majority_of=5), [passing] * 3) == pytest.approx(1 - (1 - red) ** 3)


def test_where_nothing_is_checked_there_is_no_chance_to_tell(project):
    assert gate_chances(project.load("cases: {a: {prompt: Go., observe: true}}\n").suite) == ()
