"""A report as plain rows and lines of text, before any form is given to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from skilltrial.model.report import PromiseReport, Report, TrialReport
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import EvidenceKind, VerdictKind


@dataclass(frozen=True, slots=True)
class Table:
    """A header and rows of as many cells."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def grouped(self) -> tuple[tuple[str, Table], ...]:
        """A table for each value of the first column, which itself is left out."""
        firsts = dict.fromkeys(row[0] for row in self.rows)
        return tuple(
            (first, Table(self.header[1:], tuple(row[1:] for row in self.rows if row[0] == first))) for first in firsts
        )


@dataclass(frozen=True, slots=True)
class Trouble:
    """A trial that needs somebody's eyes, in one line."""

    key: TrialKey
    line: str


def title(report: Report) -> str:
    """The first line. Where the model was scripted it says so before anything else."""
    n = len(report.trials)
    sealed = sum(trial.ending is not None for trial in report.trials)
    host = f"{report.host.name} {report.host.version}" if report.host.version else report.host.name
    what = f"{report.suite} on {host}: {sealed} of {n} trials ran"
    if report.evidence_kind is EvidenceKind.SCRIPTED_MODEL:
        return f"The model was scripted. {what}"
    return f"{what} ({report.evidence_kind})"


def kept_line(report: Report) -> str:
    """How many promises were kept, of how many; empty in a run."""
    if report.rehearsal is None:
        return ""
    kept = Counter(one.kept for one in report.rehearsal.promises)
    shares = f"{kept['yes']} of {plural(kept.total(), 'promise')} kept, {kept['no']} broken"
    return f"{shares}, {kept['not_possible']} not possible here"


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
    rule = f" {gate.rule}" if gate.rule != "all" else ""
    what = f"gate {gate.arm}{rule}" if gate.arm else "promises"
    decision = {"passed": "kept", "failed": "broken"}.get(gate.decision, gate.decision)
    why = ", ".join(spaced(reason) for reason in gate.reasons)
    return f"{what}: {gate.decision if gate.arm else decision} ({why}), exit {gate.exit}"


def troubles(report: Report) -> tuple[Trouble, ...]:
    """The promises of a rehearsal that were not kept; what decided comes first."""
    found = [
        Trouble(TrialKey(case=one.case, arm=one.arm, label=one.rehearsal), _promise_line(one))
        for one in (report.rehearsal.promises if report.rehearsal else ())
        if one.kept != "yes"
    ]
    deciding = set(report.gate.deciding)
    return tuple(sorted(found, key=lambda one: one.key not in deciding))


def _promise_line(one: PromiseReport) -> str:
    why = f" ({spaced(one.why)})" if one.why and one.why != "verdict" else ""
    kept = "broken" if one.kept == "no" else "not possible here"
    return f"{one.case} / {one.rehearsal} / {one.arm}: {kept}{why}; promised {spaced(one.promised)}, got {one.got}"


def trial_line(trial: TrialReport) -> str:
    """A trial that needs somebody's eyes: what became of it, why, and whose that is."""
    verdict = trial.verdict
    cause = f", {spaced(trial.cause)}" if trial.cause and verdict.kind is VerdictKind.INCOMPLETE else ""
    reason = f" ({spaced(verdict.reason)}{cause})" if verdict.reason else ""
    check = f", check {verdict.check}" if verdict.check else ""
    owner = f", owner {verdict.owner}" if verdict.owner else ""
    return f"{trial.key}: {verdict.kind}{reason}{check}{owner}"


def spaced(word: str) -> str:
    """A word as people write it: `not_run` is `not run`."""
    return word.replace("_", " ")


def promise_table(report: Report) -> Table:
    """A row for each rehearsal, with what came of it in each arm; two where the arms were promised different things."""
    promises = report.rehearsal.promises if report.rehearsal else ()
    arms = tuple(dict.fromkeys(one.arm for one in promises))
    rows: dict[tuple[str, str, str], dict[str, str]] = {}
    for one in promises:
        rows.setdefault((one.case, one.rehearsal, spaced(one.promised)), {})[one.arm] = _kept(one)
    return Table(
        ("case", "rehearsal", "promised", *arms),
        tuple((*firsts, *(cells.get(arm, "-") for arm in arms)) for firsts, cells in rows.items()),
    )


def _kept(one: PromiseReport) -> str:
    match one.kept:
        case "yes":
            return f"{one.got}, kept"
        case "no":
            return f"{one.got}, BROKEN"
        case _:
            return "not possible here"


def plural(count: int, what: str) -> str:
    """`1 pair`, `2 pairs`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
