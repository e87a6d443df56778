"""`skilltrial grade ARCHIVE`."""

from __future__ import annotations

import click

from .options import FORM, GATE, REPORT


@click.command("grade", short_help="Judge a sealed archive again.")
@click.argument("archive", default="last")
@FORM
@REPORT
@GATE
@click.option("--checks", metavar="SUITE", help="Judge by the checks of this edited suite; decides no gate (exit 3).")
@click.option("--no-write", is_flag=True, help="Print the report only; keep none beside the archive's own.")
def command(archive: str, form: str, report: str | None, gate: str | None, checks: str | None, no_write: bool) -> None:
    """Judge a sealed ARCHIVE again, offline: the same evidence and judges give the same bytes.

    ARCHIVE is a folder, or `last`. Every file is checked first (exit 4 where one differs). A report that differs from
    the run's own is written beside it, and what changed is listed. The exit code is the gate's.

    With --checks SUITE no session is run either: the sealed evidence is judged by the checks of an edited suite, where
    its prompts, workspaces, skills and fixtures are those of the run. Checks that were changed after the run decide
    no gate: the exit code is 3.
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
    if checks is not None and gate is not None:
        raise click.UsageError("--checks decides no gate; leave --gate out")
    if checks is None:
        judgement = judge(root, discovery, gate)
    else:
        from .rechecking import judge_by

        judgement, unknown = judge_by(root, checks, discovery)
        for case in unknown:
            click.echo(f"note: case {case} was not part of the run: it is not judged", err=True)
    show(judgement, form, root, discovery)
    differs = changes(root, judgement.report)
    for line in differs:
        click.echo(f"{'changed by other checks' if checks else 'changed by judging again'}: {line}", err=True)
    if checks is not None and not differs:
        click.echo("other checks, and every verdict is what it was", err=True)
    if not no_write and (path := keep(root, judgement.report)) is not None:
        click.echo(f"report {path}", err=True)
    raise click.exceptions.Exit(judgement.report.gate.exit_code)
