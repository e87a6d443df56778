"""`skilltrial new KIND NAME`."""

from __future__ import annotations

from pathlib import Path

import click

KINDS = ("host", "fixture", "normalizer", "grader", "suite")

EPILOG = """\b
Examples:
  skilltrial new host acme
  skilltrial new grader licenses --into parts
"""


@click.command("new", short_help="Begin a part of your own: a package that works as it stands.", epilog=EPILOG)
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option(
    "--into", type=click.Path(path_type=Path), default=Path(), metavar="DIR", help="Where its folder goes [.]."
)
def command(kind: str, name: str, into: Path) -> None:
    """Write a package for a part of your own.

    It builds, type-checks and passes its contract as it stands, on stand-ins that are there to be replaced: its README
    says by what. Nothing that exists is written over.
    """
    from skilltrial.plugins.discovery import Discovery

    from .making import make

    folder = make(kind, name, into, Discovery())
    click.echo(f"wrote {folder}\n")
    click.echo(f"  cd {folder} && pip install -e . 'skilltrial[testing]' mypy && pytest && mypy src")
    if kind == "suite":
        click.echo(f"  skilltrial lint {name}")
    else:
        click.echo(f"  skilltrial contract {name}")
    click.echo("\nWhat it does now is the template's; README.md says what to replace.")
