"""`skilltrial run SUITE`."""

from __future__ import annotations

from typing import Any

import click

from .options import host_options, run_options

EPILOG = """\b
Examples:
  skilltrial run my.trial.yaml --host portable --attempts 2 -- my-agent --flag
  skilltrial run my.trial.yaml --dry-run -- my-agent
  skilltrial run my.trial.yaml --pass-env MY_API_KEY --format json -- my-agent

\b
Exit codes: 0 gate passed, 1 gate failed, 2 not a valid request,
3 incomplete (no statement about the skill), 130 interrupted.
"""


@click.command(
    "run", short_help="Run a suite on a real agent, with and without the skill, and judge it.", epilog=EPILOG
)
@click.argument("suite")
@host_options
@click.option("--attempts", type=click.IntRange(1, 1000), metavar="N", help="Repetitions [what the suite says, or 1].")
@click.option("--pass-env", metavar="NAME", multiple=True, help="Pass this variable on; its value is never written.")
@run_options
def command(suite: str, **given: Any) -> None:
    """Run a SUITE on a real agent program, with and without the skill; seal what happened, and judge it.

    SUITE is a path where it has a `/` or a suffix, else the name of an installed suite. Each trial is one session in a
    fresh project and a fresh home. What the agent prints and changes is recorded and sealed with SHA-256.
    """
    from skilltrial.plugins.discovery import Discovery

    from .executing import Wanted, execute, request

    discovery = Discovery()
    wanted = Wanted(given["out"], given["dry_run"], given["quiet"], given["form"])
    raise click.exceptions.Exit(execute(wanted, request(suite, given, None, discovery), discovery))
