"""May the number be used? The gate's decision, its exit code, and the trials that decided it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skilltrial.model.report import GateReport, TrialReport
from skilltrial.model.words import VerdictKind


def gate(arm: str, trials: Sequence[TrialReport], doubts: Sequence[str] = ()) -> GateReport:
    """Decide. `doubts` are reasons for which the whole archive can't carry a decision.

    Passed when at least one trial ran, every trial of `arm` passed and none of any arm is incomplete. Incomplete
    beats failed: a broken run says nothing about the skill, and what another arm *did* never fails the build.
    """
    own = [trial for trial in trials if trial.key.arm == arm]
    broken = _of(trials, VerdictKind.INCOMPLETE)
    if doubts or broken or not any(trial.ending for trial in trials):
        nothing = [] if any(trial.ending for trial in trials) else ["nothing_ran"]
        return _incomplete(arm, [*doubts, *nothing, *_reasons(broken)], broken)
    if not own:
        return _incomplete(arm, ["gate_arm_absent"], [])
    if failed := _of(own, VerdictKind.FAILED):
        return GateReport(
            arm=arm, decision="failed", exit=1, reasons=("trials_failed",), deciding=tuple(one.key for one in failed)
        )
    if undecided := _of(own, VerdictKind.UNVERIFIED, VerdictKind.SKIPPED):
        return _incomplete(arm, _reasons(undecided), undecided)
    return GateReport(
        arm=arm, decision="passed", exit=0, reasons=("all_passed",), deciding=tuple(trial.key for trial in own)
    )


def _of(trials: Iterable[TrialReport], *kinds: VerdictKind) -> list[TrialReport]:
    return [trial for trial in trials if trial.verdict.kind in kinds]


def _reasons(trials: Iterable[TrialReport]) -> list[str]:
    return sorted({trial.verdict.reason or "unnamed" for trial in trials})


def _incomplete(arm: str, reasons: Sequence[str], deciding: Sequence[TrialReport]) -> GateReport:
    return GateReport(
        arm=arm,
        decision="incomplete",
        exit=3,
        reasons=tuple(dict.fromkeys(reasons)),
        deciding=tuple(trial.key for trial in deciding),
    )
