"""`skilltrial plugins [NAME]`."""

from __future__ import annotations

import click


@click.command("plugins", short_help="Show the installed parts: hosts, graders, suites ...")
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print.")
def command(name: str | None, form: str) -> None:
    """Show the installed parts: hosts, models, dialects, normalizers, graders and suites.

    Reads package metadata only. With a NAME the parts of that name are loaded, held to their hook spec and described.
    """
    from skilltrial.plugins.discovery import Discovery

    from .show_plugins import describe, listing

    discovery = Discovery()
    if name is None:
        click.echo(listing(discovery, form))
        return
    text, sound = describe(discovery, name, form)
    click.echo(text)
    raise click.exceptions.Exit(0 if sound else 2)
