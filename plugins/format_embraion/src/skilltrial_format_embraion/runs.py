"""One trial as an entry of EmbrAIon's `runs`."""

from __future__ import annotations

from pydantic import JsonValue

from skilltrial.api import CheckReport, Ending, EvidenceKind, Outcome, TrialReport, UsageReport, VerdictKind

STATUS: dict[Ending | None, str | None] = {
    Ending.COMPLETED: "completed",
    Ending.TIME_LIMIT: "timeout",
    Ending.OUTPUT_LIMIT: "output-limit",
    Ending.HOST_UNAVAILABLE: "host-unavailable",
    Ending.INVALID_EVENTS: "invalid-host-events",
    Ending.HOST_FAILED: "host-failed",
    Ending.INTERRUPTED: None,
    Ending.NOT_BEGUN: None,
    None: None,
}
"""How a session ended → EmbrAIon's word; None where it has no word. `grading-error` is of its own making."""

_PASSED: dict[Outcome, bool | None] = {Outcome.PASSED: True, Outcome.FAILED: False, Outcome.UNVERIFIED: None}


def behavior_passed(trial: TrialReport) -> bool | None:
    """EmbrAIon's rule: completed, and every check passed. None where that was not shown either way."""
    match trial.verdict.kind:
        case VerdictKind.PASSED:
            return True
        case VerdictKind.FAILED:
            return False
        case _:
            return None if STATUS[trial.ending] in (None, "completed") else False


def host(trial: TrialReport, kind: EvidenceKind) -> dict[str, JsonValue]:
    """What is known of the session."""
    seconds = 0.0 if trial.ending is Ending.HOST_UNAVAILABLE else trial.agent_seconds
    told: dict[str, JsonValue] = {
        "status": STATUS[trial.ending],
        "duration-seconds": None if seconds is None else round(seconds, 3),
    }
    if trial.ending is not Ending.HOST_UNAVAILABLE:
        told["exit-code"] = trial.exit_codes[-1] if trial.exit_codes else None
    if trial.ending in (Ending.COMPLETED, Ending.HOST_FAILED):
        done = trial.ending is Ending.COMPLETED
        # Of a program with events, a bad exit code does not say what its last event was.
        known = done or kind is EvidenceKind.LIVE_PORTABLE
        told |= {
            "completed": done if known else None,
            "failed": not done if known else None,
            "tool-calls": trial.tool_calls,
            "tokens": _tokens(trial.usage),
            "usage-complete": done and trial.usage is not None and None not in (trial.usage.input, trial.usage.output),
            "observed-reads": [*sorted(row.skill for row in trial.trigger if row.evidence == "read-observed")],
        }
    return told


def checks(asked: list[str], trial: TrialReport, kinds: list[str]) -> list[JsonValue]:
    """Every check that was asked for, with its answer; None where there is none."""
    answers: dict[str, CheckReport] = {answer.id: answer for answer in trial.checks}
    return [
        {
            "index": index,
            "type": kinds[index] if index < len(kinds) else None,
            "passed": _PASSED[answers[id].outcome] if id in answers else None,
        }
        for index, id in enumerate(asked)
    ]


def _tokens(usage: UsageReport | None) -> dict[str, JsonValue]:
    if usage is None:
        return {}
    counts = {"input_tokens": usage.input, "output_tokens": usage.output, "cached_input_tokens": usage.cached}
    return {name: count for name, count in counts.items() if count is not None}
