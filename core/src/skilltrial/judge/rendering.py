"""A report in the form that was asked for. Pure: what a terminal is, the caller decides."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Literal

from skilltrial.model.report import Report

from .board import ASCII, Marks
from .questions import Details

if TYPE_CHECKING:
    from rich.console import RenderableType

Form = Literal["json", "markdown", "plain", "terminal"]


def render(report: Report, form: Form, details: Details | None = None, *, width: int = 80, marks: Marks = ASCII) -> str:
    """The report as text. `details` are shown on a terminal and in plain form only: the others may be passed on.

    `plain` is free of colour; `terminal` has it. Both are `width` columns wide, and draw trials with `marks`.
    """
    match form:
        case "json":
            return report.write().decode("ascii")
        case "markdown":
            from .markdown import markdown

            return markdown(report)
        case _:
            from .terminal import page

            plain = form == "plain"
            return drawn(page(report, details or {}, plain=plain, marks=marks), plain=plain, width=width)


def drawn(page: RenderableType, *, plain: bool, width: int) -> str:
    """A page as text; `plain` is without colour."""
    from rich.console import Console

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
        console.print(page)
    # rich pads lines; a file that is compared should not depend on that.
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"
