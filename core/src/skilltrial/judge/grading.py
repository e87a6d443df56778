"""A sealed archive in, a report out. Pure: no clock, no environment; the same archive gives the same bytes.

Live runs and replays share every line of this: `run` seals an archive and then calls `grade`, as a stranger does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from skilltrial.model.contracts import lacking
from skilltrial.model.errors import ArchiveRefused, ArchiveUnsupported
from skilltrial.model.gates import Gate
from skilltrial.model.plan import PartIdentity, Plan
from skilltrial.model.report import (
    Digests,
    GateReport,
    Headline,
    HostReport,
    Pair,
    RehearsalReport,
    Report,
    TrialReport,
)
from skilltrial.model.suite import Case
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import EvidenceKind
from skilltrial.plugins.facades import NormalizerFacade

from .belonging import Expected
from .counts import counts
from .discovery import installed_in
from .gate import gate
from .headline import headline
from .limitations import limitations
from .pairs import pairs, summaries
from .parity import unlike
from .promises import judge_promises, not_possible
from .purity import canaries
from .questions import CheckDetail, Question, questions
from .rechecked import LABEL
from .sharing import Shared
from .trialview import Bench, judge_trial, not_run, skipped
from .trigger import installed
from .views import ArchiveView, GraderSource, NormalizerSource


@dataclass(frozen=True, slots=True)
class Judgement:
    """A report, and beside it the texts of the checks, which are for those who hold the archive."""

    report: Report
    details: Mapping[TrialKey, tuple[CheckDetail, ...]]


def grade(
    archive: ArchiveView,
    graders: GraderSource,
    normalizers: NormalizerSource,
    judge: tuple[PartIdentity, ...],
    rule: Gate | None = None,
    *,
    checks_changed: bool = False,
) -> Judgement:
    """Judge every trial of `archive`, then the whole. `judge` names the parts that do it (`plugins.judging`).

    `rule` is another gate than the suite's, chosen after the run; a limitation says so. `checks_changed` says that
    the archive is seen with other checks than it was run with: no gate is decided then.

    Raises InvalidRequest where a grader or the normalizer is not installed, ArchiveRefused where the archive was
    changed or contradicts itself, ArchiveUnsupported where its fixtures offered less than the suite's cases need.
    """
    plan = archive.plan
    if lacks := tuple(lacking(archive.suite, plan.fixtures)):
        raise ArchiveUnsupported("\n".join(lacks))
    details: dict[TrialKey, tuple[CheckDetail, ...]] = {}
    impossible: set[TrialKey] = set()
    trials = tuple(_trials(archive, _Benches(archive, graders, normalizers), details, impossible))
    later = ("checks_changed",) if checks_changed else ()
    amount = _amount(archive, trials, frozenset(impossible), rule or archive.suite.gate, later)
    report = Report(
        mode=plan.mode,
        evidence_kind=_evidence_kind(plan),
        suite=plan.suite,
        run=plan.run,
        archive=archive.manifest_sha256,
        gate=amount.gate,
        limitations=(
            *((LABEL,) if checks_changed else ()),
            *_chosen_later(archive, rule),
            *limitations(archive, trials, amount.rehearsal, judge),
        ),
        host=_host(plan.host),
        scripted_model=plan.model,
        seed=plan.seed,
        attempts=plan.attempts,
        narrowed=plan.narrowed,
        digests=Digests(suite=plan.suite_sha256, cases=plan.cases, workspaces=plan.workspaces, skills=plan.skills),
        plugin=plan.plugin,
        counts=counts(plan.arms, trials),
        pairs=amount.pairs,
        pair_summary=summaries(amount.pairs),
        headline=amount.headline,
        rehearsal=amount.rehearsal,
        trials=trials,
        judge=judge,
    )
    return Judgement(report, details)


def judge_some(
    archive: ArchiveView, keys: Iterable[TrialKey], graders: GraderSource, normalizers: NormalizerSource
) -> tuple[TrialReport, ...]:
    """Judge the sealed trials among `keys` as `grade` does, in the middle of a run. Raises as `grade`."""
    benches = _Benches(archive, graders, normalizers)
    return tuple(
        judge_trial(key, trial, benches.of(key))[0] for key in keys if (trial := archive.trial(key)) is not None
    )


def _chosen_later(archive: ArchiveView, rule: Gate | None) -> tuple[str, ...]:
    if rule is None or rule == archive.suite.gate:
        return ()
    return (f"The gate {rule.rule} was chosen after the run; the run's own was {archive.suite.gate.rule}.",)


@dataclass(frozen=True, slots=True)
class _Amount:
    """What the trials amount to: promises in a rehearsal (a scripted model has no lift), else pairs and a headline."""

    gate: GateReport
    rehearsal: RehearsalReport | None = None
    pairs: tuple[Pair, ...] = ()
    headline: Headline | None = None


def _amount(
    archive: ArchiveView,
    trials: tuple[TrialReport, ...],
    impossible: frozenset[TrialKey],
    rule: Gate,
    later: tuple[str, ...],
) -> _Amount:
    changed = (*later, *(("sources_changed",) if archive.provenance.changed_sources else ()))
    if any(unlike(trials)):
        changed = (*changed, "arms_differ")
    if archive.plan.mode == "rehearse":
        rehearsal, decision = judge_promises(archive.suite, trials, impossible, changed)
        return _Amount(decision, rehearsal)
    doubts = (*(("scripted_model",) if archive.plan.model else ()), *changed)
    # What the gate repeats is repeated in its own arm only: there is nothing to pair it with.
    repeated = frozenset(archive.plan.repeats)
    paired = [trial for trial in trials if trial.key not in repeated]
    found = pairs(rule.arm, archive.plan.arms, paired)
    reference = _reference(archive, rule.arm)
    told = headline(rule.arm, reference, [pair for pair in found if pair.reference == reference], paired, doubts)
    return _Amount(gate(rule, trials, doubts), None, found, told)


def _reference(archive: ArchiveView, arm: str) -> str | None:
    """The arm that the headline compares with: one without any skill, else the first other one."""
    others = [one for one in archive.plan.arms if one != arm]
    bare = {one.id for one in archive.suite.arms if not one.skills}
    return next((one for one in others if one in bare), others[0] if others else None)


class _Benches:
    """What the trials of a case and arm are judged with, made when the first of them is."""

    def __init__(self, archive: ArchiveView, graders: GraderSource, normalizers: NormalizerSource) -> None:
        self._suite, self._identity, self._assets = archive.suite, archive.plan.host, archive.assets
        self._plan, self._plan_skills = archive.plan, archive.plan.skills
        self._bodies = {one.id: archive.skill_body(one.id) for one in archive.plan.skills}
        self._normalizer: NormalizerFacade = normalizers.find(self._identity.records)
        self._cases = {case.id: case for case in self._suite.cases}
        # Asked for every planned case at once: a grader that is not installed is told before anything is judged.
        planned = dict.fromkeys(key.case for key in archive.plan.trials)
        self._questions: dict[str, tuple[Question, ...]] = {
            case: questions(self.case(case), graders) for case in planned
        }
        self._made: dict[tuple[str, str], Bench] = {}
        self._shared = Shared()

    def case(self, id: str) -> Case:
        """The case called `id`."""
        if id not in self._cases:
            raise ArchiveRefused(f"the plan names the case {id!r}, which the archived suite does not have")
        return self._cases[id]

    def of(self, key: TrialKey) -> Bench:
        """The bench for a trial."""
        if (key.case, key.arm) not in self._made:
            self._made[key.case, key.arm] = self._make(self.case(key.case), key.arm)
        return self._made[key.case, key.arm]

    def _make(self, case: Case, arm: str) -> Bench:
        present = {one.id: one.skills for one in self._suite.arms}.get(arm)
        if present is None:
            raise ArchiveRefused(f"the plan names the arm {arm!r}, which the archived suite does not have")
        asked = tuple(question for question in self._questions[case.id] if question.applies(arm))
        needed = {path for question in asked for path in question.assets}
        return Bench(
            case=case,
            questions=asked,
            assets={path: self._assets[path] for path in sorted(needed) if path in self._assets},
            fixtures=tuple(self._suite.fixtures),
            names={name: one.aliases for name, one in self._plan.fixtures.items() if one.aliases},
            skills=tuple(skill.id for skill in self._suite.skills),
            present=installed(present),
            asked=frozenset(tool for skill in self._plan_skills if skill.id in present for tool in skill.asks),
            identity=self._identity,
            normalizer=self._normalizer,
            expected=Expected(
                case=case,
                skills={one.id.partition("@")[0]: one for one in self._plan_skills if one.id in present},
                kind=self._identity.evidence_kind,
                sees=self._identity.sees,
                fixtures=tuple(self._suite.fixtures),
                canaries=canaries(self._bodies, present, case.turns),
                plugin=installed_in(self._plan, arm),
            ),
            shared=self._shared,
        )


def _trials(
    archive: ArchiveView,
    benches: _Benches,
    details: dict[TrialKey, tuple[CheckDetail, ...]],
    impossible: set[TrialKey],
) -> Iterator[TrialReport]:
    """Every trial of the plan in its order, then every skip. Texts and impossible scripts are noted on the way."""
    rehearsing = archive.plan.mode == "rehearse"
    begun = archive.provenance.started
    ages = {one.key: round((begun - one.started).total_seconds() / 86_400, 2) for one in archive.provenance.reused}
    for key in archive.plan.trials:
        trial = archive.trial(key)
        if trial is None:
            yield not_run(key, benches.case(key.case))
            continue
        report, texts = judge_trial(key, trial, benches.of(key))
        if key in ages:
            report = report.model_copy(update={"reused_days": ages[key]})
        if texts:
            details[key] = texts
        if rehearsing and not_possible(trial.model_records()):
            impossible.add(key)
        yield report
    for skip in archive.plan.skips:
        yield skipped(skip.key, benches.case(skip.key.case), skip.reason)


def _evidence_kind(plan: Plan) -> EvidenceKind:
    if plan.model:
        return EvidenceKind.SCRIPTED_MODEL
    if any(fixture.live for fixture in plan.fixtures.values()):
        return EvidenceKind.LIVE_SERVER
    return plan.host.evidence_kind


def _host(identity: HostIdentity) -> HostReport:
    return HostReport(
        name=identity.name,
        version=identity.version,
        program_sha256=identity.program_sha256,
        # Sets have no order of their own, and a report must be the same bytes every time.
        can=tuple(sorted(identity.can)),
        sees=tuple(sorted(identity.sees)),
        records=identity.records,
        model=identity.model,
        effort=identity.effort,
        accounting=identity.accounting,
    )
