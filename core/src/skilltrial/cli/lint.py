"""`skilltrial lint SUITE`."""

from __future__ import annotations

import click


@click.command("lint", short_help="Check a suite file without running anything.")
@click.argument("suite")
@click.option("--expand", is_flag=True, help="Print the long form, with every default written out.")
def command(suite: str, expand: bool) -> None:
    """Check a SUITE: every fault at once, with file, line and column.

    SUITE is a path where it has a `/` or a suffix, else the name of an installed suite. Exit 0, or 2.
    """
    from skilltrial.plugins.discovery import Discovery
    from skilltrial.plugins.graders import Graders
    from skilltrial.plugins.kinds import FIXTURE
    from skilltrial.record.linting import lint
    from skilltrial.record.loading import expanded, load, locate

    discovery = Discovery()
    loaded = load(locate(suite, discovery), Graders(discovery), fixture_kinds=discovery.names(FIXTURE))
    if expand:
        click.echo(expanded(loaded), nl=False)
        return
    for remark in lint(loaded):
        click.echo(f"note: {remark}")
    cases = len(loaded.suite.cases)
    scripts = sum(len(case.rehearsals) for case in loaded.suite.cases)
    click.echo(
        f"{loaded.path}: sound; {cases} {'case' if cases == 1 else 'cases'}, "
        f"{len(loaded.suite.arms)} arms, {scripts} rehearsals"
    )
