"""From records to a verdict: each rule, broken once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.judge.questions import of_turn
from skilltrial.model.capabilities import Sees
from skilltrial.model.events import Retry, Step, ToolRequested
from skilltrial.model.evidence import Evidence, Files, JoinedCall, WireCall
from skilltrial.model.notes import Broke, Exited, Interrupted, Leftovers, LimitHit, NotBegun, Unavailable
from skilltrial.model.trial import HostIdentity
from skilltrial.model.words import Cause, Ending, Outcome, Owner, VerdictKind

RANK = [VerdictKind.PASSED, VerdictKind.UNVERIFIED, VerdictKind.FAILED, VerdictKind.INCOMPLETE]


@pytest.mark.parametrize(
    ("gives", "kind", "check", "owner"),
    [
        (["passed"], VerdictKind.PASSED, None, None),
        (["passed", "passed"], VerdictKind.PASSED, None, None),
        (["passed", "failed"], VerdictKind.FAILED, "c-1", Owner.AGENT),
        (["unverified", "passed"], VerdictKind.UNVERIFIED, "c-0", Owner.HOST),
        (["unverified", "failed", "failed"], VerdictKind.FAILED, "c-1", Owner.AGENT),
    ],
)
def test_a_trial_is_the_worst_of_its_checks(world, w, gives, kind, check, owner):
    verdict = world.verdict(*(w.check(f"c-{at}", one) for at, one in enumerate(gives))).verdict
    assert (verdict.kind, verdict.check, verdict.owner) == (kind, check, owner)


def test_an_advisory_check_is_shown_and_decides_nothing(world, w):
    report = world.verdict(w.check("told"), w.check("style", "failed", advisory=True))
    assert report.verdict.kind is VerdictKind.PASSED
    assert report.checks[1].outcome is Outcome.FAILED


@pytest.mark.parametrize("more", [{"arms": ["without_skill"]}, {"advisory": True}])
def test_a_trial_that_no_check_speaks_of_did_not_pass(world, w, more):
    verdict = world.verdict(w.check("told", **more)).verdict
    assert (verdict.kind, verdict.reason) == (VerdictKind.UNVERIFIED, "no_check_applies")


def test_a_check_is_asked_only_in_its_arms(world, w):
    report = world.verdict(w.check("told"), w.check("other", "failed", arms=["without_skill"]))
    assert [check.id for check in report.checks] == ["told"]


def test_a_check_that_needs_what_the_host_hides_is_unverified_whatever_its_grader_would_say(world, w):
    world.sees = frozenset({Sees.ANSWERS})
    report = world.verdict(w.check("told", needs=["tool_calls", "answers"]))
    assert report.checks[0].reason == "not_observable"
    assert (report.verdict.kind, report.verdict.owner) == (VerdictKind.UNVERIFIED, Owner.HOST)


@pytest.mark.parametrize("gives", ["raises", "recurses", "nonsense", "sloppy", "wordless"])
def test_a_grader_that_breaks_answers_nothing_and_stops_nobody(world, w, gives):
    report = world.verdict(w.check("told", gives), w.check("other"))
    assert report.checks[0].reason == "grader_raised"
    assert report.checks[1].outcome is Outcome.PASSED
    assert (report.verdict.kind, report.verdict.owner) == (VerdictKind.UNVERIFIED, Owner.GRADER)


def test_a_check_that_its_grader_does_not_understand_is_unverified(world, w):
    report = world.verdict({"id": "told", "grader": "tell", "unheard_of": 1})
    assert (report.checks[0].reason, report.verdict.owner) == ("check_not_understood", Owner.GRADER)


def test_a_reason_that_is_no_word_does_not_reach_the_report(world, w):
    report = world.verdict(w.check("told", "failed", reason=f"because {w.CANARY}"))
    assert report.verdict.reason == "unnamed"


def test_a_check_of_one_turn_sees_that_turn_only(world, w):
    world.cases = [w.case(turns=["a", "b"])]
    happened = w.trial(
        w.event("TurnEnded", turn=1, answer="first"),
        w.event("TurnEnded", turn=2, answer="second"),
        w.COMPLETED,
        turns=2,
    )
    report = world.verdict(
        {"id": "any", "grader": "tell", "answered": "first"},
        {"id": "right", "grader": "tell", "answered": "second", "turn": 2},
        {"id": "wrong", "grader": "tell", "answered": "first", "turn": 2},
        happened=happened,
    )
    assert [check.outcome for check in report.checks] == [Outcome.PASSED, Outcome.PASSED, Outcome.FAILED]


def test_the_evidence_of_a_turn_has_nothing_of_another(w):
    call = WireCall("memory", 2, 1, "save", {}, None, False, 0.5)
    events = tuple(Retry(seq=turn, turn=turn, cause=Cause.SERVER) for turn in (1, 2, 3))
    asked = tuple(ToolRequested(seq=turn, turn=turn, call="x", tool="save") for turn in (1, 2))
    evidence = Evidence(
        key=w.key(),
        identity=HostIdentity(name="fake", records="events"),
        sees=frozenset(),
        ending=Ending.COMPLETED,
        events=events,
        files=Files(before={}, after={}, changes=()),
        answers={1: "one", 2: "two"},
        wire=(call, replace(call, turn=1)),
        calls=(JoinedCall(asked[0], None, None), JoinedCall(asked[1], None, None), JoinedCall(None, None, call)),
    )
    second = of_turn(evidence, 2)
    assert (second.events, second.answers, second.wire) == (events[1:2], {2: "two"}, (call,))
    assert second.calls == evidence.calls[1:]
    assert second.files is evidence.files


def test_what_a_subagent_says_is_no_answer(world, w):
    happened = w.trial(w.ANSWER, w.event("TurnEnded", turn=1, answer="magic", agent="sub"), w.COMPLETED)
    report = world.verdict({"id": "told", "grader": "tell", "answered": "magic"}, happened=happened)
    assert report.verdict.kind is VerdictKind.FAILED


def test_a_check_is_given_the_suite_files_that_it_names(world, w):
    world.assets = {"golden.txt": b"x"}
    assert world.verdict(w.check("told", "asset", asset="golden.txt")).verdict.kind is VerdictKind.PASSED


@pytest.mark.parametrize(
    ("note", "ending", "owner"),
    [
        (LimitHit(limit="seconds", value=5), Ending.TIME_LIMIT, Owner.AGENT),
        (LimitHit(limit="stdout", value=5), Ending.OUTPUT_LIMIT, Owner.AGENT),
        (Unavailable(why="missing"), Ending.HOST_UNAVAILABLE, Owner.OPERATOR),
        (Interrupted(), Ending.INTERRUPTED, Owner.OPERATOR),
        (Leftovers(ended=1, unstopped=1), Ending.HOST_FAILED, Owner.HOST),
        (Broke(why="disk_full", owner=Owner.OPERATOR), Ending.HOST_FAILED, Owner.OPERATOR),
    ],
)
def test_what_the_runner_knows_beats_what_the_program_says(world, w, note, ending, owner):
    report = world.verdict(w.check("told"), happened=w.trial(w.ANSWER, w.COMPLETED, note))
    assert report.ending is ending
    assert (report.verdict.kind, report.verdict.reason, report.verdict.owner) == (
        VerdictKind.INCOMPLETE,
        str(ending),
        owner,
    )
    assert report.checks == ()


@pytest.mark.parametrize("skips", [False, True])
def test_a_session_that_was_never_opened_says_why(world, w, skips):
    report = world.verdict(w.check("told"), happened=w.trial(NotBegun(why="nothing_to_reuse", skips=skips)))

    kind = VerdictKind.SKIPPED if skips else VerdictKind.INCOMPLETE
    verdict = report.verdict
    assert (verdict.kind, verdict.reason, verdict.owner) == (kind, "nothing_to_reuse", Owner.OPERATOR)
    assert (report.ending, report.checks) == (Ending.NOT_BEGUN, ())


@pytest.mark.parametrize("ends", [0, 2, 3])
def test_a_trajectory_without_exactly_one_end_has_no_ending(world, w, ends):
    report = world.verdict(w.check("told"), happened=w.trial(w.ANSWER, *[w.COMPLETED] * ends))
    assert (report.ending, report.verdict.kind) == (Ending.INVALID_EVENTS, VerdictKind.INCOMPLETE)


@pytest.mark.parametrize(
    ("cause", "said", "owner"),
    [
        (Cause.AUTH, None, Owner.OPERATOR),
        (Cause.RATE_LIMIT, None, Owner.MODEL),
        (Cause.SERVER, Owner.FIXTURE, Owner.FIXTURE),
        (None, None, Owner.HOST),
    ],
)
def test_a_failed_host_is_incomplete_with_its_cause_and_owner(world, w, cause, said, owner):
    end = w.event("SessionEnded", ending="host_failed", cause=cause and cause.value, owner=said)
    report = world.verdict(w.check("told"), happened=w.trial(w.ANSWER, end))
    assert (report.verdict.reason, report.cause, report.verdict.owner) == ("host_failed", cause, owner)


@pytest.mark.parametrize("line", ["boom", "sloppy", "unsorted"])
def test_a_normalizer_that_breaks_leaves_the_trial_incomplete_and_the_others_judged(world, w, line):
    world.trials = {w.key(): w.trial(line, Exited(code=3)), w.key(label="2"): w.trial()}
    broken, whole = world.grade().report.trials
    assert (broken.verdict.reason, broken.verdict.owner) == ("normalizer_raised", Owner.GRADER)
    assert (broken.exit_codes, broken.tool_calls, broken.unrecognized) == ((3,), None, None)
    assert whole.verdict.kind is VerdictKind.PASSED


@pytest.mark.parametrize(
    "silence",
    [
        [],
        [{"event": "Usage", "turn": 1, "output": 0}],
        [{"event": "TurnEnded", "turn": 1, "answer": None}],
        [{"event": "TurnEnded", "turn": 1, "answer": " \n"}],
    ],
)
def test_r42_a_session_without_a_sign_of_a_model_is_incomplete(world, w, silence):
    report = world.verdict(w.check("told"), happened=w.trial(*silence, w.COMPLETED, Exited(code=0)))
    assert (report.verdict.kind, report.verdict.reason) == (VerdictKind.INCOMPLETE, "empty")


@pytest.mark.parametrize(
    "sign",
    [
        {"event": "ToolRequested", "turn": 1, "call": "1", "tool": "shell"},
        {"event": "Usage", "turn": 1, "output": 4},
    ],
)
def test_r42_a_model_that_only_acts_has_taken_its_turn(world, w, sign):
    assert world.verdict(w.check("told"), happened=w.trial(sign, w.COMPLETED)).verdict.kind is VerdictKind.PASSED


def test_a_host_that_shows_no_answers_is_not_held_to_them(world, w):
    world.sees = frozenset()
    assert world.verdict(w.check("told"), happened=w.trial(w.COMPLETED)).verdict.kind is VerdictKind.PASSED


def test_a_session_that_never_reached_its_last_turn_is_incomplete(world, w):
    world.cases = [w.case(turns=["a", "b"])]
    report = world.verdict(w.check("told"), happened=w.trial(w.ANSWER, w.COMPLETED, turns=1))
    assert (report.ending, report.verdict.reason) == (Ending.COMPLETED, "turn_missing")


@pytest.mark.parametrize(
    ("sees", "happened", "expected"),
    [
        (frozenset(Sees), [Step.OFFERED, Step.READ], ("read-observed", None, Step.READ)),
        (frozenset(), [Step.SCRIPT_RUN], ("read-observed", None, Step.SCRIPT_RUN)),
        (frozenset(), [], ("unverified", "host_does_not_show", None)),
        (frozenset({Sees.TOOL_CALLS}), [], ("unverified", "no_read_observed", None)),
        (frozenset({Sees.SKILL_READS}), [Step.OFFERED], ("unverified", "not_observed", Step.OFFERED)),
        (frozenset({Sees.SKILL_READS}), [Step.MENTIONED, Step.ERRORED], ("unverified", "load_errored", Step.ERRORED)),
    ],
)
def test_r11_trigger_evidence_never_says_more_than_was_seen(world, w, sees, happened, expected):
    world.sees = sees
    report = world.verdict(w.check("told"), happened=w.trial(w.ANSWER, *map(w.step, happened), w.COMPLETED))
    row = report.trigger[0]
    assert (row.evidence, row.reason, row.reached) == expected
    assert report.verdict.kind is VerdictKind.PASSED


def test_r7_how_a_skill_was_reached_is_kept_apart(world, w):
    steps = [Step.READ, Step.MENTIONED, Step.REQUESTED]
    row = world.verdict(w.check("told"), happened=w.trial(w.ANSWER, *map(w.step, steps), w.COMPLETED)).trigger[0]
    assert row.steps == (Step.MENTIONED, Step.REQUESTED, Step.READ)


def test_a_broken_session_does_not_prove_that_nothing_was_read(world, w):
    end = w.event("SessionEnded", ending="host_failed")
    assert world.verdict(w.check("told"), happened=w.trial(end)).trigger[0].reason == "no_read_observed"


@pytest.mark.parametrize(
    "trace",
    [
        {"event": "SkillStep", "turn": 1, "skill": "notes", "step": "read"},
        {"event": "SkillStep", "turn": 1, "skill": "notes", "step": "offered"},
        {"event": "SkillStep", "turn": 1, "skill": "notes", "step": "script_run"},
        {"event": "Offered", "skills": ["other", "notes"]},
    ],
)
def test_r14_a_skill_in_an_arm_without_it_contaminates(world, w, trace):
    happened = w.trial(w.ANSWER, trace, w.COMPLETED)
    report = world.verdict(w.check("told"), happened=happened, arm="without_skill")
    assert (report.verdict.kind, report.verdict.reason, report.verdict.owner) == (
        VerdictKind.INCOMPLETE,
        "contaminated",
        Owner.OPERATOR,
    )
    assert world.verdict(w.check("told"), happened=happened).verdict.kind is VerdictKind.PASSED


@pytest.mark.parametrize("step", [Step.MENTIONED, Step.REQUESTED, Step.ERRORED])
def test_asking_for_a_skill_that_is_not_there_is_no_contamination(world, w, step):
    happened = w.trial(w.ANSWER, w.step(step), w.COMPLETED)
    report = world.verdict(w.check("told"), happened=happened, arm="without_skill")
    assert report.verdict.kind is VerdictKind.PASSED


def test_a_previous_version_is_the_arms_own_skill(world, w):
    world.arms = [{"id": "with_skill", "skills": ["notes"]}, {"id": "previous", "skills": ["notes@previous"]}]
    happened = w.trial(w.ANSWER, w.step(Step.READ), w.COMPLETED)
    assert world.verdict(w.check("told"), happened=happened, arm="previous").verdict.kind is VerdictKind.PASSED


def test_what_was_not_seen_is_null_and_never_zero(world, w):
    world.sees = frozenset()
    happened = w.trial(w.ANSWER, w.event("Usage", turn=1, input=5), w.COMPLETED)
    report = world.verdict(w.check("told"), happened=happened)
    assert (report.tool_calls, report.usage, report.model_retries) == (None, None, None)


def test_tokens_are_added_up_over_turns_and_null_where_one_turn_is_silent(world, w):
    world.cases = [w.case(turns=["a", "b"])]
    first, second = w.event("Usage", turn=1, input=5, output=2), w.event("Usage", turn=2, input=7)
    both = world.verdict(w.check("told"), happened=w.trial(w.ANSWER, first, second, w.COMPLETED, turns=2)).usage
    assert (both.accounting, both.input, both.output, both.cost) == ("fake", 12, None, None)
    assert world.verdict(w.check("told"), happened=w.trial(w.ANSWER, first, w.COMPLETED, turns=2)).usage is None


def test_what_a_trial_cost_is_added_up_exactly(world, w):
    costs = [w.event("Usage", turn=1, cost="0.10"), w.event("Usage", turn=1, cost="0.20")]
    assert world.verdict(w.check("told"), happened=w.trial(w.ANSWER, *costs, w.COMPLETED)).usage.cost == "0.30"


def test_a_call_that_two_witnesses_saw_counts_once(world, w):
    calls = [
        w.event("ToolRequested", turn=1, call="a", tool="shell"),
        w.event("ToolRequested", turn=1, call="a", tool="shell", seen="session_log"),
        w.event("ToolRequested", turn=1, call="b", tool="shell"),
    ]
    assert world.verdict(w.check("told"), happened=w.trial(*calls, w.ANSWER, w.COMPLETED)).tool_calls == 2


def test_r61_clocks_are_apart(world, w):
    happened = w.trial(facts={"setup_seconds": 2.0004, "agent_seconds": 30.5})
    report = world.verdict(w.check("told"), happened=happened)
    assert (report.setup_seconds, report.agent_seconds) == (2.0, 30.5)


checks = st.lists(
    st.tuples(st.sampled_from(["passed", "failed", "unverified", "raises"]), st.booleans()), min_size=1, max_size=4
)


@given(before=checks, at=st.integers(0, 4))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_adding_a_failing_check_never_improves_a_verdict(new_world, w, before, at):
    listed = [w.check(f"c-{n}", gives, advisory=advisory) for n, (gives, advisory) in enumerate(before)]
    without = new_world().verdict(*listed).verdict.kind
    listed.insert(min(at, len(listed)), w.check("bad", "failed"))
    assert RANK.index(new_world().verdict(*listed).verdict.kind) >= RANK.index(without)
    assert new_world().verdict(*listed).verdict.kind is VerdictKind.FAILED
