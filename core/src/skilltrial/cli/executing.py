"""What `run`, `rehearse` and `demo` have in common: from arguments to a sealed and judged archive."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from skilltrial.model.errors import Exit
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.graders import Graders
from skilltrial.plugins.kinds import HOST
from skilltrial.record.loading import load, locate
from skilltrial.record.parts import HostChoice
from skilltrial.record.planning import Selection
from skilltrial.record.runs import Prepared, Recorded, Request, prepare, record
from skilltrial.rehearsal import scripts

from .judging import judge, keep
from .options import host_fields
from .places import default_out, keep_out_of_git
from .printing import show
from .progress import progress


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a command was called, beyond the suite and the host."""

    out: str | None
    dry_run: bool
    quiet: bool
    form: str


def request(suite: str, given: Mapping[str, Any], model: str | None, discovery: Discovery) -> Request:
    """What was asked for. Raises InvalidRequest, click.UsageError."""
    fields = host_fields(dict(given))
    name = given["host"] or _only_host(discovery)
    loaded = load(locate(suite, discovery), Graders(discovery))
    seed = given["seed"] if given["seed"] is not None else secrets.randbelow(1_000_000)
    return Request(
        loaded=loaded,
        choice=HostChoice(name, fields, given.get("dialect"), model),
        selection=Selection(tuple(given["cases"]), tuple(given["arms"]), given.get("attempts"), seed, given["jobs"]),
        pass_env=tuple(given.get("pass_env", ())),
        allow_commands=given["allow_commands"],
    )


def _only_host(discovery: Discovery) -> str:
    hosts = discovery.names(HOST)
    if len(hosts) == 1:
        return hosts[0]
    if not hosts:
        raise click.UsageError("no host is installed; install one: skilltrial-host-portable drives any command")
    raise click.UsageError(f"which agent? give --host with one of: {', '.join(hosts)}")


def execute(wanted: Wanted, asked: Request, discovery: Discovery) -> Exit:
    """Prepare, record, judge, show; return the exit code."""
    prepared = prepare(asked, discovery)
    if wanted.dry_run:
        click.echo(outline(prepared))
        return Exit.PASSED
    out = Path(wanted.out) if wanted.out else default_out(asked.loaded.suite.id, datetime.now(UTC))
    if not wanted.quiet:
        click.echo(outline(prepared), err=True)
    keep_out_of_git(out)
    played = scripts(asked.loaded.suite, prepared.plan, prepared.sources.workspaces) if asked.choice.model else {}
    with progress(len(prepared.plan.trials), quiet=wanted.quiet) as observer:
        recorded = record(prepared, out, discovery, observer, played)
    judgement = judge(recorded.root, discovery)
    keep(recorded.root, judgement.report)
    show(judgement, wanted.form)
    _farewell(recorded)
    return _code(recorded, judgement.report.gate.exit_code)


def _farewell(recorded: Recorded) -> None:
    """Where it all lies: on standard error, since the report is standard output."""
    click.echo(f"archive  {recorded.root}", err=True)
    click.echo(f"manifest sha256 {recorded.manifest_sha256}", err=True)
    if recorded.ran.fault is not None:
        click.echo(f"error: {recorded.ran.fault}", err=True)
    if recorded.ran.interrupted:
        click.echo("interrupted: finished trials are sealed, the others were not run", err=True)


def _code(recorded: Recorded, gate: Exit) -> Exit:
    if recorded.ran.interrupted:
        return Exit.INTERRUPTED
    return Exit.INCOMPLETE if recorded.ran.fault is not None else gate


def outline(prepared: Prepared) -> str:
    """What will happen, before it does: sessions, turns, skips, and whether it may cost money."""
    plan, suite = prepared.plan, prepared.request.loaded.suite
    turns = sum(len(suite.case(key.case).turns) for key in plan.trials)
    version = f" {plan.host.version}" if plan.host.version else ""
    first = (
        f"suite {plan.suite} on {plan.host.name}{version}: {_count(len(plan.trials), 'session')}, "
        f"{_count(turns, 'user turn')}; seed {plan.seed}, {_count(plan.jobs, 'job')}"
    )
    lines = [first]
    reasons: dict[str, int] = {}
    for skip in plan.skips:
        label = f"case {skip.key.case} ({skip.reason})"
        reasons[label] = reasons.get(label, 0) + 1
    lines += [f"skipped: {label}, {_count(count, 'session')}" for label, count in reasons.items()]
    lines += [f"note: {what}" for what in plan.host.ambient]
    if plan.model:
        lines.append("The model is scripted: no provider is asked, nothing is spent, nothing is shown about the skill.")
    else:
        lines.append("This is a live run: the agent asks its own provider, which may cost money.")
    return "\n".join(lines)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
