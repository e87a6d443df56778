"""Audit an archive: each mutant of each passing trial is sealed anew, judged as any archive is, and must not pass."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from skilltrial.archive import layout
from skilltrial.archive.copying import WorkingCopy
from skilltrial.archive.reading import SealedArchive, open_archive
from skilltrial.judge.grading import grade
from skilltrial.judge.views import GraderSource, NormalizerSource
from skilltrial.model.checks import CheckOptions
from skilltrial.model.errors import ArchiveRefused, RunIncomplete
from skilltrial.model.plan import PartIdentity
from skilltrial.model.report import Report
from skilltrial.model.suite import Check
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import VerdictKind
from skilltrial.plugins.facades import GraderFacade

from .catalogue import CATALOGUE
from .findings import AuditReport, Finding, Row
from .mutants import REDUNDANT, Mutant
from .specimen import Scene, Specimen

ENOUGH = 20
"""An audit of fewer mutants says nothing."""
MOST_UNTESTED = 0.05
"""The share of mutants that may be refused before any judging."""

Told = Callable[[str], None]


@dataclass(frozen=True)
class Judges:
    """Who judges, as for any archive."""

    graders: GraderSource
    normalizers: NormalizerSource
    identities: tuple[PartIdentity, ...]

    def report(self, root: Path) -> Report:
        """The report of the archive in `root`. Raises ArchiveRefused."""
        return grade(open_archive(root), self.graders, self.normalizers, self.identities).report


def audit(root: Path, judges: Judges, chosen: Callable[[TrialKey], bool], told: Told) -> AuditReport:
    """Audit the passing trials of the archive in `root` that are `chosen`; `told` hears of each that begins.

    Raises ArchiveRefused, and RunIncomplete where no chosen trial passed: there is nothing to change.
    """
    archive = open_archive(root)
    judges = replace(judges, graders=Remembered(judges.graders))
    report = judges.report(root)
    passing = [one.key for one in report.trials if one.verdict.kind is VerdictKind.PASSED]
    keys = [key for key in passing if chosen(key)]
    if not keys:
        raise RunIncomplete(f"{root}: no trial passed that could be changed; audit an archive whose trials pass")
    tally = _Tally()
    with tempfile.TemporaryDirectory(prefix="skilltrial-audit-") as folder:
        copy = WorkingCopy(archive, Path(folder) / "archive")
        for key in keys:
            told(str(key))
            _audit_trial(_Bench(archive, copy, judges, key, passing), tally)
    return tally.report(archive, keys)


class Remembered:
    """Graders whose reading of a check is remembered: the same few checks are asked of every mutant."""

    def __init__(self, graders: GraderSource) -> None:
        self._graders = graders
        self._read: dict[str, CheckOptions] = {}

    def find(self, name: str) -> GraderFacade:
        """See GraderSource."""
        return self._graders.find(name)

    def read_check(self, check: Check) -> CheckOptions:
        """See GraderSource."""
        written = check.model_dump_json()
        if written not in self._read:
            self._read[written] = self._graders.read_check(check)
        return self._read[written]


@dataclass(frozen=True)
class _Standing:
    """What a change must not leave as it is."""

    verdict: VerdictKind
    reason: str
    rest: tuple[object, ...]


class _Bench:
    """One passing trial, with the trials it is compared with, and what an archive of these few is worth."""

    def __init__(
        self, archive: SealedArchive, copy: WorkingCopy, judges: Judges, key: TrialKey, passing: Iterable[TrialKey]
    ) -> None:
        self.key = key
        self._copy = copy
        self._judges = judges
        peers = [one for one in archive.plan.trials if (one.case, one.label) == (key.case, key.label)]
        self._trials = {one: trial.sealed_files for one in peers if (trial := archive.trial(one)) is not None}
        sealed = archive.trial(key)
        if sealed is None:
            raise ArchiveRefused(f"{archive.root}: {key} has no seal")
        others = {one: trial.sealed_files for one in passing if one != key and (trial := archive.trial(one))}
        self.specimen = Specimen.of(sealed, _scene(archive, judges, key), others)
        self._unchanged = self._standing({})
        if self._unchanged.verdict is not VerdictKind.PASSED:
            raise ArchiveRefused(f"{archive.root}: {key} does not pass when it is judged alone")

    def passes(self, mutant: Mutant) -> tuple[bool, str]:
        """Whether everything stands as before, and why not. Raises ArchiveRefused."""
        found = self._standing(mutant.change)
        return found == self._unchanged, found.reason

    def _standing(self, change: Mapping[str, bytes | None]) -> _Standing:
        files = {**self._trials[self.key], **{name: data for name, data in change.items() if data is not None}}
        for name, data in change.items():
            if data is None:
                files.pop(name, None)
        report = self._judges.report(self._copy.seal({**self._trials, self.key: files}))
        verdict = next(one.verdict for one in report.trials if one.key == self.key)
        why = verdict.check or verdict.reason or ", ".join(report.gate.reasons)
        return _Standing(verdict.kind, why, (report.gate.decision, report.pairs))


def _scene(archive: SealedArchive, judges: Judges, key: TrialKey) -> Scene:
    suite, identity = archive.suite, archive.plan.host
    present = {one.id: one.skills for one in suite.arms}[key.arm]
    bodies = {skill.id: archive.skill_body(skill.id) for skill in archive.plan.skills}
    return Scene(
        case=suite.case(key.case),
        prompts={case.id: case.turns for case in suite.cases},
        fixtures=tuple(suite.fixtures),
        sees=identity.sees,
        normalize=judges.normalizers.find(identity.records).normalize,
        skills={id: text for id, text in bodies.items() if id in present},
        absent={id: text for id, text in bodies.items() if id not in present},
    )


def _audit_trial(bench: _Bench, tally: _Tally) -> None:
    for mutation in CATALOGUE:
        met: set[tuple[tuple[str, bytes | None], ...]] = set()
        for mutant in mutation.make(bench.specimen):
            content = tuple(sorted(mutant.change.items()))
            if content in met or not _changes(bench.specimen, mutant):
                continue
            met.add(content)
            declared = mutant.equivalent or (REDUNDANT if mutant.loss and _tells_the_same(bench, mutant) else None)
            tally.count(bench, mutation.kind, mutant, declared)


def _changes(specimen: Specimen, mutant: Mutant) -> bool:
    return any(specimen.files.get(name) != data for name, data in mutant.change.items())


def _tells_the_same(bench: _Bench, mutant: Mutant) -> bool:
    data = mutant.change.get(layout.HOST_RECORDS)
    return data is not None and bench.specimen.tells_the_same(data)


class _Tally:
    """What came of every mutant so far."""

    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {mutation.kind: Counter() for mutation in CATALOGUE}
        self._found: dict[str, list[Finding]] = {"survived": [], "disturbed": [], "not_tested": []}
        self._broke = False

    def count(self, bench: _Bench, kind: str, mutant: Mutant, declared: str | None) -> None:
        """Judge a mutant and note what came of it."""
        try:
            passes, why = bench.passes(mutant)
        except ArchiveRefused:
            self._note("not_tested", bench, kind, mutant, "refused")
            return
        except Exception as error:  # noqa: BLE001 - a judge that breaks on some evidence is what an audit looks for
            self._broke = True
            self._note("not_tested", bench, kind, mutant, f"broke the judge: {type(error).__name__}")
            return
        if declared is None:
            self._note("survived" if passes else "caught", bench, kind, mutant, "passed")
        else:
            self._note("equivalent" if passes else "disturbed", bench, kind, mutant, why if not passes else declared)

    def _note(self, what: str, bench: _Bench, kind: str, mutant: Mutant, why: str) -> None:
        self._counts[kind][what] += 1
        if what in self._found:
            self._found[what].append(Finding(trial=bench.key, kind=kind, mutant=mutant.name, why=why))

    def report(self, archive: SealedArchive, keys: Iterable[TrialKey]) -> AuditReport:
        """The whole."""
        reasons = tuple(self._reasons())
        failed = self._broke or self._found["survived"] or self._found["disturbed"]
        return AuditReport(
            archive=archive.manifest_sha256,
            suite=archive.plan.suite,
            trials=tuple(keys),
            rows=tuple(self._rows()),
            survivors=tuple(self._found["survived"]),
            disturbed=tuple(self._found["disturbed"]),
            not_tested=tuple(self._found["not_tested"]),
            decision="failed" if failed else "incomplete" if reasons else "passed",
            reasons=reasons or ("none_survived",),
        )

    def _rows(self) -> Iterator[Row]:
        for mutation in CATALOGUE:
            count = self._counts[mutation.kind]
            yield Row(
                kind=mutation.kind,
                says=mutation.says,
                tried=count.total(),
                caught=count["caught"],
                equivalent=count["equivalent"],
                survived=count["survived"],
                disturbed=count["disturbed"],
                not_tested=count["not_tested"],
            )

    def _reasons(self) -> Iterator[str]:
        tried = sum(count.total() for count in self._counts.values())
        untested = len(self._found["not_tested"])
        if self._broke:
            yield "judge_broke"
        if self._found["survived"]:
            yield "mutants_survived"
        if self._found["disturbed"]:
            yield "equivalent_mutants_failed"
        if tried - untested < ENOUGH or untested > tried * MOST_UNTESTED:
            yield "too_little_tested"
