"""From verdicts to a decision: gate, pairs, counts."""

from __future__ import annotations

import pytest

from skilltrial.model.errors import ArchiveRefused
from skilltrial.model.events import Step
from skilltrial.model.plan import Skip
from skilltrial.model.words import EvidenceKind, Owner, VerdictKind

P, F, U, I, S, N = "passed", "failed", "unverified", "incomplete", "skipped", "not_run"  # noqa: E741


@pytest.fixture
def run(world, w):
    """A run whose trials (without, with; one pair for each case) have these verdicts."""

    def given(*pairs, **plan):
        world.cases, world.trials, skips = [], {}, []
        for at, pair in enumerate(pairs):
            id = f"case-{at}"
            checks = []
            for arm, verdict in zip(("without_skill", "with_skill"), pair, strict=True):
                key = w.key(id, arm)
                if verdict == S:
                    skips.append(Skip(key=key, reason="needs_mcp_http"))
                elif verdict is not None:
                    broken = w.trial(w.ANSWER, w.event("SessionEnded", ending="host_failed"))
                    world.trials[key] = {N: None, I: broken}.get(verdict, w.trial())
                if verdict in (P, F, U):
                    checks.append(w.check(f"{arm}-told", verdict, arms=[arm]))
            world.cases.append(w.case(id, checks or None))
        world.skips, world.plan = tuple(skips), plan
        return world.grade().report

    return given


@pytest.mark.parametrize(
    ("pairs", "decision", "code", "reasons"),
    [
        ([(F, P)], "passed", 0, ("all_passed",)),
        ([(P, P), (U, P)], "passed", 0, ("all_passed",)),
        ([(F, P), (P, F)], "failed", 1, ("trials_failed",)),
        ([(F, F), (F, U)], "failed", 1, ("trials_failed",)),
        ([(F, F), (F, S)], "failed", 1, ("trials_failed",)),
        ([(F, P), (F, U)], "incomplete", 3, ("told",)),
        ([(F, P), (S, S)], "incomplete", 3, ("needs_mcp_http",)),
        ([(I, P)], "incomplete", 3, ("host_failed",)),
        ([(F, F), (F, I)], "incomplete", 3, ("host_failed",)),
        ([(F, F), (N, P)], "incomplete", 3, ("not_run",)),
        ([(S, S)], "incomplete", 3, ("nothing_ran",)),
        ([(N, N)], "incomplete", 3, ("nothing_ran", "not_run")),
        ([(P, None)], "incomplete", 3, ("gate_arm_absent",)),
    ],
)
def test_the_gate_decides_as_it_is_written(run, pairs, decision, code, reasons):
    gate = run(*pairs).gate
    assert (gate.decision, gate.exit, gate.reasons) == (decision, code, reasons)


def test_what_another_arm_did_never_fails_the_gate(run):
    assert run((F, P), (F, P)).gate.exit == 0


def test_the_trials_that_decided_are_named(run, w):
    assert run((F, P), (F, F)).gate.deciding == (w.key("case-1"),)


@pytest.mark.parametrize("pairs", [[], [(S, S)], [(N, N), (N, N)]])
def test_r46_zero_executed_is_never_green(run, world, w, pairs):
    report = run(*pairs) if pairs else world.grade().report
    assert (report.gate.decision, report.gate.exit) == ("incomplete", 3)
    assert "nothing_ran" in report.gate.reasons


def test_a_contaminated_control_arm_stops_the_gate_and_takes_its_pair_along(run, world, w):
    run((F, P))
    world.trials[w.key("case-0", "without_skill")] = w.trial(w.ANSWER, w.step(Step.READ), w.COMPLETED)
    report = world.grade().report
    assert (report.gate.exit, report.gate.reasons) == (3, ("contaminated",))
    assert [pair.outcome for pair in report.pairs] == ["unavailable"]


def test_no_gate_qualifies_on_a_scripted_model(run):
    report = run((F, P), model="scripted")
    assert report.evidence_kind is EvidenceKind.SCRIPTED_MODEL
    assert (report.gate.exit, report.gate.reasons) == (3, ("scripted_model",))


def test_no_gate_qualifies_where_sources_changed_underneath(run, world):
    run((F, P))
    world.provenance = world.provenance.model_copy(update={"changed_sources": ("the suite",)})
    assert world.grade().report.gate.reasons == ("sources_changed",)


@pytest.mark.parametrize(
    ("pair", "outcome"),
    [
        ((F, P), "improved"),
        ((P, F), "regressed"),
        ((P, P), "tied-pass"),
        ((F, F), "tied-fail"),
        ((U, P), "unavailable"),
        ((P, U), "unavailable"),
        ((I, P), "unavailable"),
        ((N, F), "unavailable"),
        ((S, S), "unavailable"),
        ((None, P), "unavailable"),
    ],
)
def test_a_pair_needs_two_decided_sides(run, pair, outcome):
    report = run(pair)
    assert [(one.reference, one.outcome) for one in report.pairs] == [("without_skill", outcome)]
    summary = report.pair_summary[0]
    assert (summary.n, getattr(summary, outcome.replace("-", "_"))) == (1, 1)


def test_every_other_arm_is_a_reference(world, w):
    world.arms.append({"id": "previous", "skills": ["notes@previous"]})
    world.cases = [w.case(checks=[w.check("told"), w.check("bad", "failed", arms=["previous"])])]
    world.trials = {
        w.key(arm=arm, label=label): w.trial()
        for label in ("1", "2", "10")
        for arm in ("with_skill", "previous", "without_skill")
    }
    report = world.grade().report
    assert [(one.reference, one.n, one.improved, one.tied_pass) for one in report.pair_summary] == [
        ("without_skill", 3, 0, 3),
        ("previous", 3, 3, 0),
    ]
    assert [pair.label for pair in report.pairs] == ["1", "2", "10"] * 2


def test_r52_counts_have_their_n_and_come_from_the_same_trials(run, world, w):
    report = run((F, P), (N, U), (S, F), (I, P))
    rows = {(one.case, one.arm, one.polarity): one for one in report.counts}
    whole = rows[None, "without_skill", None]
    assert (whole.n, whole.planned, whole.sealed) == (4, 3, 2)
    assert (whole.passed, whole.failed, whole.unverified, whole.incomplete, whole.skipped) == (0, 1, 0, 2, 1)
    for row in report.counts:
        assert row.n == row.passed + row.failed + row.unverified + row.incomplete + row.skipped
    cells = [one for one in report.counts if one.case]
    assert sum(one.n for one in cells) == len(report.trials)


def test_r5_a_missing_trial_keeps_its_cell(run):
    report = run((N, P))
    assert (report.trials[0].verdict.kind, report.trials[0].verdict.owner) == (VerdictKind.INCOMPLETE, Owner.OPERATOR)
    assert {(one.arm, one.planned, one.sealed) for one in report.counts if one.case} == {
        ("without_skill", 1, 0),
        ("with_skill", 1, 1),
    }


def test_polarities_are_counted_apart(world, w):
    world.cases = [w.case("a"), w.case("b", polarity="negative")]
    world.trials = {w.key("a"): w.trial(), w.key("b"): w.trial()}
    rows = {one.polarity: one.n for one in world.grade().report.counts if one.case is None}
    assert rows == {"positive": 1, "negative": 1, None: 2}


@pytest.mark.parametrize("stranger", ["case", "arm"])
def test_a_plan_that_contradicts_its_suite_is_refused(world, w, stranger):
    world.trials = {w.key(**{stranger: "stranger"}): w.trial()}
    with pytest.raises(ArchiveRefused, match="stranger"):
        world.grade()
