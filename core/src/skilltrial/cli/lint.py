"""`skilltrial lint SUITE`."""

from __future__ import annotations

from typing import Any

import click

from .options import foreign_options


@click.command("lint", short_help="Check a suite file without running anything.")
@click.argument("suite")
@click.option("--expand", is_flag=True, help="Print the long form, with every default written out.")
@foreign_options
def command(suite: str, expand: bool, **given: Any) -> None:
    """Check a SUITE: every fault at once, with file, line and column.

    SUITE is a path where it has a `/` or a suffix, else the name of an installed suite. Exit 0, or 2.

    Of a suite of another tool (--format NAME) it also says what is converted, changed and dropped.
    """
    from skilltrial.plugins.discovery import Discovery
    from skilltrial.record.linting import lint
    from skilltrial.record.loading import expanded

    from .formats import converted, load_suite

    loaded = load_suite(suite, given, Discovery())
    if expand:
        click.echo(expanded(loaded), nl=False)
        return
    for line in converted(loaded):
        click.echo(line)
    for remark in lint(loaded):
        click.echo(f"note: {remark}")
    cases = len(loaded.suite.cases)
    scripts = sum(len(case.rehearsals) for case in loaded.suite.cases)
    click.echo(
        f"{loaded.path}: sound; {cases} {'case' if cases == 1 else 'cases'}, "
        f"{len(loaded.suite.arms)} arms, {scripts} rehearsals"
    )
