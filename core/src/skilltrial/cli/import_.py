"""`skilltrial import FILE --from NAME`."""

from __future__ import annotations

from pathlib import Path

import click

from .options import FORM

MOST = 500_000_000
"""Bytes of a transcript."""


@click.command("import", short_help="Make an archive of a transcript that another tool recorded, and judge it.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--from", "reader", required=True, metavar="NAME", help="The installed part that reads it (kody).")
@click.option("--out", type=click.Path(), metavar="DIR", help="The archive [.skilltrial/runs/SUITE-TIME].")
@FORM
def command(file: Path, reader: str, out: str | None, form: str) -> None:
    """Make a sealed archive of the transcript FILE and judge it, as `grade` would. The exit code is the gate's.

    Its evidence is of the kind `imported`: nothing ran here, and only what the transcript says is known.
    """
    from datetime import datetime

    from skilltrial.model.errors import SourceUnusable
    from skilltrial.plugins.discovery import Discovery
    from skilltrial.plugins.inputs import read_input
    from skilltrial.record.intake import take_in

    from .judging import judge, keep
    from .places import default_out, keep_out_of_git
    from .printing import show

    try:
        data = read_input(file, MOST)
    except FileNotFoundError:
        raise SourceUnusable(f"there is no file {file}") from None
    except OSError as error:
        raise SourceUnusable(f"{file} can't be read: {error.strerror}") from None
    if len(data) > MOST:
        raise SourceUnusable(f"{file} has more than the {MOST} bytes that a transcript may have")
    discovery = Discovery()
    place = Path(out) if out else default_out(reader, datetime.now())  # noqa: DTZ005 - a name in local time
    root = take_in(data, reader, place, discovery)
    # Only now: a transcript that can't be read leaves nothing.
    keep_out_of_git(place)
    judgement = judge(root, discovery)
    keep(root, judgement.report)
    show(judgement, form, root, discovery)
    click.echo(f"archive {root}", err=True)
    raise click.exceptions.Exit(judgement.report.gate.exit_code)
