"""`skilltrial scan DIR`."""

from __future__ import annotations

import click


@click.command("scan", short_help="Look for credentials in an archive before it is shared.")
@click.argument("archive", default="last")
def command(archive: str) -> None:
    """Look for texts with the shape of a credential in an ARCHIVE (a folder, or `last`) before it is shared.

    The values that a run knew (passed variables, copied logins) were replaced while it was recorded. This looks for
    others: an agent may have met a key of its own. Exit 0 where nothing was found, 1 with the places otherwise.
    """
    from skilltrial.archive.scanning import SHAPES, scan
    from skilltrial.judge.terminal import visible
    from skilltrial.model.errors import ArchiveRefused

    from .places import find_archive

    root = find_archive(archive)
    found = 0
    try:
        for hit in scan(root):
            click.echo(visible(str(hit)))
            found += 1
    except OSError as error:
        raise ArchiveRefused(f"{root} can't be read: {error.strerror} ({error.filename})") from None
    click.echo(f"{root}: {found or 'no'} places with one of {len(SHAPES)} shapes of credentials", err=bool(found))
    raise click.exceptions.Exit(1 if found else 0)
