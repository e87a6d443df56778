"""May the number be used? The gate's decision, its exit code, and the trials that decided it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skilltrial.model.gates import Gate
from skilltrial.model.report import CaseDecision, GateReport, TrialReport
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import VerdictKind

FIRST = "1"
"""The label of a first attempt."""


def gate(rule: Gate, trials: Sequence[TrialReport], doubts: Sequence[str] = ()) -> GateReport:
    """Decide by `rule`. `doubts` are reasons for which the whole archive can't carry a decision.

    Incomplete beats failed: a broken run says nothing about the skill, and what another arm *did* never fails the
    build. Then what is certain fails; what is not seen of the arm leaves the gate incomplete; the rest passes.
    """
    own = [trial for trial in trials if trial.key.arm == rule.arm]
    broken = _of(trials, VerdictKind.INCOMPLETE)
    if doubts or broken or not any(trial.ending for trial in trials):
        nothing = [] if any(trial.ending for trial in trials) else ["nothing_ran"]
        return _incomplete(rule, [*doubts, *nothing, *_reasons(broken)], broken)
    if not own:
        return _incomplete(rule, ["gate_arm_absent"], [])
    if rule.majority_of is not None:
        return _majority(rule, rule.majority_of, own)
    return _rate(rule, own)


def repeats(rule: Gate, trials: Iterable[TrialReport]) -> tuple[TrialKey, ...]:
    """The trials that `majority_of` adds to a run of which these are the first attempts: of each case that failed.

    A first attempt that shows nothing is not repeated: the gate is incomplete as it is.
    """
    return tuple(
        trial.key.model_copy(update={"label": str(n)})
        for trial in trials
        if trial.key.arm == rule.arm and trial.key.label == FIRST and trial.verdict.kind is VerdictKind.FAILED
        for n in range(2, (rule.majority_of or 1) + 1)
    )


def _rate(rule: Gate, own: Sequence[TrialReport]) -> GateReport:
    """`require: all` is a pass rate of 1, in other words."""
    every = rule.require is not None
    passed, failed = _of(own, VerdictKind.PASSED), _of(own, VerdictKind.FAILED)
    if len(own) - len(failed) < rule.least_rate * len(own):
        return _decided(rule, "failed", "trials_failed" if every else "pass_rate_missed", failed)
    if undecided := _of(own, VerdictKind.UNVERIFIED, VerdictKind.SKIPPED):
        return _incomplete(rule, _reasons(undecided), undecided)
    return _decided(rule, "passed", "all_passed" if every or not failed else "pass_rate_met", passed)


def _majority(rule: Gate, of: int, own: Sequence[TrialReport]) -> GateReport:
    """A case is red where more than half of its `of` trials failed, and its first did: else nobody repeated it."""
    held = {trial.key: trial for trial in own}
    firsts = [trial for trial in own if trial.key.label == FIRST]
    again = [trial for trial in firsts if trial.verdict.kind is VerdictKind.FAILED]
    cases = tuple(_case(trial.key, of, held) for trial in again)
    red = {one.case for one in cases if one.decision == "failed"}
    if red:
        deciding = [trial for trial in _of(own, VerdictKind.FAILED) if trial.key.case in red]
        return _decided(rule, "failed", "majority_failed", deciding, cases)
    undecided = [trial for trial in firsts if trial.verdict.kind in (VerdictKind.UNVERIFIED, VerdictKind.SKIPPED)]
    if undecided or any(one.decision == "incomplete" for one in cases):
        open_cases = {one.case for one in cases if one.decision == "incomplete"}
        more = [trial for trial in own if trial.key.case in open_cases and trial.verdict.kind is VerdictKind.UNVERIFIED]
        missing = ["repeats_missing"] if any(key not in held for key in repeats(rule, again)) else []
        return _incomplete(rule, [*missing, *_reasons([*undecided, *more])], [*undecided, *more], cases)
    return _decided(rule, "passed", "majority_passed" if cases else "all_passed", _of(own, VerdictKind.PASSED), cases)


def _case(first: TrialKey, of: int, held: dict[TrialKey, TrialReport]) -> CaseDecision:
    """Count the trials of a repeated case in their order; the one that makes most of `of` is the one that decides."""
    kinds = {VerdictKind.PASSED: 0, VerdictKind.FAILED: 0}
    decision: VerdictKind | None = None
    decided_by = None
    for n in range(1, of + 1):
        key = first.model_copy(update={"label": str(n)})
        kind = held[key].verdict.kind if key in held else VerdictKind.UNVERIFIED
        if kind in kinds:
            kinds[kind] += 1
            if decision is None and kinds[kind] > of // 2:
                decision, decided_by = kind, key
    passed, failed = kinds.values()
    return CaseDecision(
        case=first.case,
        passed=passed,
        failed=failed,
        undecided=of - passed - failed,
        decision="failed"
        if decision is VerdictKind.FAILED
        # A majority that passed is believed only where the whole of what was asked for was seen.
        else "passed"
        if decision is VerdictKind.PASSED and passed + failed == of
        else "incomplete",
        decided_by=decided_by,
    )


def _of(trials: Iterable[TrialReport], *kinds: VerdictKind) -> list[TrialReport]:
    return [trial for trial in trials if trial.verdict.kind in kinds]


def _reasons(trials: Iterable[TrialReport]) -> list[str]:
    return sorted({trial.verdict.reason or "unnamed" for trial in trials})


def _decided(
    rule: Gate,
    decision: str,
    reason: str,
    deciding: Sequence[TrialReport],
    cases: tuple[CaseDecision, ...] = (),
) -> GateReport:
    failed = decision == "failed"
    return GateReport(
        arm=rule.arm,
        decision="failed" if failed else "passed",
        exit=1 if failed else 0,
        reasons=(reason,),
        deciding=tuple(trial.key for trial in deciding),
        rule=rule.rule,
        repeated=cases,
    )


def _incomplete(
    rule: Gate, reasons: Sequence[str], deciding: Sequence[TrialReport], cases: tuple[CaseDecision, ...] = ()
) -> GateReport:
    return GateReport(
        arm=rule.arm,
        decision="incomplete",
        exit=3,
        reasons=tuple(dict.fromkeys(reasons)),
        deciding=tuple(trial.key for trial in deciding),
        rule=rule.rule,
        repeated=cases,
    )
