"""`skilltrial grade ARCHIVE`."""

from __future__ import annotations

import click

from .options import FORM, GATE, REPORT


@click.command("grade", short_help="Judge a sealed archive again.")
@click.argument("archive", default="last")
@FORM
@REPORT
@GATE
@click.option("--no-write", is_flag=True, help="Print the report only; keep none beside the archive's own.")
def command(archive: str, form: str, report: str | None, gate: str | None, no_write: bool) -> None:
    """Judge a sealed ARCHIVE again, offline: the same evidence and judges give the same bytes.

    ARCHIVE is a folder, or `last`. Every file is checked first (exit 4 where one differs). A report that differs from
    the run's own is written beside it, and what changed is listed. The exit code is the gate's.
    """
    from skilltrial.plugins.discovery import Discovery

    from .judging import changes, judge, keep
    from .places import find_archive
    from .printing import show
    from .renderers import renderer_name

    discovery = Discovery()
    if report is not None and form != "auto":
        raise click.UsageError(f"--report and --format {form} both say how the report is printed; leave one out")
    form = form if report is None else renderer_name(report, discovery)
    root = find_archive(archive)
    judgement = judge(root, discovery, gate)
    show(judgement, form, root, discovery)
    differs = changes(root, judgement.report)
    for line in differs:
        click.echo(f"changed by judging again: {line}", err=True)
    if not no_write and (path := keep(root, judgement.report)) is not None:
        click.echo(f"report {path}", err=True)
    raise click.exceptions.Exit(judgement.report.gate.exit_code)
