"""What `run`, `rehearse` and `demo` have in common: from arguments to a sealed and judged archive."""

from __future__ import annotations

import secrets
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skilltrial.archive.layout import MANIFEST
from skilltrial.archive.reading import open_archive
from skilltrial.archive.remains import remains
from skilltrial.judge.board import next_command
from skilltrial.judge.terminal import visible
from skilltrial.model.errors import Exit
from skilltrial.model.packaged import Delivery
from skilltrial.model.suite import Suite
from skilltrial.model.trial import TrialKey
from skilltrial.model.words import VerdictKind
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.facades import ObserverFacade
from skilltrial.record.apart import refuse_inside_source
from skilltrial.record.asking import Prepared, Request, prepare
from skilltrial.record.livefixtures import refuse_out_of_turn
from skilltrial.record.parts import HostChoice
from skilltrial.record.planning import Selection
from skilltrial.record.runs import Recorded, record, take_up, without
from skilltrial.record.stopping import Budget
from skilltrial.rehearsal import scripts
from skilltrial.repeating import MajorityRepeats

from .formats import load_suite
from .gates import read_gate
from .hosts import Chosen
from .judging import judge, keep
from .observers import listed, watched
from .options import host_fields
from .outline import counted, outline
from .places import RUNS, default_out, find_archive, keep_out_of_git
from .printing import into_step_summary, show
from .routes import ask_again

if TYPE_CHECKING:
    from skilltrial.record.reusing import Reusable

ASK_ABOVE = 20
"""Live sessions that are started without asking."""
SHOWN_LEFT = 20
"""Things that were left on a real server and are named at the end of a run."""
JOBS = 4
"""Trials at once."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a command was called, beyond the suite and the host."""

    out: str | None
    dry_run: bool
    quiet: bool
    form: str
    yes: bool = True
    reuse: str | None = None
    accept_host_change: bool = False
    observers: Mapping[str, ObserverFacade] = field(default_factory=dict)


def request(suite: str, given: Mapping[str, Any], model: str | None, discovery: Discovery, chosen: Chosen) -> Request:
    """What was asked for, of one host. Raises InvalidRequest, click.UsageError."""
    loaded = load_suite(suite, given, discovery)
    if (gate := given.get("gate")) is not None:
        loaded = replace(loaded, suite=loaded.suite.model_copy(update={"gate": read_gate(gate, loaded.suite)}))
    seed = given["seed"] if given["seed"] is not None else secrets.randbelow(1_000_000)
    selection = Selection(
        tuple(given["cases"]),
        tuple(given["arms"]),
        given.get("attempts"),
        seed,
        given["jobs"] or JOBS,
        tuple(given.get("rehearsals", ())),
    )
    return Request(
        loaded=loaded,
        choice=HostChoice(chosen.name, chosen.options, given.get("dialect"), model),
        selection=selection,
        pass_env=tuple(given.get("pass_env", ())),
        allow_commands=given["allow_commands"],
        allow_mutations=given.get("allow_mutations", False),
        budget=budget(given),
        retries=2 if given.get("retries") is None else given["retries"],
        route=chosen.route,
        gate=given.get("gate"),
        delivery=Delivery(given["delivery"]) if given.get("delivery") else None,
    )


def budget(given: Mapping[str, Any]) -> Budget:
    """What the run may spend."""
    return Budget(given.get("max_sessions"), given.get("max_time"), given.get("max_tokens"), given.get("max_cost"))


def execute(wanted: Wanted, asked: Request, discovery: Discovery) -> Exit:
    """Prepare, record, judge, show; return the exit code."""
    prepared = prepare(asked, discovery)
    out = Path(wanted.out) if wanted.out is not None else default_out(prepared.suite.id, datetime.now(UTC))
    refuse_inside_source(out, asked.loaded)
    reused = _reusable(wanted, prepared)
    left = without(prepared, reused)
    if _ends_here(wanted, left):
        return Exit.PASSED
    keep_out_of_git(out)
    prepared = listed(prepared, wanted.observers, discovery)
    with watched(left, wanted.observers, quiet=wanted.quiet) as observer:
        recorded = record(prepared, out, discovery, observer, _scripts(prepared), reused, MajorityRepeats(discovery))
    return _conclude(recorded, wanted, discovery)


def execute_again(wanted: Wanted, archive: str, given: Mapping[str, Any], discovery: Discovery) -> Exit:
    """Take up a run that did not end: what is sealed stays, the rest is run, and all is judged."""
    from skilltrial.record.resuming import Again, prepare_again

    root = find_archive(archive)
    again = Again(host_fields(dict(given)), budget(given), given["jobs"], given.get("retries"))
    prepared = prepare_again(root, again, discovery)
    anew = _incomplete(root, discovery) if given["incomplete"] else ()
    prepared = replace(prepared, trials=tuple(dict.fromkeys((*prepared.trials, *anew))))
    refuse_out_of_turn(prepared.suite, prepared.plan, prepared.trials)
    whole = not anew and _whole(root, discovery)
    if not whole:
        ask_again(prepared.request, again.options, given, discovery)
    if _ends_here(wanted, prepared):
        return Exit.PASSED
    if whole:
        click.echo(f"{root}: every trial is sealed; there is nothing to take up", err=True)
        judgement = judge(root, discovery)
        show(judgement, wanted.form, root, discovery)
        return judgement.report.gate.exit_code
    with watched(prepared, wanted.observers, quiet=wanted.quiet) as observer:
        recorded = take_up(prepared, root, observer, _scripts(prepared), anew, MajorityRepeats(discovery))
    return _conclude(recorded, wanted, discovery)


def _reusable(wanted: Wanted, prepared: Prepared) -> tuple[Reusable, ...]:
    """The trials that are taken over; says how many, and why not more."""
    if wanted.reuse is None:
        return ()
    from skilltrial.record.reusing import find_reusable

    root = find_archive(wanted.reuse)
    reuse = find_reusable(prepared, root, datetime.now(UTC), accept_host_change=wanted.accept_host_change)
    click.echo(f"{counted(len(reuse.trials), 'trial')} of reference arms taken over from {root}", err=True)
    for reason in reuse.refused:
        click.echo(f"not taken over: {reason}", err=True)
    return reuse.trials


def _whole(root: Path, discovery: Discovery) -> bool:
    """Whether the run in `root` ended with a seal on every trial, and its gate asks for no more."""
    if not (root / MANIFEST).exists():
        return False
    archive = open_archive(root)
    if len(archive.sealed()) < len(archive.plan.trials):
        return False
    return not MajorityRepeats(discovery).after(root, archive.plan)


def _incomplete(root: Path, discovery: Discovery) -> tuple[TrialKey, ...]:
    """The sealed trials that showed nothing."""
    report = judge(root, discovery).report
    return tuple(trial.key for trial in report.trials if trial.verdict.kind is VerdictKind.INCOMPLETE)


def _scripts(prepared: Prepared) -> Mapping[TrialKey, Any]:
    suite: Suite = prepared.suite
    return scripts(suite, prepared.plan, prepared.sources.workspaces) if prepared.request.model else {}


def _ends_here(wanted: Wanted, prepared: Prepared) -> bool:
    """Say what will happen; True for a dry run. Asks before many live sessions, where somebody can answer."""
    if wanted.dry_run:
        click.echo(outline(prepared))
        return True
    if not wanted.quiet:
        click.echo(outline(prepared), err=True)
    many = prepared.request.model is None and len(prepared.trials) > ASK_ABOVE
    if many and not wanted.yes and sys.stdin.isatty() and sys.stderr.isatty():
        click.confirm(f"start {len(prepared.trials)} live sessions?", abort=True, err=True)
    return False


def _conclude(recorded: Recorded, wanted: Wanted, discovery: Discovery) -> Exit:
    judgement = judge(recorded.root, discovery)
    keep(recorded.root, judgement.report)
    show(judgement, wanted.form, recorded.root, discovery)
    into_step_summary(judgement.report)
    # On standard error, since the report is standard output.
    click.echo(f"archive  {recorded.root}", err=True)
    click.echo(f"manifest sha256 {recorded.manifest_sha256}", err=True)
    _tell_left(recorded.root)
    ran = recorded.ran
    if recorded.changed_sources:
        click.echo(f"changed while the run went on: {', '.join(recorded.changed_sources)}", err=True)
    if ran.stopped is not None:
        click.echo(f"stopped: {ran.stopped}", err=True)
    if ran.fault is not None:
        click.echo(f"error: {ran.fault}", err=True)
    if ran.interrupted:
        click.echo("interrupted: finished trials are sealed, the others were not run", err=True)
    if ran.interrupted or ran.fault or ran.stopped:
        click.echo(f"take it up with: skilltrial run --resume {shlex.quote(str(recorded.root))}", err=True)
    elif not judgement.report.rehearsal and not wanted.quiet:
        run = "last" if RUNS in recorded.root.parents else str(recorded.root)
        click.echo(f"next     {next_command(judgement.report, run)}", err=True)
    if ran.interrupted:
        return Exit.INTERRUPTED
    return Exit.INCOMPLETE if ran.fault is not None else judgement.report.gate.exit_code


def _tell_left(root: Path) -> None:
    """What is to be cleaned up on real servers."""
    found = remains(root)
    if found:
        click.echo(f"left on a real server, to be cleaned up: {counted(len(found), 'thing')}", err=True)
    for one in found[:SHOWN_LEFT]:
        click.echo(f"  {visible(str(one))}", err=True)
    if len(found) > SHOWN_LEFT:
        click.echo(f"  and {len(found) - SHOWN_LEFT} more: skilltrial show {shlex.quote(str(root))} --left", err=True)
