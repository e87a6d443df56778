"""`skilltrial verify ARCHIVE`."""

from __future__ import annotations

import click


@click.command("verify", short_help="Check that an archive is what was sealed.")
@click.argument("archive", default="last")
def command(archive: str) -> None:
    """Check that an ARCHIVE is what was sealed: every file there, none added, each with its SHA-256.

    ARCHIVE is a folder, or `last` for the newest run below this folder. Exit 0, or 4 and what differs by name.
    """
    from skilltrial.archive.seal import verify

    from .places import find_archive

    root = find_archive(archive)
    manifest = verify(root)
    click.echo(f"{root}: {len(manifest.trials)} trials, as sealed")
    click.echo(f"manifest sha256 {manifest.sha256}")
