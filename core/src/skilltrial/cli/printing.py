"""Where a report goes: standard output, in the form that fits what that is."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from skilltrial.judge.board import Marks
    from skilltrial.judge.grading import Judgement
    from skilltrial.model.report import Report
    from skilltrial.plugins.discovery import Discovery


JSON_LINES = "json-lines"
"""A report on one line: several of them are a stream that is read line by line."""


def show(judgement: Judgement, form: str, root: Path, discovery: Discovery) -> None:
    """Print the judgement of the archive in `root`; a `form` that is none of ours names a renderer."""
    from skilltrial.judge.rendering import render

    match form:
        case "json" | "markdown":
            text = render(judgement.report, "json" if form == "json" else "markdown")
        case form if form == JSON_LINES:
            from skilltrial.model.part import compact

            text = compact(judgement.report.model_dump(mode="json")).decode("ascii")
        case "auto" | "text":
            colour = coloured(form)
            text = writable(
                render(
                    judgement.report,
                    "terminal" if colour else "plain",
                    judgement.details,
                    width=width(),
                    marks=marks(),
                )
            )
        case name:
            from skilltrial.archive.reading import open_archive

            from .renderers import rendered

            click.echo(rendered(name, judgement.report, open_archive(root), discovery), nl=False)
            return
    click.echo(text, nl=not text.endswith("\n"), color=True)


def into_step_summary(report: Report) -> None:
    """Add the report as Markdown to the summary of a GitHub workflow's step, where this is one."""
    if not (summary := os.environ.get("GITHUB_STEP_SUMMARY")):
        return
    from skilltrial.judge.markdown import markdown

    try:
        with open(summary, "a", encoding="utf-8") as file:  # noqa: PTH123 - any path that the runner names
            file.write(markdown(report))
    except OSError as error:
        click.echo(f"note: the step's summary can't be written: {error.strerror}", err=True)


def coloured(form: str) -> bool:
    """Whether standard output is a terminal that shows colours, and nobody asked for a page without."""
    dumb = os.environ.get("TERM") in ("dumb", "unknown")
    return form == "auto" and sys.stdout.isatty() and not dumb and not os.environ.get("NO_COLOR")


def marks() -> Marks:
    """How trials are drawn: with circles where standard output can write them."""
    from skilltrial.judge.board import ASCII, ROUND

    drawn = f"{ROUND.passed}{ROUND.failed}"
    return ROUND if writable(drawn) == drawn else ASCII


def writable(text: str) -> str:
    """`text` with what standard output has no character for written out."""
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def width() -> int:
    """Columns of the terminal, 80 where there is none; never so wide that rows are hard to follow."""
    import shutil

    return min(120, shutil.get_terminal_size((80, 24)).columns)
