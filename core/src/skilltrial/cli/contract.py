"""`skilltrial contract NAME`."""

from __future__ import annotations

from pathlib import Path

import click

EPILOG = """\b
Examples:
  skilltrial contract acme
  skilltrial contract acme ./host_acme/tests

\b
Exit codes: 0 every contract holds, 1 one is broken, 2 not a valid request.
"""


@click.command("contract", short_help="Hold an installed part to the contract of its kind.", epilog=EPILOG)
@click.argument("name")
@click.argument("tests", required=False, type=click.Path(path_type=Path))
def command(name: str, tests: Path | None) -> None:
    """Run the contract kit on the installed parts called NAME, and say what they were proved on.

    The contract tests are the part's own: those in TESTS, or in the folder `tests` of the project that the part was
    installed from (`pip install -e`). What came of it is kept for `skilltrial plugins NAME`, as long as the part's
    sources stay what they are. Needs pytest: `pip install 'skilltrial[testing]'`.
    """
    from skilltrial.plugins.discovery import Discovery

    from .proving import prove

    told, holds = prove(name, tests, Discovery())
    click.echo(told)
    raise click.exceptions.Exit(0 if holds else 1)
