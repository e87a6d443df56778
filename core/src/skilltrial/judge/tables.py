"""A report as plain rows and lines of text, before any form is given to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from skilltrial.model.report import Counts, Report, TrialReport
from skilltrial.model.words import EvidenceKind, VerdictKind

_VERDICTS = tuple(kind.value for kind in VerdictKind)


@dataclass(frozen=True, slots=True)
class Table:
    """A header and rows of as many cells."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def headline(report: Report) -> str:
    """The first line. Where the model was scripted it says so before anything else."""
    n = len(report.trials)
    sealed = sum(trial.ending is not None for trial in report.trials)
    host = f"{report.host.name} {report.host.version}" if report.host.version else report.host.name
    what = f"{report.suite} on {host}: {sealed} of {n} trials ran"
    if report.evidence_kind is EvidenceKind.SCRIPTED_MODEL:
        return f"The model was scripted. {what}"
    return f"{what} ({report.evidence_kind})"


def main_table(report: Report) -> Table:
    """Of a run: case × arm. Of a rehearsal: promised, got, kept."""
    return _promises(report) if report.rehearsal else _verdicts(report)


def pair_lines(report: Report) -> tuple[str, ...]:
    """One line for each reference arm, with its n."""
    return tuple(
        f"{report.gate.arm} against {one.reference}, {_n(one.n, 'pair')}: "
        + (
            ", ".join(
                f"{count} {name}"
                for name, count in (
                    ("improved", one.improved),
                    ("regressed", one.regressed),
                    ("tied-pass", one.tied_pass),
                    ("tied-fail", one.tied_fail),
                    ("unavailable", one.unavailable),
                )
                if count
            )
            or "nothing to compare"
        )
        for one in report.pair_summary
    )


def fault_lines(report: Report) -> tuple[str, ...]:
    """The faulty cases of a rehearsal."""
    if report.rehearsal is None:
        return ()
    return tuple(
        f"{fault.case}: no script passes it (cannot pass)"
        if fault.fault == "cannot_pass"
        else f"{fault.case}: passed by an agent that does nothing: {', '.join(fault.agents)} (cannot fail)"
        for fault in report.rehearsal.faults
    )


def gate_line(report: Report) -> str:
    """The decision, why, and the exit code."""
    gate = report.gate
    what = f"gate {gate.arm}" if gate.arm else "promises"
    decision = {"passed": "kept", "failed": "broken"}.get(gate.decision, gate.decision)
    why = ", ".join(spaced(reason) for reason in gate.reasons)
    return f"{what}: {gate.decision if gate.arm else decision} ({why}), exit {gate.exit}"


def unhappy(report: Report) -> tuple[TrialReport, ...]:
    """The trials that did not pass (of a rehearsal: that broke a promise); those that decided come first."""
    deciding = set(report.gate.deciding)
    found = [
        trial
        for trial in report.trials
        if trial.verdict.kind is not VerdictKind.PASSED and (report.rehearsal is None or trial.key in deciding)
    ]
    return tuple(sorted(found, key=lambda trial: trial.key not in deciding))


def trial_line(trial: TrialReport) -> str:
    """One trial: verdict, reason with cause, deciding check, owner."""
    verdict = trial.verdict
    cause = f", {spaced(trial.cause)}" if trial.cause and verdict.kind is VerdictKind.INCOMPLETE else ""
    reason = f" ({spaced(verdict.reason)}{cause})" if verdict.reason else ""
    check = f", check {verdict.check}" if verdict.check else ""
    owner = f", owner {verdict.owner}" if verdict.owner else ""
    return f"{trial.key}: {verdict.kind}{reason}{check}{owner}"


def spaced(word: str) -> str:
    """A word as people write it: `not_run` is `not run`."""
    return word.replace("_", " ")


def _verdicts(report: Report) -> Table:
    cells = {(one.case, one.arm): one for one in report.counts if one.case is not None}
    totals = {one.arm: one for one in report.counts if one.case is None and one.polarity is None}
    cases = dict.fromkeys(case for case, _ in cells)
    rows = [(str(case), *(_cell(cells.get((case, arm))) for arm in totals)) for case in cases]
    rows.append(("all", *(_cell(one) for one in totals.values())))
    return Table(("case", *totals), tuple(rows))


def _cell(one: Counts | None) -> str:
    if one is None:
        return "-"
    counts = [f"{getattr(one, kind)} {kind}" for kind in _VERDICTS if getattr(one, kind)]
    return f"{', '.join(counts)} (n={one.n})"


def _promises(report: Report) -> Table:
    promises = report.rehearsal.promises if report.rehearsal else ()
    rows = tuple(
        (
            one.case,
            one.rehearsal,
            one.arm,
            spaced(one.promised),
            one.got.value,
            spaced(one.kept) + (f": {spaced(one.why)}" if one.why and one.why != "verdict" else ""),
        )
        for one in promises
    )
    return Table(("case", "rehearsal", "arm", "promised", "got", "kept"), rows)


def kept_line(report: Report) -> str:
    """How many promises were kept, of how many; empty in a run."""
    if report.rehearsal is None:
        return ""
    kept = Counter(one.kept for one in report.rehearsal.promises)
    shares = f"{kept['yes']} of {_n(kept.total(), 'promise')} kept, {kept['no']} broken"
    return f"{shares}, {kept['not_possible']} not possible here"


def _n(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
