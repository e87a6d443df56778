"""The renderer `embraion`: a report in the shape of EmbrAIon's, for what reads those."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue
from pydantic.dataclasses import dataclass

from skilltrial.api import EvidenceKind, InvalidRequest, Pair, Report, RunInputs, Suite, TrialReport

from .digests import case_digest, folder_digest
from .original import cases_as_written, kinds_of_checks
from .runs import behavior_passed, checks, host

_HOSTS = {
    EvidenceKind.LIVE_CODEX: "codex",
    EvidenceKind.LIVE_CLAUDE: "claude-code",
    EvidenceKind.LIVE_PORTABLE: "portable",
}
_OUTCOMES = ("improved", "regressed", "tied-pass", "tied-fail", "unavailable")


@dataclass(frozen=True)
class EmbraionRenderer:
    """Writes the report of `embraion eval skills run`; `notes` at its end says what is null, and why."""

    def render_report(self, report: Report, inputs: RunInputs) -> bytes:
        """See RendererSpec."""
        if report.mode != "run":
            raise InvalidRequest("EmbrAIon has no report of a rehearsal; print this one with --format json")
        variants = _variants(inputs.suite, report.gate.arm)
        runs = list(_runs(report, inputs, variants))
        value: dict[str, JsonValue] = {
            "schema-version": 1,
            "evidence-kind": report.evidence_kind.value,
            "suite": report.suite,
            "suite-digest": report.digests.suite,
            "host": _HOSTS.get(report.evidence_kind, report.host.name),
            "model": report.host.model,
            "effort": report.host.effort,
            "attempts": report.attempts,
            "skill-identities": _identities(inputs),
            "summary": _summary(report.trials, variants),
            "pair-summary": _pair_summary(report, variants),
            "pairs": _pairs(report, inputs.suite, variants),
            "runs": runs,
            "notes": list(_notes(report, runs)),
        }
        return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _variants(suite: Suite, gate_arm: str | None) -> dict[str, str]:
    """Arm → EmbrAIon's word for it; an arm that it has no word for keeps its name."""
    words = {}
    for arm in suite.arms:
        if arm.id == gate_arm:
            words[arm.id] = "candidate"
        elif not arm.skills:
            words[arm.id] = "baseline"
        elif all(reference.endswith("@previous") for reference in arm.skills):
            words[arm.id] = "previous"
        else:
            words[arm.id] = arm.id
    order = ("baseline", "candidate", "previous")
    return dict(sorted(words.items(), key=lambda one: order.index(one[1]) if one[1] in order else len(order)))


def _identities(inputs: RunInputs) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for skill in inputs.suite.skills:
        forms = (("candidate", skill.id), ("previous", f"{skill.id}@previous"))
        found[skill.id] = {
            form: folder_digest(inputs.skills[reference]) for form, reference in forms if reference in inputs.skills
        }
    return found


def _summary(trials: Sequence[TrialReport], variants: Mapping[str, str]) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {}
    for arm, variant in variants.items():
        results = [behavior_passed(trial) for trial in trials if trial.key.arm == arm]
        known = [result for result in results if result is not None]
        told[variant] = {"total": len(results), "behavior-passed": sum(known) if known else None}
    return told


def _pair_summary(report: Report, variants: Mapping[str, str]) -> dict[str, JsonValue]:
    counts = {one.reference: one for one in report.pair_summary}
    return {
        variant: {outcome: getattr(counts[arm], outcome.replace("-", "_")) for outcome in _OUTCOMES}
        for arm, variant in variants.items()
        if arm in counts
    }


def _pairs(report: Report, suite: Suite, variants: Mapping[str, str]) -> list[JsonValue]:
    found: dict[tuple[str, int], dict[str, Pair]] = {}
    for pair in report.pairs:
        found.setdefault((pair.case, int(pair.label)), {})[pair.reference] = pair
    return [
        {
            "case": case.id,
            "attempt": attempt,
            "candidate-vs": {variants[arm]: found[key][arm].outcome for arm in variants if arm in found[key]},
        }
        for case in suite.cases
        for attempt in range(1, report.attempts + 1)
        if (key := (case.id, attempt)) in found
    ]


def _runs(report: Report, inputs: RunInputs, variants: Mapping[str, str]) -> Iterator[JsonValue]:
    written = cases_as_written(inputs.source)
    trials = {(trial.key.case, int(trial.key.label), trial.key.arm): trial for trial in report.trials}
    # More than the attempts, where a gate repeated what failed.
    most = max((attempt for _, attempt, _ in trials), default=0)
    for case in inputs.suite.cases:
        original = written.get(case.id)
        fixture = folder_digest(inputs.workspaces[case.id]) if case.id in inputs.workspaces else None
        for attempt in range(1, most + 1):
            for arm, variant in variants.items():
                trial = trials.get((case.id, attempt, arm))
                if trial is None:
                    continue
                yield {
                    "case": case.id,
                    "case-digest": case_digest(original, fixture) if original and fixture else None,
                    "fixture-digest": fixture,
                    "polarity": case.polarity,
                    "attempt": attempt,
                    "variant": variant,
                    "host": host(trial, report.evidence_kind),
                    "checks": checks(
                        [check.id for check in case.checks], trial, kinds_of_checks(original) if original else []
                    ),
                    "behavior-passed": behavior_passed(trial),
                    "trigger-evidence": {row.skill: row.evidence for row in trial.trigger},
                }


_NULLS = {
    "status": "`host.status` is null where a session was interrupted or did not run: EmbrAIon has no word for it.",
    "duration-seconds": "`host.duration-seconds` is null where no session ran.",
    "exit-code": "`host.exit-code` is null where the program gave none.",
    "completed": "`host.completed` and `host.failed` are null where the report does not keep the program's last event.",
    "tool-calls": "`host.tool-calls` is null where this host does not show them.",
    "passed": "`passed` is null where a check was not asked (the session did not complete) or not decided.",
    "type": "`type` is null: the suite was not written for EmbrAIon, which has other kinds of check.",
    "case-digest": "`case-digest` is null: the suite was not written for EmbrAIon.",
    "behavior-passed": "`behavior-passed` is null where the evidence does not decide; `summary` counts no such run.",
}
"""Key → what its null says."""


def _notes(report: Report, runs: Sequence[JsonValue]) -> Iterator[str]:
    yield "Written by skilltrial from its own report, which says more; digests of skills are of what was installed."
    nulls = set(_nulls(list(runs)))
    yield from (note for key, note in _NULLS.items() if key in nulls)
    if report.narrowed:
        yield "Only some cases or arms were asked for."
    yield from report.limitations


def _nulls(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            if one is None:
                yield key
            yield from _nulls(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _nulls(one)
