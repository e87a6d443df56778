"""Trials that were started again, or taken over: what is told of it, and that no verdict hangs on it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from skilltrial.model.capabilities import Sees
from skilltrial.model.facts import Reused


def paid(w, turn=1, **counts):
    return w.event("Usage", turn=turn, **counts)


def failed(w):
    return w.event("SessionEnded", ending="host_failed", cause="server")


@pytest.fixture
def tried(world, w):
    """The report of a trial that passed after these tries, each given by its events."""

    def report(*tries, gives="passed", happened=(), count=None):
        last = w.trial(
            *(happened or (paid(w, input=10), w.ANSWER, w.COMPLETED)), facts={"tries": count or len(tries) + 1}
        )
        earlier = tuple(w.trial(*one).records() if one else () for one in tries)
        return world.verdict(w.check("told", gives), happened=w.replace(last, earlier=earlier))

    return report


@pytest.mark.parametrize(
    ("tries", "usage"),
    [
        (lambda w: [], None),
        (lambda w: [[paid(w, input=100, output=7), failed(w)]], (100, 7)),
        (lambda w: [[paid(w, input=100, output=7)], [paid(w, input=1, output=1)]], (101, 8)),
        (lambda w: [[paid(w, input=100)], [paid(w, input=1, output=1)]], (101, None)),
        (lambda w: [[failed(w)]], None),
        (lambda w: [[paid(w, input=100, output=7)], [failed(w)]], None),
        (lambda w: [[paid(w, turn=0, input=100), failed(w)]], None),
        (lambda w: [[], [paid(w, input=100, output=7)]], (100, 7)),
        (lambda w: [[]], None),
        (lambda w: [["boom"]], None),
        (lambda w: [[paid(w, input=100, output=7)], ["not an event"]], None),
    ],
    ids=[
        "none",
        "one",
        "two",
        "a count",
        "no count",
        "a try",
        "a turn",
        "not begun",
        "nothing",
        "breaks",
        "unreadable",
    ],
)
def test_r59_what_earlier_tries_cost_is_apart_and_unknown_rather_than_too_small(w, tried, tries, usage):
    report = tried(*tries(w))
    found = report.usage_of_earlier_tries
    assert (None if found is None else (found.input, found.output)) == usage
    assert report.usage.input == 10
    assert report.tries == len(tries(w)) + 1


def test_earlier_tries_have_no_cost_where_the_host_shows_none(world, w, tried):
    world.sees -= {Sees.TOKENS, Sees.COST}
    assert tried([paid(w, input=100)]).usage_of_earlier_tries is None


def test_earlier_costs_are_added_exactly_and_counted_in_the_hosts_way(w, tried):
    found = tried([paid(w, cost="0.1")], [paid(w, cost="0.2")]).usage_of_earlier_tries
    assert (found.cost, found.accounting) == ("0.3", "fake")


EARLIER = [
    lambda w: ["boom"],
    lambda w: ["not an event"],
    lambda w: [failed(w)],
    lambda w: [w.ANSWER, w.COMPLETED],
    lambda w: [w.event("SkillStep", turn=1, skill="notes", step="read"), w.COMPLETED],
    lambda w: [w.event("ToolRequested", turn=1, call="c", tool="t", server="memory"), w.COMPLETED],
]


@pytest.mark.parametrize("earlier", EARLIER)
@pytest.mark.parametrize("gives", ["passed", "failed", "unverified"])
def test_no_earlier_try_moves_a_verdict(w, tried, earlier, gives):
    alone, after = tried(gives=gives), tried(earlier(w), gives=gives)
    told = {"usage_of_earlier_tries", "tries"}
    assert after.model_dump(exclude=told) == alone.model_dump(exclude=told)


def test_an_earlier_try_that_passed_does_not_help_one_that_broke(w, tried):
    report = tried([w.ANSWER, w.COMPLETED], happened=[failed(w)])
    assert (report.verdict.kind, report.verdict.reason) == ("incomplete", "host_failed")


def report_of(world, w, **provenance):
    world.trials = {w.key(arm=arm): w.trial() for arm in ("with_skill", "without_skill")}
    world.provenance = world.provenance.model_copy(update=provenance)
    return world.grade().report


def test_a_trial_that_was_taken_over_says_how_old_it_was(world, w):
    began = world.provenance.started
    taken = Reused(key=w.key(arm="without_skill"), archive="b" * 64, started=began - timedelta(days=3, hours=6))

    report = report_of(world, w, reused=(taken,))

    assert {trial.key.arm: trial.reused_days for trial in report.trials} == {"with_skill": None, "without_skill": 3.25}
    assert "1 trial of reference arms taken over from an earlier run." in report.limitations


@pytest.mark.parametrize("why", ["the agent program can't be started", "3 trials in a row showed nothing: host_failed"])
def test_r41_a_run_that_stopped_early_says_why(world, w, why):
    assert f"The run stopped early: {why}." in report_of(world, w, stopped=why).limitations


def test_a_run_that_neither_stopped_nor_took_over_says_neither(world, w):
    report = report_of(world, w)
    assert not any("stopped" in one or "taken over" in one for one in report.limitations)
    assert {trial.reused_days for trial in report.trials} == {None}
