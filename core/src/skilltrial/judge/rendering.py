"""A report in the form that was asked for. Pure: what a terminal is, the caller decides."""

from __future__ import annotations

import io
from typing import Literal

from skilltrial.model.report import Report

from .questions import Details

Form = Literal["json", "markdown", "plain", "terminal"]


def render(report: Report, form: Form, details: Details | None = None, *, width: int = 80) -> str:
    """The report as text. `details` are shown on a terminal and in plain form only: the others may be passed on.

    `plain` is free of colour and drawn with ASCII; `terminal` has colour and is `width` columns wide.
    """
    match form:
        case "json":
            return report.write().decode("ascii")
        case "markdown":
            from .markdown import markdown

            return markdown(report)
        case _:
            return _drawn(report, details or {}, plain=form == "plain", width=width)


def _drawn(report: Report, details: Details, *, plain: bool, width: int) -> str:
    from rich.console import Console

    from .terminal import page

    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=not plain,
        no_color=plain,
        color_system=None if plain else "standard",
        force_jupyter=False,
        legacy_windows=False,
        markup=False,
        highlight=False,
        emoji=False,
    )
    with console.capture() as capture:
        console.print(page(report, details, plain=plain))
    # rich pads lines; a file that is compared should not depend on that.
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"
