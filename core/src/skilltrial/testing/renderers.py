"""The contract of renderers: give the renderer; the reports are the kit's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.foreign import RunInputs
from skilltrial.model.report import Report
from skilltrial.model.suite import Suite
from skilltrial.model.words import EvidenceKind, VerdictKind
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import RendererFacade
from skilltrial.plugins.kinds import RENDERER

from .contracts import Contract, demand, documented, watched

SHA = "0" * 64
PROMPT = "Kit prompt: КИТ-CANARY-0f7c."
SUITE: Mapping[str, Any] = {
    "id": "kit",
    "skills": [{"id": "kit-notes", "folder": "kit-notes"}],
    "arms": [{"id": "without_skill"}, {"id": "with_skill", "skills": ["kit-notes"]}],
    "gate": {"arm": "with_skill"},
    "cases": [
        {
            "id": "greet",
            "turns": [PROMPT],
            "checks": [{"id": "files-1", "grader": "files", "path": "a", "exists": True}],
        }
    ],
}
_GATE = {
    VerdictKind.PASSED: ("passed", 0),
    VerdictKind.FAILED: ("failed", 1),
    VerdictKind.UNVERIFIED: ("incomplete", 3),
    VerdictKind.INCOMPLETE: ("incomplete", 3),
    VerdictKind.SKIPPED: ("incomplete", 3),
}


@dataclass(frozen=True)
class RendererSubject:
    """A renderer. Reports of rehearsals are rendered, or refused where `rehearsals` is False."""

    part: object
    rehearsals: bool = True


def report(kind: VerdictKind, **more: Any) -> Report:
    """A report of one case in two arms, in which every trial has this verdict."""
    decision, code = _GATE[kind]
    judged = kind in (VerdictKind.PASSED, VerdictKind.FAILED, VerdictKind.UNVERIFIED)
    why = {} if kind is VerdictKind.PASSED else {"reason": "kit_reason", "owner": "agent"}
    check = {"id": "files-1", "grader": "files", "outcome": kind.value, "reason": "kit_reason"}
    trials = [
        {
            "key": {"case": "greet", "arm": arm, "label": "1"},
            "polarity": "positive",
            "verdict": {"kind": kind.value, **why},
            "ending": None if kind is VerdictKind.SKIPPED else "completed" if judged else "host_failed",
            "checks": [check] if judged else [],
            "trigger": [{"skill": "kit-notes", "present": arm == "with_skill", "evidence": "unverified"}],
        }
        for arm in ("without_skill", "with_skill")
    ]
    value = {
        "mode": "run",
        "evidence_kind": EvidenceKind.LIVE_PORTABLE.value,
        "suite": "kit",
        "run": "0123456789abcdef",
        "archive": SHA,
        "gate": {"arm": "with_skill", "decision": decision, "exit": code},
        "limitations": ["One attempt per case: chance can't be told from effect."],
        "host": {"name": "kit", "records": "portable"},
        "scripted_model": None,
        "seed": 1,
        "attempts": 1,
        "narrowed": False,
        "digests": {"suite": SHA, "cases": {"greet": SHA}, "workspaces": {"greet": SHA}, "skills": []},
        "counts": [],
        "trials": trials,
        "judge": [],
        **more,
    }
    return Report.read(json.dumps(value))


def inputs() -> RunInputs:
    """What the archive of such a run keeps."""
    return RunInputs(
        source=json.dumps(SUITE, ensure_ascii=False).encode(),
        suite=Suite.read(json.dumps(SUITE)),
        workspaces={"greet": {"input.txt": b"original"}},
        skills={"kit-notes": {"SKILL.md": b"body"}},
    )


class RendererContract(Contract):
    """What every renderer must do. Give `subject`, a RendererSubject."""

    kind = RENDERER

    @pytest.fixture
    def renderer(self, subject: RendererSubject) -> RendererFacade:
        """The renderer, held to its hook spec."""
        return bind(RendererFacade, "subject", subject.part)

    def test_fits_its_hook_spec(self, subject: RendererSubject) -> None:
        """One hook; the class says what it writes."""
        bind(RendererFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_every_report_is_rendered(self, renderer: RendererFacade) -> None:
        """Of every verdict, of none at all, and of every evidence kind."""
        for what, one in _reports():
            demand(_rendered(renderer, one, what).strip(), f"a report {what} was rendered as nothing")

    def test_the_same_report_gives_the_same_bytes(self, renderer: RendererFacade) -> None:
        """Pure: no time, no path of this machine; no file, program or socket is touched."""
        one = report(VerdictKind.PASSED)
        first = _rendered(renderer, one, "twice")
        with watched() as acts:
            second = _rendered(renderer, one, "twice")
        demand(first == second, "one report was rendered in two ways")
        demand(not acts, f"render_report is pure; it did: {', '.join(acts[:3])}")

    def test_verdicts_are_told_apart(self, renderer: RendererFacade) -> None:
        """What was not shown never looks like a pass, or like a failure."""
        told = {kind: _rendered(renderer, report(kind), f"of {kind}") for kind in VerdictKind}
        for kind in VerdictKind:
            demand(
                kind is VerdictKind.PASSED or told[kind] != told[VerdictKind.PASSED],
                f"a report of trials that are {kind} looks like one of trials that passed",
            )
        for kind in (VerdictKind.UNVERIFIED, VerdictKind.INCOMPLETE, VerdictKind.SKIPPED):
            demand(told[kind] != told[VerdictKind.FAILED], f"trials that are {kind} look like failed ones")

    def test_no_prompt_is_told(self, renderer: RendererFacade) -> None:
        """A report may be shown to anybody, whatever its form."""
        for what, one in _reports():
            told = _rendered(renderer, one, what).decode("utf-8", "replace")
            demand("CANARY-0f7c" not in told, f"a report {what} holds the prompt of a case")

    def test_a_rehearsal_is_told_as_one_or_refused(self, renderer: RendererFacade, subject: RendererSubject) -> None:
        """A rehearsal says nothing about the skill: it is refused with InvalidRequest, or told apart from a run."""
        played = report(
            VerdictKind.PASSED,
            mode="rehearse",
            evidence_kind=EvidenceKind.SCRIPTED_MODEL.value,
            scripted_model="scripted",
            rehearsal={"promises": []},
        )
        try:
            told = renderer.render_report(played, inputs())
        except InvalidRequest as error:
            demand(str(error).strip(), "a rehearsal was refused without a word")
            demand(not subject.rehearsals, "a rehearsal was refused; the subject says that it is rendered")
            return
        demand(subject.rehearsals, "a rehearsal was rendered; the subject says that it is refused")
        demand(told != renderer.render_report(report(VerdictKind.PASSED), inputs()), "a rehearsal looks like a run")


def _reports() -> Iterator[tuple[str, Report]]:
    for kind in VerdictKind:
        yield f"of {kind}", report(kind)
    for evidence in EvidenceKind:
        if evidence is not EvidenceKind.SCRIPTED_MODEL:
            yield f"of {evidence}", report(VerdictKind.PASSED, evidence_kind=evidence.value)
    yield "without a trial", report(VerdictKind.SKIPPED, trials=[])


def _rendered(renderer: RendererFacade, one: Report, what: str) -> bytes:
    try:
        return renderer.render_report(one, inputs())
    except Exception as error:
        raise AssertionError(f"a report {what} raised {type(error).__name__}: {error}") from error
