"""`skilltrial lint SUITE`."""

from __future__ import annotations

from typing import Any

import click

from .options import foreign_options

EPILOG = """\b
Exit codes: 0 sound, 2 a fault, or a note under --strict.
"""


@click.command("lint", short_help="Check a suite and its skills without running anything.", epilog=EPILOG)
@click.argument("suite")
@click.option("--expand", is_flag=True, help="Print the long form, with every default written out.")
@click.option("--strict", is_flag=True, help="Notes count as faults.")
@foreign_options
def command(suite: str, expand: bool, strict: bool, **given: Any) -> None:
    """Check a SUITE and its skills: every fault at once, with file, line and column.

    SUITE is a path where it has a `/` or a suffix, else the name of an installed suite. What makes a suite worthless
    or a SKILL.md invalid is a fault (exit 2); what probably was not meant is a note.
    It also tells how often chance alone turns the gate red.

    Of a suite of another tool (--format NAME) it also says what is converted, changed and dropped.
    """
    from skilltrial.model.errors import Exit
    from skilltrial.plugins.discovery import Discovery
    from skilltrial.plugins.fixtures import Fixtures
    from skilltrial.plugins.graders import Graders
    from skilltrial.record.chances import gate_chances
    from skilltrial.record.linting import lint
    from skilltrial.record.loading import expanded

    from .formats import converted, load_suite

    discovery = Discovery()
    loaded = load_suite(suite, given, discovery)
    if expand:
        click.echo(expanded(loaded), nl=False)
        return
    for line in converted(loaded):
        click.echo(line)
    remarks = lint(loaded, Graders(discovery), Fixtures(discovery))
    for remark in remarks:
        click.echo(f"{'fault' if remark.fault else 'note'}: {remark}")
    for line in gate_chances(loaded.suite):
        click.echo(line)
    cases = len(loaded.suite.cases)
    scripts = sum(len(case.rehearsals) for case in loaded.suite.cases)
    size = f"{_counted(cases, 'case')}, {_counted(len(loaded.suite.arms), 'arm')}, {_counted(scripts, 'rehearsal')}"
    faults = sum(remark.fault or strict for remark in remarks)
    if not faults:
        click.echo(f"{loaded.path}: sound; {size}")
        return
    click.echo(f"{loaded.path}: {_counted(faults, 'fault')}; {size}")
    raise click.exceptions.Exit(Exit.INVALID)


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
