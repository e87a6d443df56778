"""Refused calls, and models that differ: what makes two arms no longer the same but for their skills."""

from __future__ import annotations

import pytest

from skilltrial.model.capabilities import Sees
from skilltrial.model.events import Step


def asked(w, call="c1", tool="Bash", **more):
    return w.event("ToolRequested", turn=1, call=call, tool=tool, **more)


def refused(w, call="c1", tool="Bash", reason="permission"):
    return [asked(w, call, tool), w.event("ToolRejected", turn=1, call=call, reason=reason)]


def denied(w, call="c1", tool="Bash"):
    return w.event("PermissionDecided", turn=1, call=call, tool=tool, decision="denied")


def script(w, command, how=None):
    """A command that was refused, by a rejection or `how`."""
    call = asked(w, "s1", "Shell", input={"command": command})
    return [call, how(w, "s1", "Shell") if how else w.event("ToolRejected", turn=1, call="s1", reason="permission")]


@pytest.fixture
def two(world, w):
    """A pair of trials of one case; what happened in each before its answer."""

    def report(ours=(), theirs=()):
        for arm, happened in (("with_skill", ours), ("without_skill", theirs)):
            world.trials[w.key(arm=arm)] = w.trial(*happened, w.ANSWER, w.COMPLETED)
        return world.grade().report

    return report


def counted(report, arm="with_skill"):
    (trial,) = (trial for trial in report.trials if trial.key.arm == arm)
    return trial.refused_calls, trial.refused_asked


@pytest.mark.parametrize(
    ("happened", "refusals"),
    [
        (lambda w: [], (0, 0)),
        (lambda w: [asked(w)], (0, 0)),
        (refused, (1, 1)),
        (lambda w: refused(w, reason="hook"), (1, 1)),
        (lambda w: refused(w, reason="policy"), (1, 1)),
        (lambda w: refused(w, reason="schema"), (0, 0)),
        (lambda w: refused(w, reason="unknown_tool"), (0, 0)),
        (lambda w: refused(w, tool="Write"), (1, 0)),
        (lambda w: [*refused(w), denied(w)], (1, 1)),
        (lambda w: [denied(w), *refused(w)], (1, 1)),
        (lambda w: [asked(w, tool="exec"), denied(w), *refused(w, tool="exec")[1:]], (1, 1)),
        (lambda w: [*refused(w, tool="exec"), denied(w)], (1, 1)),
        (lambda w: [denied(w, None), denied(w, None, "Write")], (2, 1)),
        (lambda w: [*refused(w), *refused(w, "c2"), *refused(w, "c3", "Write")], (3, 2)),
        (lambda w: [w.event("ToolRejected", turn=1, call="gone", reason="permission")], (1, 0)),
        (lambda w: [w.event("PermissionDecided", turn=1, call="c1", tool="Bash", decision="allowed")], (0, 0)),
    ],
)
def test_refused_calls_are_counted_once_each_and_those_that_the_skill_asks_for_apart(world, w, two, happened, refusals):
    world.asks = ("Bash",)
    assert counted(two(happened(w))) == refusals


def test_a_host_that_does_not_show_refusals_has_no_number_of_them(world, w, two):
    world.asks, world.sees = ("Bash",), frozenset(Sees) - {Sees.PERMISSIONS}
    report = two(refused(w))
    assert counted(report) == (None, None)
    assert report.pairs[0].outcome == "tied-pass"
    assert not any("Refused" in one for one in report.limitations)


def test_what_a_skill_asks_for_counts_only_in_the_arm_that_has_it(world, w, two):
    world.asks = ("Bash",)
    report = two((), refused(w))
    assert (counted(report), counted(report, "without_skill")) == ((0, 0), (1, 0))
    assert report.pairs[0].outcome == "tied-pass"


@pytest.mark.parametrize(
    ("asks", "happened", "outcome"),
    [
        (("Bash",), refused, "unavailable"),
        (("Read", "Bash"), lambda w: [*refused(w, "c0", "Write"), denied(w)], "unavailable"),
        (("Bash",), lambda w: refused(w, tool="Write"), "tied-pass"),
        (("Bash",), lambda w: refused(w, reason="schema"), "tied-pass"),
        ((), refused, "tied-pass"),
        ((), lambda w: script(w, "python /place/skills/notes/scripts/run.py"), "unavailable"),
        ((), lambda w: script(w, "cd skills/notes && python skills/notes/scripts/run.py", denied), "unavailable"),
        ((), lambda w: script(w, "python skills/other/scripts/run.py"), "tied-pass"),
        ((), lambda w: script(w, "cat skills/notes/SKILL.md"), "tied-pass"),
        ((), lambda w: script(w, "python skills/notes/scripts/run.py")[:1], "tied-pass"),
    ],
)
def test_r39_an_arm_that_was_refused_what_its_skill_asks_for_is_compared_with_nothing(
    world, w, two, asks, happened, outcome
):
    world.asks = asks
    report = two(happened(w))
    assert report.pairs[0].outcome == outcome
    assert (report.pair_summary[0].unavailable, report.pair_summary[0].n) == (int(outcome == "unavailable"), 1)
    # A refusal is no fault of the agent's by itself: the checks decide.
    assert {trial.verdict.kind for trial in report.trials} == {"passed"}


def test_refusals_are_a_headline_of_each_arm(world, w, two):
    world.asks = ("Bash",)
    report = two([*refused(w), *refused(w, "c2", "Write")], refused(w, tool="Write"))
    told = [one for one in report.limitations if one.startswith("Refused")]
    asked_for = ", 1 of them for what its skill asks for (see `allow`)"
    assert told == [
        f"Refused in arm with_skill: 2 tool calls{asked_for}; owner operator.",
        "Refused in arm without_skill: 1 tool call; owner operator.",
    ]
    assert report.limitations[0] == told[0]


def test_no_headline_is_made_of_nothing(two):
    assert not any("Refused" in one for one in two().limitations)


# --- Models ----------------------------------------------------------------------------------------------------------


def answered(w, *models):
    return [w.event("ModelRequested", turn=1, model=model) for model in models]


SENTENCE = "Not all trials were answered by the same model: pairs of different models are unavailable."


@pytest.mark.parametrize(
    ("ours", "theirs", "outcome"),
    [
        (["m-1"], ["m-1"], "tied-pass"),
        (["m-1", "m-2"], ["m-2", "m-1", "m-1"], "tied-pass"),
        (["m-1"], [], "tied-pass"),
        ([], [], "tied-pass"),
        (["m-1"], ["m-2"], "unavailable"),
        (["m-1"], ["m-1", "m-2"], "unavailable"),
    ],
)
def test_r23_arms_that_different_models_answered_are_no_pair(w, two, ours, theirs, outcome):
    report = two(answered(w, *ours), answered(w, *theirs))
    assert report.pairs[0].outcome == outcome
    assert [one for one in report.limitations if "same model" in one] == [SENTENCE] * (outcome == "unavailable")


def test_models_that_are_not_shown_are_not_compared(world, w, two):
    world.sees -= {Sees.MODEL_IDS}
    report = two(answered(w, "m-1"), answered(w, "m-2"))
    assert report.pairs[0].outcome == "tied-pass"
    assert {trial.models for trial in report.trials} == {()}


# --- Whether a skill was read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("happened", "reason"),
    [
        (lambda w: [], "not_observed"),
        (lambda w: [w.step(Step.OFFERED)], "not_observed"),
        (lambda w: [w.step(Step.MENTIONED)], "not_observed"),
        (lambda w: [w.event("Unrecognized", why="unknown")], "not_observed"),
        (lambda w: [w.event("Truncated", where="session_log")], "no_read_observed"),
        (lambda w: [w.event("Truncated", where="stdout")], "no_read_observed"),
        (lambda w: [w.event("Unrecognized", why="shell_command")], "no_read_observed"),
        (lambda w: [w.step(Step.REQUESTED)], "no_read_observed"),
        (lambda w: [w.step(Step.REQUESTED), w.step(Step.ERRORED)], "load_errored"),
        (lambda w: [w.step(Step.REQUESTED), w.step(Step.READ)], None),
        (lambda w: [w.event("Truncated", where="stdout"), w.step(Step.READ)], None),
        (lambda w: [w.step(Step.ERRORED), w.step(Step.SCRIPT_RUN)], None),
    ],
)
def test_r10_a_skill_is_called_unread_only_where_the_records_are_whole(w, two, happened, reason):
    (row,) = two(happened(w)).trials[0].trigger
    assert (row.reason, row.evidence) == (reason, "unverified" if reason else "read-observed")


@pytest.mark.parametrize(
    ("hidden", "happened", "reason"),
    [
        ({Sees.SKILL_READS}, lambda w: [], "no_read_observed"),
        ({Sees.SKILL_READS, Sees.TOOL_CALLS}, lambda w: [], "host_does_not_show"),
        ({Sees.SKILL_READS, Sees.TOOL_CALLS}, lambda w: [w.step(Step.MENTIONED)], "no_read_observed"),
    ],
)
def test_r11_what_a_host_does_not_show_is_never_called_unread(world, w, two, hidden, happened, reason):
    world.sees -= hidden
    assert two(happened(w)).trials[0].trigger[0].reason == reason


@pytest.mark.parametrize("ending", ["host_failed", "interrupted", "time_limit"])
def test_a_session_that_did_not_come_to_its_end_leaves_a_skill_neither_read_nor_unread(world, w, ending):
    report = world.verdict(happened=w.trial(w.event("SessionEnded", ending=ending)))
    assert report.trigger[0].reason == "no_read_observed"
