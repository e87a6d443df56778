"""A rehearsal tests the suite: what was promised of each script, what came, and which cases show nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from skilltrial.model.records import Record
from skilltrial.model.report import CaseFault, GateReport, PromiseReport, RehearsalReport, TrialReport
from skilltrial.model.suite import Case, Rehearsal, Suite
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import BUILT_IN_AGENTS, IDLE_AGENTS, Outcome, Owner, VerdictKind

Answer = tuple[Literal["yes", "no", "not_possible"], str | None]


def judge_promises(
    suite: Suite, trials: Sequence[TrialReport], impossible: frozenset[TrialKey], doubts: Sequence[str] = ()
) -> tuple[RehearsalReport, GateReport]:
    """Compare every trial with its promise. `impossible` are trials whose script this program could not act.

    `doubts` are reasons for which the archive can't decide. Exit 3 there, and where a trial shows nothing or none ran;
    else 1 where a promise is broken or a case is faulty, else 0.
    """
    cases = {case.id: case for case in suite.cases}
    rows = [(trial, _promise(cases[trial.key.case], trial, trial.key in impossible)) for trial in trials]
    planned = [cases[id] for id in sorted({trial.key.case for trial in trials})]
    arms = [arm.id for arm in suite.arms]
    faults = tuple(
        fault for case in planned for fault in _faults(case, arms, [row for _, row in rows if row.case == case.id])
    )
    report = RehearsalReport(
        promises=tuple(sorted((row for _, row in rows), key=_order(suite))),
        faults=faults,
        unscripted=tuple(case.id for case in planned if not case.rehearsals),
    )
    return report, _decide(rows, faults, doubts)


def not_possible(records: Iterable[Record]) -> bool:
    """Whether the model noted that this program has no tool for an act of the script."""
    return any(_note(record.raw) == "not_possible" for record in records if '"not_possible"' in record.raw)


def _note(raw: str) -> object:
    try:
        value = json.loads(raw)
    except ValueError:
        return None
    return value.get("note") if isinstance(value, dict) else None


def _promise(case: Case, trial: TrialReport, impossible: bool) -> PromiseReport:
    key = trial.key
    rehearsal = next((one for one in case.rehearsals if one.id == key.label), None)
    # A rehearsal that promises nothing here should not have been planned here: it is held to "must not pass".
    expected = rehearsal.expected(key.arm) if rehearsal else None
    kept, why = _kept(case, rehearsal, expected, trial, impossible)
    return PromiseReport(
        case=key.case,
        rehearsal=key.label,
        arm=key.arm,
        promised=expected or "not_passed",
        got=trial.verdict.kind,
        kept=kept,
        why=why,
    )


def _kept(
    case: Case, rehearsal: Rehearsal | None, expected: VerdictKind | None, trial: TrialReport, impossible: bool
) -> Answer:
    verdict = trial.verdict
    if impossible:
        return "not_possible", "no_tool_for_act"
    if verdict.kind is VerdictKind.SKIPPED:
        return "not_possible", verdict.reason
    if _shows_too_little(trial) and verdict.kind is not expected:
        return "not_possible", verdict.reason
    if verdict.kind is VerdictKind.INCOMPLETE and verdict.kind is not expected:
        # An idle agent whose trial broke did not fail the case: it showed nothing.
        return "no", verdict.reason
    if expected is None:
        return ("no", "verdict") if verdict.kind is VerdictKind.PASSED else ("yes", None)
    if verdict.kind is not expected:
        return "no", "verdict"
    if rehearsal and rehearsal.because and expected is VerdictKind.FAILED:
        return _for_its_reason(case, rehearsal.because, trial)
    return "yes", None


def _shows_too_little(trial: TrialReport) -> bool:
    """Whether the program does not show what the checks need: no fault of the suite."""
    verdict = trial.verdict
    return verdict.kind is VerdictKind.UNVERIFIED and verdict.owner is Owner.HOST and verdict.reason == "not_observable"


def _for_its_reason(case: Case, because: Sequence[str], trial: TrialReport) -> Answer:
    """Failed as promised: by every promised check that is asked in this arm, and by no other."""
    asked = {check.id for check in trial.checks}
    promised = {id for id in because if id in asked or id not in {check.id for check in case.checks}}
    failed = {check.id for check in trial.checks if check.outcome is Outcome.FAILED}
    counted = {check.id for check in trial.checks if check.id in failed and not check.advisory}
    if promised - failed:
        return "no", "promised_check_held"
    if counted - promised:
        return "no", "other_check_failed"
    return "yes", None


def _faults(case: Case, arms: Iterable[str], rows: Sequence[PromiseReport]) -> Iterable[CaseFault]:
    scripts = [row for row in rows if row.rehearsal not in BUILT_IN_AGENTS]
    passed = any(row.got is VerdictKind.PASSED for row in scripts)
    # A script that was left out, or could not be acted here, might have passed: then nothing is proved.
    promised = {(one.id, arm) for one in case.rehearsals for arm in arms if one.expected(arm) is VerdictKind.PASSED}
    whole = promised <= {(row.rehearsal, row.arm) for row in scripts}
    decided = whole and all(row.kept != "not_possible" and row.got is not VerdictKind.INCOMPLETE for row in scripts)
    if scripts and decided and not passed:
        yield CaseFault(case=case.id, fault="cannot_pass")
    idle = sorted({row.rehearsal for row in rows if row.rehearsal in IDLE_AGENTS and row.got is VerdictKind.PASSED})
    if idle:
        yield CaseFault(case=case.id, fault="cannot_fail", agents=tuple(idle))


def _decide(
    rows: Sequence[tuple[TrialReport, PromiseReport]], faults: Sequence[CaseFault], doubts: Sequence[str]
) -> GateReport:
    nothing = () if any(trial.ending for trial, _ in rows) else ("nothing_ran",)
    broken = [row for _, row in rows if row.kept == "no"]
    silent = [
        row for _, row in rows if row.kept == "not_possible" or (row.kept == "no" and row.got is VerdictKind.INCOMPLETE)
    ]
    if nothing or silent or doubts:
        reasons = (*doubts, *nothing, *sorted({row.why or "unnamed" for row in silent}))
        return GateReport(arm=None, decision="incomplete", exit=3, reasons=reasons, deciding=_keys(silent))
    if broken or faults:
        reasons = (*(("promises_broken",) if broken else ()), *sorted({fault.fault for fault in faults}))
        return GateReport(arm=None, decision="failed", exit=1, reasons=reasons, deciding=_keys(broken))
    return GateReport(arm=None, decision="passed", exit=0, reasons=("all_kept",))


def _keys(rows: Iterable[PromiseReport]) -> tuple[TrialKey, ...]:
    return tuple(TrialKey(case=row.case, arm=row.arm, label=row.rehearsal) for row in rows)


def _order(suite: Suite) -> Callable[[PromiseReport], tuple[int, int, int]]:
    """Where a row stands in the table: as the suite has it, and the built-in agents after a case's own scripts."""
    cases = {case.id: at for at, case in enumerate(suite.cases)}
    arms = {arm.id: at for at, arm in enumerate(suite.arms)}
    agents = {case.id: (*(one.id for one in case.rehearsals), *BUILT_IN_AGENTS) for case in suite.cases}

    def place(row: PromiseReport) -> tuple[int, int, int]:
        own = agents[row.case]
        return cases[row.case], own.index(row.rehearsal) if row.rehearsal in own else len(own), arms[row.arm]

    return place
