"""Where a report goes: standard output, in the form that fits what that is."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from skilltrial.judge.grading import Judgement
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
            colour = form == "auto" and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
            text = render(judgement.report, "terminal" if colour else "plain", judgement.details, width=width())
        case name:
            from skilltrial.archive.reading import open_archive

            from .renderers import rendered

            click.echo(rendered(name, judgement.report, open_archive(root), discovery), nl=False)
            return
    click.echo(text, nl=not text.endswith("\n"), color=True)


def width() -> int:
    """Columns of the terminal, 80 where there is none; never so wide that rows are hard to follow."""
    import shutil

    return min(120, shutil.get_terminal_size((80, 24)).columns)
