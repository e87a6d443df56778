"""Trials that another archive holds already: taken over where nothing that could change them differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from skilltrial.archive import layout
from skilltrial.archive.reading import SealedArchive, SealedTrial, open_archive
from skilltrial.archive.redaction import Redactor
from skilltrial.model.endings import Ended
from skilltrial.model.errors import ArchiveRefused, InvalidRequest
from skilltrial.model.facts import Reused
from skilltrial.model.plan import Plan
from skilltrial.model.request import RunRequest
from skilltrial.model.suite import Suite
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import Ending
from skilltrial.plugins.kinds import ANSWERER, FIXTURE, HOST

from .asking import Prepared
from .endings import EndReader

OLDEST = timedelta(days=14)
"""Older trials are run again: providers change what stands behind a model's name."""


@dataclass(frozen=True, slots=True)
class Reusable:
    """A sealed trial that can stand in for one of this run."""

    told: Reused
    folder: Path


@dataclass(frozen=True, slots=True)
class Reuse:
    """What can be reused of an archive, and why the rest can't (each reason once)."""

    trials: tuple[Reusable, ...]
    refused: tuple[str, ...]


def find_reusable(prepared: Prepared, root: Path, now: datetime, *, accept_host_change: bool = False) -> Reuse:
    """Look which trials of `prepared` the archive in `root` can give. Raises ArchiveRefused where it was changed.

    The arm that the gate judges is never reused: it is what the run is for. Everything that makes a trial must be
    equal by digest; a trial that showed nothing is not worth having.
    """
    archive = open_archive(root)
    reasons: dict[str, None] = {}
    found: list[Reusable] = []
    ends = EndReader(prepared.parts.normalizer, prepared.parts.identity)
    whole = tuple(_whole_run(prepared, archive, now, accept_host_change=accept_host_change))
    for key in prepared.trials:
        if key.arm == prepared.suite.gate.arm:
            continue
        differs = whole or tuple(_one_trial(prepared, archive, key))
        trial = None if differs else archive.trial(key)
        if trial is not None and now - trial.facts.started > OLDEST:
            # Its archive may be younger: it can have taken the trial over itself.
            reasons[f"{key} is older than {OLDEST.days} days"] = None
            continue
        if trial is None or not _shows_something(trial, ends, len(prepared.suite.case(key.case).turns)):
            reasons.update(dict.fromkeys(differs or (f"no finished trial of {key}",)))
            continue
        told = Reused(key=key, archive=archive.manifest_sha256, started=trial.facts.started)
        found.append(Reusable(told, root / key.path))
    return Reuse(tuple(found), tuple(reasons))


def _whole_run(prepared: Prepared, archive: SealedArchive, now: datetime, *, accept_host_change: bool) -> Iterator[str]:
    """Why nothing of the archive can be reused."""
    plan, earlier = prepared.plan, archive.plan
    if "rehearse" in (plan.mode, earlier.mode):
        raise InvalidRequest("rehearsals are not reused: they cost nothing")
    if now - archive.provenance.started > OLDEST:
        yield f"it is older than {OLDEST.days} days"
    if archive.provenance.changed_sources:
        yield "its sources changed while it ran"
    changed = dict(other_parts(prepared, archive))
    if not accept_host_change:
        yield from _other_host(plan, earlier)
        if "host" in changed:
            yield f"{changed['host']} (--accept-host-change takes it all the same)"
        if _options(archive) != Redactor(prepared.secrets).value(prepared.request.options)[0]:
            yield "the host's options are others (--accept-host-change takes it all the same)"
    yield from _other_terms(prepared.suite, archive.suite)
    if plan.plugin != earlier.plugin:
        yield "the plugin, or the way in which it is given to the host, is another one"
    if tuple(sorted(prepared.passed)) != archive.provenance.passed_names:
        yield "other variables are passed (--pass-env)"
    for name in (name for name, one in plan.fixtures.items() if one.live is not None):
        yield f"fixture {name} passes calls on to a real server, which is not the same twice"
    yield from (told for kind, told in changed.items() if kind != "host")
    for name, fixture in prepared.parts.fixtures.items():
        kept = archive.assets
        if any(kept.get(path) != prepared.sources.assets.get(path) for path in fixture.fixture_assets()):
            yield f"the files of fixture {name} differ"


def other_parts(prepared: Prepared, archive: SealedArchive) -> Iterator[tuple[str, str]]:
    """Kinds of parts that act in a trial and have other sources now: their files and options say nothing of their code.

    Who judges is not asked: what is taken over is judged anew.
    """
    now, then = (
        {
            (one.kind, one.name): one.source_sha256
            for one in identities
            if one.kind in (HOST.name, FIXTURE.name, ANSWERER.name)
        }
        for identities in (prepared.parts.identities, archive.parts)
    )
    changed: dict[str, list[str]] = {}
    for kind, name in now:
        if now[kind, name] != then.get((kind, name)):
            changed.setdefault(kind, []).append(name)
    yield from ((kind, f"the {kind} {', '.join(names)} has other sources") for kind, names in changed.items())


def _options(archive: SealedArchive) -> object:
    """The host's options of an archive, credentials in them replaced."""
    try:
        return RunRequest.read(archive.file(layout.REQUEST)).options
    except ValueError:
        raise ArchiveRefused(f"{archive.root}: {layout.REQUEST} can't be read") from None


def _other_host(plan: Plan, earlier: Plan) -> Iterator[str]:
    now, then = plan.host, earlier.host
    for what, one, other in (
        ("host", now.name, then.name),
        ("host version", now.version, then.version),
        ("host program", now.program_sha256, then.program_sha256),
        ("model", now.model, then.model),
        ("effort", now.effort, then.effort),
    ):
        if one != other:
            yield f"the {what} is another one (--accept-host-change takes it all the same)"


def _other_terms(suite: Suite, earlier: Suite) -> Iterator[str]:
    for what, one, other in (
        ("permissions (`allow`)", suite.allow, earlier.allow),
        ("limits", suite.limits, earlier.limits),
        ("passed variables (`env`)", suite.env, earlier.env),
        ("fixtures", suite.fixtures, earlier.fixtures),
    ):
        if one != other:
            yield f"the {what} differ"


def _one_trial(prepared: Prepared, archive: SealedArchive, key: TrialKey) -> Iterator[str]:
    plan, earlier = prepared.plan, archive.plan
    if plan.cases.get(key.case) != earlier.cases.get(key.case):
        yield f"case {key.case} differs"
    if plan.workspaces.get(key.case) != earlier.workspaces.get(key.case):
        yield f"the workspace of case {key.case} differs"
    if _skills(plan, prepared.suite, key.arm) != _skills(earlier, archive.suite, key.arm):
        yield f"the skills of arm {key.arm} differ"


def _skills(plan: Plan, suite: Suite, arm: str) -> Iterable[tuple[str, str]] | None:
    digests = {skill.id: skill.sha256 for skill in plan.skills}
    present = next((one.skills for one in suite.arms if one.id == arm), None)
    return None if present is None else sorted((one, digests[one]) for one in present)


def _shows_something(trial: SealedTrial, ends: EndReader, turns: int) -> bool:
    end: Ended = ends.read(trial.records(), turns).ended
    return end.ending is Ending.COMPLETED and end.owner is None
