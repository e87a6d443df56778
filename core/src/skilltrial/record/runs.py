"""A run from end to end: executed and sealed. Judging is the caller's next step."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from skilltrial.archive import layout
from skilltrial.archive.lock import locked
from skilltrial.archive.redaction import Redactor
from skilltrial.archive.reopening import reopen
from skilltrial.archive.writing import ArchiveWriter
from skilltrial.model.facts import Provenance
from skilltrial.model.observing import Observer
from skilltrial.model.part import canonical
from skilltrial.model.plan import Plan
from skilltrial.model.trial import RunInfo, Script, TrialKey
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.judging import core_sources
from skilltrial.plugins.kinds import GRADER, NORMALIZER

from .accounts import alone
from .asking import Prepared
from .bench import Bench
from .endings import EndReader
from .observers import Observers
from .parts import Parts
from .pinning import written_pins
from .programs.leftbehind import register
from .programs.supervisor import Supervisor, refuse_platform
from .provenance import changed_sources, provenance
from .runner import Ran, Repeats, interrupts, run_trials
from .stopping import Conduct

if TYPE_CHECKING:
    from .reusing import Reusable


@dataclass(frozen=True, slots=True)
class Recorded:
    """A sealed run."""

    root: Path
    manifest_sha256: str
    ran: Ran
    changed_sources: tuple[str, ...] = ()
    """What was no longer as it was read when the run began."""


def record(  # noqa: PLR0913, PLR0917 - what a run is made of
    prepared: Prepared,
    out: Path,
    discovery: Discovery,
    observer: Observer,
    scripts: Mapping[TrialKey, Script],
    reused: Sequence[Reusable] = (),
    repeats: Repeats | None = None,
) -> Recorded:
    """Execute the plan, but for trials that are `reused`, and what `repeats` adds to it; seal the archive in `out`.

    Raises SourceUnusable, RunIncomplete. A run that was interrupted, or could not be finished, is sealed all the
    same; `Recorded.ran` says so.
    """
    refuse_platform()
    with _alone(prepared):
        # First: what an archive is begun with lies in the repository too, and would make it dirty.
        facts = provenance(prepared)
        facts = facts.model_copy(update={"reused": tuple(one.told for one in reused)})
        with ArchiveWriter.begin(out) as archive:
            _write_inputs(archive, prepared, discovery)
            archive.write_provenance(facts)
            for one in reused:
                archive.adopt(one.told.key, one.folder)
        with locked(out):
            return _carry_out(archive, without(prepared, reused), facts, observer, scripts, repeats)


def without(prepared: Prepared, reused: Sequence[Reusable]) -> Prepared:
    """The run without trials that need not be run."""
    taken = {one.told.key for one in reused}
    return replace(prepared, trials=tuple(key for key in prepared.trials if key not in taken))


def take_up(
    prepared: Prepared,
    root: Path,
    observer: Observer,
    scripts: Mapping[TrialKey, Script],
    again: Iterable[TrialKey] = (),
    repeats: Repeats | None = None,
) -> Recorded:
    """Run what the archive in `root` lacks, and the trials `again`, and seal it. Raises as `record`, ArchiveRefused."""
    refuse_platform()
    with _alone(prepared), locked(root):
        trials = reopen(root, again)
        archive = ArchiveWriter(root)
        facts = Provenance.read((root / layout.PROVENANCE).read_bytes())
        python = () if facts.python == platform.python_version() else ("Python",)
        others = tuple(dict.fromkeys((*facts.resumed_with, *prepared.others, *python)))
        facts = facts.model_copy(update={"resumed": (*facts.resumed, datetime.now(UTC)), "resumed_with": others})
        return _carry_out(archive, replace(prepared, trials=trials), facts, observer, scripts, repeats)


def _alone(prepared: Prepared) -> AbstractContextManager[None]:
    return alone(prepared.plan.fixtures, live=prepared.parts.model is None, run=prepared.plan.run)


class _Growing:
    """The plan of a run that grows by the gate's rule: told to the archive before an added trial starts."""

    def __init__(self, archive: ArchiveWriter, plan: Plan, repeats: Repeats | None) -> None:
        self._archive = archive
        self._plan = plan
        self._repeats = repeats

    def more(self) -> tuple[TrialKey, ...]:
        """The trials that are added now."""
        if self._repeats is None:
            return ()
        added = self._repeats.after(self._archive.root, self._plan)
        if added:
            more = {"trials": (*self._plan.trials, *added), "repeats": (*self._plan.repeats, *added)}
            self._plan = self._plan.model_copy(update=more)
            self._archive.write(layout.PLAN, self._plan.write())
        return added


def _carry_out(
    archive: ArchiveWriter,
    prepared: Prepared,
    facts: Provenance,
    observer: Observer,
    scripts: Mapping[TrialKey, Script],
    repeats: Repeats | None,
) -> Recorded:
    parts, plan = prepared.parts, prepared.plan
    live = parts.model is None
    with ExitStack() as stack:
        places = stack.enter_context(register())
        supervisor = stack.enter_context(Supervisor())
        stack.enter_context(interrupts(supervisor.cancel))
        about = RunInfo(plan.run, plan.jobs, live=live, lent=prepared.lent)
        fixtures = {
            name: stack.enter_context(
                fixture.open_fixtures(about, {path: prepared.sources.assets[path] for path in fixture.fixture_assets()})
            )
            for name, fixture in parts.fixtures.items()
        }
        models = None
        if parts.model is not None and parts.dialect is not None:
            models = stack.enter_context(parts.model.open_models(about, parts.dialect))
        bench = Bench(
            suite=prepared.suite,
            host=parts.host,
            ends=EndReader(parts.normalizer, parts.identity),
            # A rehearsal plays faults on purpose: it neither retries nor stops.
            conduct=Conduct(prepared.budget, prepared.request.retries if live else 0, stops=live),
            archive=archive,
            supervisor=supervisor,
            redactor=Redactor(prepared.secrets),
            projects=prepared.projects,
            skills=prepared.sources.skills,
            passed=prepared.passed,
            ignore=parts.identity.ignore,
            ambient=parts.identity.ambient,
            places=places,
            fixtures=fixtures,
            models=models,
            scripts=scripts,
            allow_commands=prepared.request.allow_commands,
            base=prepared.base,
            # Trials run in threads, and an observer hears one thing at a time.
            observer=Observers({"": observer}),
        )
        growing = _Growing(archive, plan, repeats)
        ran = run_trials(bench, prepared.trials, plan.jobs, growing.more)
    changed = changed_sources(prepared)
    ended = {
        "ended": datetime.now(UTC),
        "interrupted": ran.interrupted,
        "stopped": ran.stopped,
        "changed_sources": changed,
    }
    archive.write_provenance(facts.model_copy(update=ended))
    return Recorded(archive.root, archive.seal(), ran, changed)


def _write_inputs(archive: ArchiveWriter, prepared: Prepared, discovery: Discovery) -> None:
    redactor = Redactor(prepared.secrets)
    options, _ = redactor.value(prepared.request.options)
    archive.write(layout.REQUEST, prepared.request.model_copy(update={"options": options}).write())
    source = prepared.loaded.source if prepared.loaded else prepared.suite.write()
    archive.write_request(prepared.suite, source, prepared.plan, prepared.parts.identities, prepared.sources.assets)
    if prepared.loaded and (conversion := prepared.loaded.conversion):
        told = {"format": conversion.part.model_dump(mode="json"), **asdict(conversion.losses)}
        archive.write(layout.CONVERSION, canonical(told))
    for case, tree in prepared.sources.workspaces.items():
        archive.write_tree(layout.workspace_listing(case), tree)
    for reference, skill in prepared.sources.skills.items():
        archive.write_tree(layout.skill_listing(reference), skill.tree)
    if prepared.sources.plugin is not None:
        archive.write_tree(layout.PLUGIN, prepared.sources.plugin)
    if prepared.loaded and (pins := written_pins(prepared.loaded)).skills:
        archive.write(layout.PINS, pins.text().encode())
    for name, path in _judging_sources(prepared.parts, discovery):
        archive.write(f"{layout.PART_SOURCES}/{name}", path.read_bytes())


def _judging_sources(parts: Parts, discovery: Discovery) -> Iterable[tuple[str, Path]]:
    yield from core_sources().items()
    for part in parts.identities:
        for kind in (GRADER, NORMALIZER):
            if part.kind == kind.name:
                yield from discovery.sources(kind, part.name).items()
