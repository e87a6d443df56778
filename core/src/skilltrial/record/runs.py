"""A run from end to end: what was asked is planned, executed, and sealed. Judging is the caller's next step."""

from __future__ import annotations

import platform
import secrets
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from skilltrial import __version__
from skilltrial.archive import layout
from skilltrial.archive.redaction import Redactor
from skilltrial.archive.trees import sha256
from skilltrial.archive.writing import ArchiveWriter
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.facts import Provenance
from skilltrial.model.plan import Plan
from skilltrial.model.trial import RunInfo, Script, TrialKey
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.judging import core_sources
from skilltrial.plugins.kinds import GRADER, NORMALIZER

from .environment import passed_through
from .gathering import Gatherer
from .loading import Loaded
from .parts import HostChoice, Parts, choose_parts
from .planning import Digests, Selection, plan_rehearsal, plan_run
from .preparing import Project, Sources, assemble
from .runner import Observer, Ran, interrupts, run_trials
from .supervisor import Supervisor, losses
from .trialrun import Bench


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for."""

    loaded: Loaded
    choice: HostChoice
    selection: Selection
    pass_env: tuple[str, ...] = ()
    allow_commands: bool = False
    base: Path | None = None
    """Where places are made; the system's folder for temporary files by default."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that could start: every part bound, every source read, every project assembled. Nothing was written."""

    request: Request
    parts: Parts
    sources: Sources
    projects: Mapping[tuple[str, str], Project]
    plan: Plan
    passed: Mapping[str, str] = field(repr=False)
    secrets: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A sealed run."""

    root: Path
    manifest_sha256: str
    ran: Ran


def prepare(request: Request, discovery: Discovery) -> Prepared:
    """Check everything that can be checked before the first session. Raises InvalidRequest."""
    loaded, suite = request.loaded, request.loaded.suite
    _refuse_commands(request)
    passed, hidden = passed_through((*suite.env, *request.pass_env), live=request.choice.model is None)
    parts = choose_parts(suite, request.choice, discovery)
    assets = {path for check in loaded.checks.values() for path in check.assets()}
    sources = Gatherer(suite, loaded.root, loaded.path).gather(assets)
    projects = assemble(suite, sources, parts.host)
    digests = Digests(
        suite=sha256(loaded.source),
        workspaces={case: tree.digest() for case, tree in sources.workspaces.items()},
        skills=tuple(skill.identity for skill in sources.skills.values()),
    )
    run = secrets.token_hex(8)
    plan = (
        plan_run(suite, parts.identity, request.selection, digests, run)
        if request.choice.model is None
        else plan_rehearsal(suite, parts.identity, request.selection, digests, run, request.choice.model)
    )
    return Prepared(request, parts, sources, projects, plan, passed, hidden)


def record(
    prepared: Prepared, out: Path, discovery: Discovery, observer: Observer, scripts: Mapping[TrialKey, Script]
) -> Recorded:
    """Execute the plan and seal the archive in `out`. Raises SourceUnusable, RunIncomplete.

    A run that was interrupted, or could not be finished, is sealed all the same; `Recorded.ran` says so.
    """
    archive = ArchiveWriter.create(out)
    provenance = _provenance(prepared)
    _write_inputs(archive, prepared, discovery)
    archive.write_provenance(provenance)
    suite = prepared.request.loaded.suite
    with ExitStack() as stack:
        supervisor = stack.enter_context(Supervisor())
        stack.enter_context(interrupts(supervisor.cancel))
        models = None
        if prepared.parts.model is not None and prepared.parts.dialect is not None:
            models = stack.enter_context(
                prepared.parts.model.open_models(RunInfo(prepared.plan.run, prepared.plan.jobs), prepared.parts.dialect)
            )
        bench = Bench(
            suite=suite,
            host=prepared.parts.host,
            archive=archive,
            supervisor=supervisor,
            redactor=Redactor(prepared.secrets),
            projects=prepared.projects,
            skills=prepared.sources.skills,
            passed=prepared.passed,
            ignore=prepared.parts.identity.ignore,
            ambient=prepared.parts.identity.ambient,
            models=models,
            scripts=scripts,
            allow_commands=prepared.request.allow_commands,
            base=prepared.request.base,
        )
        ran = run_trials(bench, prepared.plan.trials, prepared.plan.jobs, observer)
    archive.write_provenance(
        provenance.model_copy(
            update={
                "ended": datetime.now(UTC),
                "interrupted": ran.interrupted,
                "changed_sources": changed_sources(prepared),
            }
        )
    )
    return Recorded(out, archive.seal(), ran)


def changed_sources(prepared: Prepared) -> tuple[str, ...]:
    """The sources that are no longer what was read at the start, in words without paths."""
    request = prepared.request
    changed: list[str] = []
    try:
        if request.loaded.path.read_bytes() != request.loaded.source:
            changed.append("the suite file")
        again = Gatherer(request.loaded.suite, request.loaded.root, request.loaded.path).gather(prepared.sources.assets)
    except (InvalidRequest, OSError):
        return (*changed, "a source that can't be read any more")
    for case, tree in prepared.sources.workspaces.items():
        # A repository made of a workspace has another commit time each time; the folder itself is what counts.
        if (
            not request.loaded.suite.case(case).workspace.repository
            and again.workspaces[case].digest() != tree.digest()
        ):
            changed.append(f"the workspace of case {case}")
    for reference, skill in prepared.sources.skills.items():
        if again.skills[reference].skill.sha256 != skill.skill.sha256:
            changed.append(f"skill {reference}")
    changed += [f"file {path}" for path, data in prepared.sources.assets.items() if again.assets[path] != data]
    return tuple(changed)


def _refuse_commands(request: Request) -> None:
    with_commands = [case.id for case in request.loaded.suite.cases if case.setup or case.after]
    if with_commands and not request.allow_commands:
        raise InvalidRequest(
            f"case {with_commands[0]!r} runs commands (`setup`, `after`) on this machine; "
            "read them, then allow them with --allow-commands"
        )


def _write_inputs(archive: ArchiveWriter, prepared: Prepared, discovery: Discovery) -> None:
    loaded = prepared.request.loaded
    archive.write_request(
        loaded.suite, loaded.source, prepared.plan, prepared.parts.identities, prepared.sources.assets
    )
    for case, tree in prepared.sources.workspaces.items():
        archive.write_tree(layout.workspace_listing(case), tree)
    for reference, skill in prepared.sources.skills.items():
        archive.write_tree(layout.skill_listing(reference), skill.tree)
    for name, path in _judging_sources(prepared.parts, discovery):
        archive.write(f"{layout.PART_SOURCES}/{name}", path.read_bytes())


def _judging_sources(parts: Parts, discovery: Discovery) -> Iterable[tuple[str, Path]]:
    yield from core_sources().items()
    for part in parts.identities:
        for kind in (GRADER, NORMALIZER):
            if part.kind == kind.name:
                yield from discovery.sources(kind, part.name).items()


def _provenance(prepared: Prepared) -> Provenance:
    loaded = prepared.request.loaded
    commit = _git_line(loaded.root, "rev-parse", "HEAD")
    lock = loaded.root / "skilltrial.lock"
    return Provenance(
        started=datetime.now(UTC),
        skilltrial=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        repository_commit=commit,
        repository_dirty=bool(_git_line(loaded.root, "status", "--porcelain")) if commit else None,
        lock_sha256=sha256(lock.read_bytes()) if lock.is_file() else None,
        seed=prepared.plan.seed,
        jobs=prepared.plan.jobs,
        passed_names=tuple(sorted(prepared.passed)),
        resolved_links=loaded.links,
        losses=losses(),
    )


def _git_line(folder: Path, *arguments: str) -> str | None:
    """One answer of git about the suite's repository; None where there is no git or no repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
