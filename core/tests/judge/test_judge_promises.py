"""A rehearsal: promised, got, kept; and the cases that show nothing."""

from __future__ import annotations

import json

import pytest

from skilltrial.judge.rendering import render
from skilltrial.model.capabilities import Sees
from skilltrial.model.plan import Skip


def script(id, expect="passed", **more):
    return {"id": id, "expect": expect, "script": [{"say": "done"}], **more}


@pytest.fixture
def rehearse(world, w):
    """One case with these checks and rehearsals; every label is a trial in the arm `with_skill`."""

    def given(rehearsals, labels, *checks, **trials):
        world.cases = [w.case(checks=list(checks), rehearsals=rehearsals)]
        world.trials = {w.key(label=label): trials.get(label, w.trial()) for label in labels}
        return world.rehearse().report

    return given


def answers(w, *texts):
    return [{"id": f"says-{text}", "grader": "tell", "answered": text} for text in texts]


def saying(w, text):
    return w.trial(w.event("TurnEnded", turn=1, answer=text), w.COMPLETED)


def row(report, rehearsal):
    return next(one for one in report.rehearsal.promises if one.rehearsal == rehearsal)


def test_a_good_suite_keeps_every_promise(rehearse, w):
    scripts = [script("honest"), script("forgets", "failed", because=["says-b"])]
    report = rehearse(
        scripts,
        ["wrecker", "null", "forgets", "talker", "honest"],
        *answers(w, "a", "b"),
        honest=saying(w, "a b"),
        forgets=saying(w, "a"),
        null=saying(w, "hm"),
        talker=saying(w, "it works"),
        wrecker=saying(w, "gone"),
    )
    assert {one.kept for one in report.rehearsal.promises} == {"yes"}
    assert (report.gate.decision, report.gate.exit, report.rehearsal.faults) == ("passed", 0, ())
    assert [one.rehearsal for one in report.rehearsal.promises] == ["honest", "forgets", "null", "talker", "wrecker"]
    assert report.pairs == ()


@pytest.mark.parametrize(
    ("said", "because", "kept", "why"),
    [
        ("a", ["says-b"], "yes", None),
        ("", ["says-b"], "no", "other_check_failed"),
        ("a", ["says-a", "says-b"], "no", "promised_check_held"),
        ("b", ["says-b"], "no", "promised_check_held"),
        ("a b", ["says-b"], "no", "verdict"),
        ("", [], "yes", None),
    ],
)
def test_failing_for_another_reason_than_promised_breaks_the_promise(rehearse, w, said, because, kept, why):
    report = rehearse(
        [script("honest"), script("bad", "failed", because=because)],
        ["honest", "bad"],
        *answers(w, "a", "b"),
        honest=saying(w, "a b"),
        bad=saying(w, f"{said} x"),
    )
    assert (row(report, "bad").kept, row(report, "bad").why) == (kept, why)
    assert report.gate.exit == (0 if kept == "yes" else 1)


def test_an_advisory_check_is_no_other_reason(rehearse, w):
    report = rehearse(
        [script("bad", "failed", because=["says-b"]), script("honest")],
        ["bad", "honest"],
        *answers(w, "b"),
        w.check("style", "failed", advisory=True),
        bad=saying(w, "a"),
        honest=saying(w, "b"),
    )
    assert report.gate.exit == 0


def test_a_reason_that_is_not_asked_in_this_arm_is_not_waited_for(world, w):
    world.cases = [
        w.case(
            checks=[*answers(w, "b"), w.check("with", "failed", arms=["with_skill"])],
            rehearsals=[script("bad", "failed", because=["says-b", "with"])],
        )
    ]
    world.trials = {w.key(arm=arm, label="bad"): saying(w, "a") for arm in ("with_skill", "without_skill")}
    promises = world.rehearse().report.rehearsal.promises
    assert [(one.arm, one.kept) for one in promises] == [("without_skill", "yes"), ("with_skill", "yes")]


def test_a_promise_may_differ_by_arm(world, w):
    expect = {"with_skill": "passed", "without_skill": "failed"}
    world.cases = [
        w.case(
            checks=[w.check("told", "failed", arms=["without_skill"]), w.check("ok")], rehearsals=[script("s", expect)]
        )
    ]
    world.trials = {w.key(arm=arm, label="s"): w.trial() for arm in expect}
    report = world.rehearse().report
    assert {(one.arm, one.promised, one.kept) for one in report.rehearsal.promises} == {
        ("with_skill", "passed", "yes"),
        ("without_skill", "failed", "yes"),
    }


@pytest.mark.parametrize("agent", ["null", "talker", "wrecker"])
def test_r35_an_agent_that_must_not_pass_and_does_breaks_its_promise(rehearse, w, agent):
    report = rehearse([script("honest")], ["honest", agent], w.check("told"))
    assert (row(report, agent).promised, row(report, agent).kept) == ("not_passed", "no")
    assert report.gate.exit == 1


@pytest.mark.parametrize("agents", [["null"], ["talker"], ["null", "talker"]])
def test_r35_a_case_that_an_idle_agent_passes_cannot_fail(rehearse, w, agents):
    report = rehearse([script("honest")], ["honest", *agents], w.check("told"))
    assert [(one.fault, one.agents) for one in report.rehearsal.faults] == [("cannot_fail", tuple(agents))]
    assert "cannot_fail" in report.gate.reasons
    assert "cannot fail" in render(report, "plain")


def test_a_case_that_no_script_passes_cannot_pass(rehearse, w):
    report = rehearse([script("honest", "failed")], ["honest", "null"], w.check("told", "failed"))
    assert [one.fault for one in report.rehearsal.faults] == ["cannot_pass"]
    assert (report.gate.decision, report.gate.exit) == ("failed", 1)
    assert "cannot pass" in render(report, "plain")


@pytest.mark.parametrize(
    "left_out",
    [
        script("edits"),
        script("edits", arms=["without_skill"]),
        script("edits", {"without_skill": "passed", "with_skill": "failed"}),
    ],
    ids=["a script", "an arm of it alone", "the arm in which it passes"],
)
def test_what_was_not_asked_for_might_have_passed_the_case(rehearse, w, left_out):
    played = ["says"] if left_out["expect"] == "passed" else ["says", "edits"]
    report = rehearse([script("says", "failed"), left_out], played, w.check("told", "failed"))
    assert report.rehearsal.faults == ()
    assert report.gate.exit == 0


@pytest.mark.parametrize(
    ("notes", "impossible"),
    [
        (['{"note": "not_possible", "act": "run"}'], True),
        (['{"messages": []}', '{"note":"not_possible"}'], True),
        (['{"note": "absent"}'], False),
        (['{"messages": ["not_possible"]}', '"not_possible"', '["not_possible"', '["not_possible"]'], False),
    ],
)
def test_an_act_that_the_program_has_no_tool_for_is_never_kept(rehearse, w, notes, impossible):
    report = rehearse([script("honest")], ["honest"], w.check("told"), honest=w.trial(model=notes))
    assert row(report, "honest").kept == ("not_possible" if impossible else "yes")
    assert report.gate.exit == (3 if impossible else 0)
    assert report.rehearsal.faults == ()


@pytest.mark.parametrize("label", ["honest", "null"])
def test_a_trial_that_broke_keeps_nothing_not_even_that_an_agent_did_not_pass(rehearse, w, label):
    broken = w.trial(w.event("SessionEnded", ending="host_failed"))
    report = rehearse([script("honest")], ["honest", "null"], w.check("told"), **{label: broken})
    assert (row(report, label).kept, row(report, label).why) == ("no", "host_failed")
    assert (report.gate.exit, report.gate.deciding) == (3, (w.key(label=label),))


def test_a_broken_trial_may_be_what_was_promised(rehearse, w):
    broken = w.trial(w.event("SessionEnded", ending="host_failed", cause="server"))
    report = rehearse(
        [script("honest"), script("outage", "incomplete")], ["honest", "outage"], w.check("told"), outage=broken
    )
    assert (row(report, "outage").kept, report.gate.exit) == ("yes", 3 if report.rehearsal.faults else 0)


@pytest.mark.parametrize("label", ["honest", "null"])
def test_what_this_host_does_not_show_is_no_fault_of_the_suite(rehearse, world, w, label):
    world.sees = frozenset({Sees.ANSWERS})
    report = rehearse([script("honest")], [label], w.check("told", needs=["tool_calls"]))
    assert (row(report, label).kept, row(report, label).why) == ("not_possible", "not_observable")
    assert (report.gate.exit, report.rehearsal.faults) == (3, ())


def test_an_unverified_trial_of_another_reason_is_not_what_was_promised(rehearse, w):
    report = rehearse([script("honest")], ["honest"], w.check("told", "unverified", owner="agent"))
    assert (row(report, "honest").kept, report.gate.exit) == ("no", 1)


@pytest.mark.parametrize("missing", ["all", "one"])
def test_a_rehearsal_that_did_not_run_is_incomplete(rehearse, w, missing):
    report = rehearse(
        [script("honest")],
        ["honest", "null"],
        w.check("told"),
        **({"honest": None, "null": None} if missing == "all" else {"honest": None}),
    )
    assert report.gate.exit == 3
    assert "not_run" in report.gate.reasons


def test_a_skipped_rehearsal_is_not_possible_here(world, w):
    world.cases = [w.case(rehearsals=[script("honest")])]
    world.skips = (Skip(key=w.key(label="honest"), reason="needs_mcp_http"),)
    report = world.rehearse().report
    assert (row(report, "honest").kept, row(report, "honest").why) == ("not_possible", "needs_mcp_http")
    assert (report.gate.exit, report.gate.reasons[0]) == (3, "nothing_ran")


def test_a_suite_without_scripts_is_told_what_that_leaves_unshown(rehearse, w):
    report = rehearse([], ["null"], w.check("told", "failed"))
    assert report.rehearsal.unscripted == ("one",)
    assert any("Without scripts" in line for line in report.limitations)
    assert (report.gate.exit, report.rehearsal.faults) == (0, ())


def test_the_first_line_says_that_the_model_was_scripted(rehearse, w):
    report = rehearse([script("honest")], ["honest"], w.check("told"))
    assert report.evidence_kind is w.SCRIPTED
    for form in ("plain", "markdown", "terminal"):
        assert "The model was scripted" in render(report, form).splitlines()[0]
    assert json.loads(render(report, "json"))["evidence_kind"] == "scripted-model"


def test_no_promise_is_kept_on_sources_that_changed(rehearse, world, w):
    world.provenance = world.provenance.model_copy(update={"changed_sources": ("the suite",)})
    report = rehearse([script("honest")], ["honest"], w.check("told"))
    assert (report.gate.exit, report.gate.reasons) == (3, ("sources_changed",))


def test_r46_a_rehearsal_of_nothing_is_never_green(world):
    report = world.rehearse().report
    assert (report.gate.exit, report.gate.reasons, report.rehearsal.promises) == (3, ("nothing_ran",), ())


def test_a_script_that_broke_does_not_prove_that_a_case_cannot_pass(rehearse, w):
    broken = w.trial(w.event("SessionEnded", ending="host_failed"))
    report = rehearse([script("honest")], ["honest"], w.check("told"), honest=broken)
    assert (report.gate.exit, report.rehearsal.faults) == (3, ())


def test_the_models_records_are_not_read_in_a_live_run(world, w):
    def refuse(_):
        raise AssertionError("a live run has none")

    untouchable = type("Untouchable", (type(w.trial()),), {"model_records": refuse})

    world.trials = {w.key(): untouchable(w.trial().facts, w.trial().host)}
    assert world.grade().report.gate.exit == 0
