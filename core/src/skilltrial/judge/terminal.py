"""A report for people at a terminal, with the texts of the checks where the archive is at hand."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from skilltrial.model.report import Report
from skilltrial.model.words import Outcome

from .questions import CheckDetail, Details
from .tables import Table, fault_lines, gate_line, headline, kept_line, main_table, pair_lines, troubles

SHOWN_TRIALS = 20
SHOWN_CHARACTERS = 300
_STYLES = {"passed": "green", "failed": "red", "incomplete": "yellow"}
_ENDS = {", kept": "green", ", BROKEN": "red", "not possible here": "yellow"}
"""How a cell ends, and its colour. Only `kept` is good or bad: a rehearsal that fails as promised is good."""


def page(report: Report, details: Details, *, plain: bool) -> RenderableType:
    """The whole page. `plain` draws with ASCII and repeats every cell, so that lines can be searched."""
    return Group(*_parts(report, details, plain))


def _parts(report: Report, details: Details, plain: bool) -> Iterator[RenderableType]:
    yield Text(visible(headline(report)), style="bold")
    if report.rehearsal:
        # A table of its own for each case leaves 80 columns for the names that differ.
        for case, table in main_table(report).grouped():
            yield Text(f"\n{case}", style="bold")
            yield _table(table, plain)
    else:
        yield _table(main_table(report), plain)
    yield from (_item(line, indent=0) for line in (kept_line(report), *pair_lines(report)) if line)
    yield from (_item(line, indent=0, style="red") for line in fault_lines(report))
    yield from _troubles(report, details)
    if report.limitations:
        yield Text("\nLimitations", style="bold")
        yield from (_item(line) for line in report.limitations)
    yield Text("")
    yield Text(gate_line(report), style=f"bold {_STYLES[report.gate.decision]}")


def _table(table: Table, plain: bool) -> RichTable:
    drawn = RichTable(box=box.ASCII2 if plain else box.SIMPLE_HEAD, padding=(0, 1), show_edge=plain)
    for title in table.header:
        drawn.add_column(title, overflow="fold", no_wrap=title == "promised")
    before = ""
    for row in table.rows:
        # On a terminal a name that repeats the one above it only hides what differs.
        first = "" if row[0] == before and not plain else row[0]
        before = row[0]
        drawn.add_row(Text(visible(first)), *(Text(visible(cell), _style(cell)) for cell in row[1:]))
    return drawn


def _style(cell: str) -> str:
    return next((style for end, style in _ENDS.items() if cell.endswith(end)), "")


def _troubles(report: Report, details: Details) -> Iterator[RenderableType]:
    found = troubles(report)
    if found:
        yield Text("\nNot kept" if report.rehearsal else "\nNot passed", style="bold")
    for one in found[:SHOWN_TRIALS]:
        yield _item(one.line)
        for detail in details.get(one.key, ()):
            if detail.outcome is not Outcome.PASSED:
                yield from _detail(detail)
    if len(found) > SHOWN_TRIALS:
        yield _item(f"and {len(found) - SHOWN_TRIALS} more, all in the report")


def _detail(detail: CheckDetail) -> Iterator[RenderableType]:
    yield _item(f"{detail.outcome}: {detail.sentence}", indent=4)
    for name, text in (("expected", detail.expected), ("seen", detail.seen)):
        if text:
            yield _item(f"{name}: {text}", indent=6)


def _item(text: str, *, indent: int = 2, style: str = "") -> Padding:
    return Padding(Text(visible(text), style=style), (0, 0, 0, indent), expand=False)


def visible(text: str) -> str:
    """`text` on one line, cut, with everything that would steer a terminal written out."""
    cut = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + " [cut]"
    return "".join(character if character.isprintable() else _escape(character) for character in cut)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
