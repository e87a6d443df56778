"""`skilltrial pin SUITE`."""

from __future__ import annotations

from typing import Any

import click

from .options import SKILL, foreign_options

EPILOG = """\b
Examples:
  skilltrial pin my.trial.yaml
  skilltrial pin my.trial.yaml --check
  skilltrial pin guidance --skill ../product/skills/project-context

\b
Exit codes: 0 pinned, 2 not (every fault is named, nothing is written).
"""


@click.command("pin", short_help="Pin a suite's skills to the committed bytes that are tested.", epilog=EPILOG)
@click.argument("suite")
@click.option("--check", is_flag=True, help="Write nothing: hold the skills against their pins.")
@click.option("--revision", metavar="REV", help="Pin to this commit [the one that last changed the skill].")
@SKILL
@foreign_options
def command(suite: str, check: bool, revision: str | None, **given: Any) -> None:
    """Pin the skills of a SUITE: `skilltrial.lock` beside it names a commit and the digest of every file.

    A pin is sound where the folder holds exactly the pinned files, and the commit exists and holds exactly them too.
    Line ends count as LF. A run records what it finds; without a sound pin it qualifies nothing (`qualified`).
    """
    from skilltrial.plugins.discovery import Discovery
    from skilltrial.record.pinning import check_pins, write_pins

    from .formats import load_suite

    if check and revision is not None:
        raise click.UsageError("--check and --revision exclude each other")
    loaded = load_suite(suite, given, Discovery())
    pinned = check_pins(loaded) if check else write_pins(loaded, revision)
    if not pinned:
        click.echo("the suite has no skill: there is nothing to pin")
    for one in pinned:
        click.echo(f"{one.skill}: {one.files} {'file' if one.files == 1 else 'files'}, pinned at {one.commit}")
