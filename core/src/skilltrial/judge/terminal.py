"""A report for people at a terminal, with the texts of the checks where the archive is at hand."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from skilltrial.model.report import Report, TrialReport
from skilltrial.model.words import Outcome

from .questions import CheckDetail
from .rendering import Details
from .tables import Table, fault_lines, gate_line, headline, kept_line, main_table, pair_lines, trial_line, unhappy

SHOWN_TRIALS = 20
SHOWN_CHARACTERS = 300
_STYLES = {"passed": "green", "kept": "green", "failed": "red", "broken": "red", "incomplete": "yellow"}
_CELLS = {"yes": "green", "no": "red", "not possible": "yellow"}


def page(report: Report, details: Details, *, plain: bool) -> RenderableType:
    """The whole page. `plain` draws with ASCII and repeats every cell, so that lines can be searched."""
    return Group(*_parts(report, details, plain))


def _parts(report: Report, details: Details, plain: bool) -> Iterator[RenderableType]:
    yield Text(visible(headline(report)), style="bold")
    yield _table(main_table(report), plain)
    for line in (kept_line(report), *fault_lines(report), *pair_lines(report)):
        if line:
            yield Text(line)
    yield from _trials(unhappy(report), details)
    if report.limitations:
        yield Text("\nLimitations", style="bold")
        yield from (_item(line) for line in report.limitations)
    yield Text("")
    yield Text(gate_line(report), style=f"bold {_STYLES[report.gate.decision]}")


def _table(table: Table, plain: bool) -> RichTable:
    drawn = RichTable(box=box.ASCII2 if plain else box.SIMPLE_HEAD, padding=(0, 1), show_edge=plain)
    for title in table.header:
        drawn.add_column(title, overflow="fold")
    before: tuple[str, ...] = ()
    for row in table.rows:
        cells = row if plain else _without_repetition(row, before)
        drawn.add_row(*(Text(visible(cell), style=_CELLS.get(cell.partition(":")[0], "")) for cell in cells))
        before = row
    return drawn


def _without_repetition(row: tuple[str, ...], before: tuple[str, ...]) -> tuple[str, ...]:
    """The row with its first cells empty as far as they repeat the row before; the last three always stand."""
    same = 0
    while same < min(len(before), len(row) - 4) and row[same] == before[same]:
        same += 1
    return ("",) * same + row[same:]


def _trials(trials: tuple[TrialReport, ...], details: Details) -> Iterator[RenderableType]:
    if trials:
        yield Text("\nNot passed", style="bold")
    for trial in trials[:SHOWN_TRIALS]:
        yield _item(trial_line(trial))
        for detail in details.get(trial.key, ()):
            if detail.outcome is not Outcome.PASSED:
                yield from _detail(detail)
    if len(trials) > SHOWN_TRIALS:
        yield _item(f"and {len(trials) - SHOWN_TRIALS} more, all in the report")


def _detail(detail: CheckDetail) -> Iterator[RenderableType]:
    yield _item(f"{detail.outcome}: {detail.sentence}", indent=4)
    for name, text in (("expected", detail.expected), ("seen", detail.seen)):
        if text:
            yield _item(f"{name}: {text}", indent=6)


def _item(text: str, indent: int = 2) -> Text:
    return Text(" " * indent + visible(text))


def visible(text: str) -> str:
    """`text` on one line, cut, with everything that would steer a terminal written out."""
    cut = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + " [cut]"
    return "".join(character if character.isprintable() else _escape(character) for character in cut)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
