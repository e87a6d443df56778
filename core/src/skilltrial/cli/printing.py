"""Where a report goes: standard output, in the form that fits what that is."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from skilltrial.judge.grading import Judgement


def show(judgement: Judgement, form: str) -> None:
    """Print a judgement."""
    from skilltrial.judge.rendering import render

    match form:
        case "json" | "markdown":
            text = render(judgement.report, "json" if form == "json" else "markdown")
        case _:
            colour = form == "auto" and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
            text = render(judgement.report, "terminal" if colour else "plain", judgement.details, width=width())
    click.echo(text, nl=not text.endswith("\n"), color=True)


def width() -> int:
    """Columns of the terminal, 80 where there is none; never so wide that rows are hard to follow."""
    import shutil

    return min(120, shutil.get_terminal_size((80, 24)).columns)
