"""`skilltrial show RUN[/CASE/ARM/N]`."""

from __future__ import annotations

from pathlib import Path

import click

from .options import FORM, REPORT

LONGEST = 1000
"""Characters of a line."""
EPILOG = """\b
Examples:
  skilltrial show
  skilltrial show last/dark-mode/with_skill/1
  skilltrial show .skilltrial/runs/RUN/dark-mode/with_skill/1 --full
  skilltrial show last/dark-mode/with_skill/1 --unpack by-hand
  skilltrial show last --left
"""


@click.command("show", short_help="Show a run's table, or one trial turn by turn.", epilog=EPILOG)
@click.argument("where", default="last")
@click.option("--full", is_flag=True, help="Of a trial: cut no text and no diff.")
@click.option(
    "--unpack", type=click.Path(), metavar="DIR", help="Of a trial: lay its project, prompts and command into DIR."
)
@click.option("--left", is_flag=True, help="Of a run: only what it left on real servers, to be cleaned up.")
@FORM
@REPORT
def command(where: str, full: bool, left: bool, unpack: str | None, form: str, report: str | None) -> None:
    """Show a run, or one of its trials. WHERE is RUN or RUN/CASE/ARM/N, and RUN is a folder or `last`.

    Of a run: its table again, judged from the archive. Of a trial: what the agent did turn by turn beside what a
    fixture received; each check with what was expected, seen, why, and the records that it was answered from; what
    was refused; the files as a diff; and how to repeat the session by hand. Nothing is written, and the exit code is
    0 whatever the verdict.
    """
    from skilltrial.judge.terminal import visible
    from skilltrial.plugins.discovery import Discovery

    from .judging import judge
    from .notes import read_notes
    from .places import find_trial
    from .printing import show
    from .renderers import renderer_name

    discovery = Discovery()
    root, key = find_trial(where)
    if left:
        _show_left(root, alone=key is None and not full and unpack is None and form == "auto" and report is None)
        return
    if key is not None:
        if form not in ("auto", "text") or report is not None:
            raise click.UsageError("a trial has one form; --format and --report are for runs")
        from .trialpages import show_trial, unpack_trial

        if unpack is not None:
            unpack_trial(root, key, unpack, discovery)
        else:
            show_trial(root, key, where, form, full=full, discovery=discovery)
        return
    if full or unpack is not None:
        raise click.UsageError(f"{'--full' if full else '--unpack'} is for one trial: {where}/CASE/ARM/N")
    if report is not None and form != "auto":
        raise click.UsageError(f"--report and --format {form} both say how the report is printed; leave one out")
    show(judge(root, discovery), form if report is None else renderer_name(report, discovery), root, discovery)
    for note in read_notes(root, None):
        click.echo(f"note: {visible(note, most=LONGEST)}", err=True)


def _show_left(root: Path, *, alone: bool) -> None:
    """Print what the run left on real servers, a line each; it is read from archives that were never sealed, too."""
    from skilltrial.archive.remains import remains
    from skilltrial.judge.terminal import visible

    if not alone:
        raise click.UsageError("--left is for a run, and stands alone")
    found = remains(root)
    for one in found:
        click.echo(visible(str(one), most=LONGEST))
    if not found:
        click.echo("nothing was left on a real server", err=True)
