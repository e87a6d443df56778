"""What `try` does between its arguments and its exit code."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from skilltrial.archive.reading import open_archive
from skilltrial.judge.observing import observe
from skilltrial.judge.rendering import drawn, render
from skilltrial.judge.sidebyside import Side, side_by_side
from skilltrial.model.errors import Exit
from skilltrial.model.report import Report
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.normalizers import Normalizers
from skilltrial.record.apart import real, refuse_inside
from skilltrial.record.asking import Prepared, Request, prepare
from skilltrial.record.parts import HostChoice
from skilltrial.record.planning import Selection
from skilltrial.record.runs import Recorded, record
from skilltrial.record.staging import Observation, Staged, skill_folder, staged

from .hosts import Chosen, choose
from .judging import judge, keep
from .outline import outline
from .places import RUNS, default_out, keep_out_of_git
from .printing import coloured, width, writable
from .progress import progress

TITLES = {"without_skill": "without the skill", "with_skill": "with the skill"}


@dataclass(frozen=True, slots=True)
class Trying:
    """How the command was called, beyond skill, prompt and host."""

    out: str | None
    dry_run: bool
    quiet: bool
    form: str


def try_skill(trying: Trying, skill: str, prompt: str, given: Mapping[str, Any], discovery: Discovery) -> Exit:
    """Both sessions, and what they did. Raises InvalidRequest, click.UsageError."""
    workspace = given["workspace"]
    wanted = Observation(
        skill=skill_folder(Path(skill)),
        prompt=prompt,
        workspace=None if workspace is None else real(Path(workspace)),
        allow=tuple(given["allow"]),
        seconds=given["seconds"],
    )
    prepared = observation(wanted, one_host(given, discovery), given, discovery)
    out = place_of(trying.out, wanted, prepared)
    if trying.dry_run:
        click.echo(outline(prepared))
        return Exit.PASSED
    if not trying.quiet:
        click.echo(outline(prepared), err=True)
    recorded = carry_out(prepared, out, discovery, quiet=trying.quiet)
    judgement = judge(recorded.root, discovery)
    keep(recorded.root, judgement.report)
    if trying.form == "json":
        click.echo(render(judgement.report, "json"), nl=False)
    else:
        click.echo(_page(judgement.report, recorded.root, trying.form, discovery), nl=False, color=True)
    for line in _own_model(prepared, judgement.report):
        click.echo(line, err=trying.form == "json")
    return _told(recorded, judgement.report, skill)


def one_host(given: Mapping[str, Any], discovery: Discovery) -> Chosen:
    """The one host that is meant. Raises InvalidRequest, click.UsageError."""
    chosen = choose(given, discovery, live=True)
    if len(chosen) > 1:
        raise click.UsageError("one --host is needed here: an observation compares two sessions of the same agent")
    return chosen[0]


def observation(wanted: Observation, chosen: Chosen, given: Mapping[str, Any], discovery: Discovery) -> Prepared:
    """The run, ready to start; nothing of it lies anywhere but in memory. Raises InvalidRequest."""
    with staged(wanted, Graders(discovery)) as stage:
        asked = Request(
            loaded=stage.loaded,
            choice=HostChoice(chosen.name, chosen.options),
            selection=Selection(attempts=1, seed=secrets.randbelow(1_000_000), jobs=len(wanted.arms)),
            pass_env=tuple(given.get("pass_env") or ()),
            route=chosen.route,
        )
        prepared = prepare(asked, discovery)
        return replace(prepared, loaded=None, told=(*prepared.told, *_notes(stage)))


def _notes(stage: Staged) -> tuple[str, ...]:
    left = list(stage.left_out)
    if stage.asked:
        left.append(f"needs no asking in any session, as the skill asks for it: {', '.join(stage.asked)}")
    return tuple(left)


def place_of(out: str | None, wanted: Observation, prepared: Prepared) -> Path:
    """Where the archive goes. Raises SourceUnusable where it would lie in a source."""
    if out is None:
        return default_out(prepared.suite.id, datetime.now(UTC))
    path = Path(out)
    refuse_inside(path, (("the skill's folder", wanted.skill),))
    if wanted.workspace is not None and not real(path).is_relative_to(real(RUNS)):
        refuse_inside(path, (("the workspace", wanted.workspace),))
    return path


def carry_out(prepared: Prepared, out: Path, discovery: Discovery, *, quiet: bool) -> Recorded:
    """Run the sessions and seal them. Raises SourceUnusable, RunIncomplete."""
    keep_out_of_git(out)
    with progress(len(prepared.trials), quiet=quiet) as observer:
        return record(prepared, out, discovery, observer, {})


def _page(report: Report, root: Path, form: str, discovery: Discovery) -> str:
    archive = open_archive(root)
    normalizer = Normalizers(discovery).find(archive.plan.host.records)
    trials = {trial.key.arm: trial for trial in report.trials}
    sides = []
    for arm, title in TITLES.items():
        sealed = archive.trial(trials[arm].key)
        seen = observe(sealed, normalizer, archive.plan.host) if sealed is not None else None
        sides.append(Side(title, trials[arm], seen))
    colour = coloured(form)
    return writable(drawn(side_by_side(sides, plain=not colour), plain=not colour, width=width()))


def _own_model(prepared: Prepared, report: Report) -> list[str]:
    """Which model the user's own sessions would have asked, where that is another."""
    own = prepared.parts.host.probe_host().own_model
    ran = sorted({model for trial in report.trials for model in trial.models})
    if own is None or own in ran or (not ran and own == report.host.model):
        return []
    there = ", ".join(ran) or report.host.model or "a model that this agent does not show"
    return [f"model: these sessions ran on {there}; your own setting is {own} (`--model {own}` takes it)"]


def _told(recorded: Recorded, report: Report, skill: str) -> Exit:
    click.echo(f"archive  {recorded.root}", err=True)
    ran = recorded.ran
    for what in (ran.stopped and f"stopped: {ran.stopped}", ran.fault and f"error: {ran.fault}"):
        if what:
            click.echo(what, err=True)
    if ran.interrupted:
        click.echo("interrupted: what had ended is sealed", err=True)
        return Exit.INTERRUPTED
    run = "last" if RUNS in recorded.root.parents else str(recorded.root)
    closer = shlex.quote(f"{run}/{report.trials[0].key.case}/with_skill/1")
    click.echo(f"each turn, and the files as a diff:   skilltrial show {closer}", err=True)
    whole = ran.fault is None and all(trial.verdict.reason == "nothing_checked" for trial in report.trials)
    if not whole:
        click.echo("incomplete: it shows nothing about the skill", err=True)
        return Exit.INCOMPLETE
    click.echo(f"next: make it a test   skilltrial init {shlex.quote(skill)} --from {shlex.quote(run)}", err=True)
    return Exit.PASSED
