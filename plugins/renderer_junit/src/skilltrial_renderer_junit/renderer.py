"""The renderer `junit`: a report as JUnit XML. What was not seen is never a passed test, and a control never fails."""

from __future__ import annotations

from collections.abc import Iterator

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite
from pydantic.dataclasses import dataclass

from skilltrial.api import Report, RunInputs, TrialReport, VerdictKind


@dataclass(frozen=True)
class JunitRenderer:
    """One suite for each arm, one test for each trial, and a last one for the gate.

    A trial that shows nothing is an error, one that could not be verified is skipped, both with their reasons. Only
    what made the gate fail is a failure: what another arm did, and what the gate outvoted, is skipped with its verdict.
    """

    def render_report(self, report: Report, inputs: RunInputs) -> bytes:
        """See RendererSpec."""
        document = JUnitXml(report.suite)
        for arm in dict.fromkeys(trial.key.arm for trial in report.trials):
            suite = TestSuite(f"{report.suite}.{arm}")
            suite.add_property("host", f"{report.host.name} {report.host.version or ''}".strip())
            suite.add_property("evidence", report.evidence_kind.value)
            suite.add_property("archive", report.archive)
            for trial in report.trials:
                if trial.key.arm == arm:
                    suite.add_testcase(_trial(report, trial))
            document.add_testsuite(suite)
        document.add_testsuite(_gate(report))
        document.update_statistics()  # type: ignore[no-untyped-call]
        text: bytes = document.tostring()  # type: ignore[no-untyped-call]
        return text


def _trial(report: Report, trial: TrialReport) -> TestCase:
    case = TestCase(
        f"{trial.key.case} [{trial.key.label}]", f"{report.suite}.{trial.key.arm}", trial.agent_seconds or 0.0
    )
    told = _told(trial)
    match trial.verdict.kind:
        case VerdictKind.PASSED:
            pass
        case VerdictKind.INCOMPLETE:
            case.result = [Error(told, trial.verdict.reason)]
        case VerdictKind.FAILED if trial.key in report.gate.deciding and report.gate.decision == "failed":
            case.result = [Failure(told, trial.verdict.reason)]
        case VerdictKind.FAILED if report.mode == "run":
            whose = "outvoted" if trial.key.arm == report.gate.arm else "not the gate's arm"
            case.result = [Skipped(f"{told}; {whose}", trial.verdict.reason)]
        case VerdictKind.FAILED:
            # Of a rehearsal only the promises count; the gate's tests tell them.
            case.result = [Skipped(f"{told}; a rehearsal's verdict is no result", trial.verdict.reason)]
        case _:
            case.result = [Skipped(told, trial.verdict.reason)]
    return case


def _told(trial: TrialReport) -> str:
    verdict = trial.verdict
    failed = [f"{check.id}: {check.reason}" for check in trial.checks if check.outcome.value != "passed"]
    owner = f", owner {verdict.owner}" if verdict.owner else ""
    return f"{verdict.kind} ({verdict.reason or 'no reason'}{owner}){'; ' if failed else ''}{', '.join(failed)}"


def _gate(report: Report) -> TestSuite:
    suite = TestSuite(f"{report.suite}.gate")
    for name, kind, message in _decisions(report):
        case = TestCase(name, f"{report.suite}.gate", 0.0)
        if kind == "failed":
            case.result = [Failure(message, kind)]
        elif kind == "incomplete":
            case.result = [Error(message, kind)]
        suite.add_testcase(case)
    return suite


def _decisions(report: Report) -> Iterator[tuple[str, str, str]]:
    gate = report.gate
    yield f"gate {gate.arm or 'promises'} {gate.rule}", gate.decision, f"{gate.decision}: {', '.join(gate.reasons)}"
    for one in report.rehearsal.promises if report.rehearsal else ():
        name = f"{one.case} / {one.rehearsal} / {one.arm}"
        kind = {"yes": "passed", "no": "failed", "not_possible": "passed"}[one.kept]
        yield name, kind, f"promised {one.promised}, got {one.got}"
