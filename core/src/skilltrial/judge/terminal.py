"""A report for people at a terminal, with the texts of the checks where the archive is at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from skilltrial.model.report import Report, TrialReport
from skilltrial.model.visible import written_out
from skilltrial.model.words import Outcome, VerdictKind

from . import board
from .board import Marks
from .questions import CheckDetail, Details
from .tables import Table, fault_lines, gate_line, kept_line, promise_table, title, trial_line, troubles

SHOWN_TRIALS = 20
SHOWN_CHARACTERS = 300
_STYLES = {"passed": "green", "failed": "red", "incomplete": "yellow"}
_SAYS = {"helps": "green", "hurts": "red", "proves_nothing": "yellow"}
_ENDS = {", kept": "green", ", BROKEN": "red", "not possible here": "yellow"}
"""How a cell ends, and its colour. Only `kept` is good or bad: a rehearsal that fails as promised is good."""


def page(report: Report, details: Details, *, plain: bool, marks: Marks) -> RenderableType:
    """The whole page. `plain` draws rehearsals with ASCII and repeats every cell, so that lines can be searched."""
    return Group(*(_rehearsal(report, details, plain) if report.rehearsal else _run(report, details, marks)))


def _run(report: Report, details: Details, marks: Marks) -> Iterator[RenderableType]:
    first, *more = board.header(report)
    yield _item(first, indent=0, style="bold")
    yield from (_item(line, indent=0) for line in more)
    yield Text("")
    yield _board(board.board(report, marks), report, marks)
    yield _item(board.legend(report, marks), indent=0, style="dim")
    yield Text("")
    says, *grounds = board.headline_lines(report) or ("",)
    yield _item(says, indent=0, style=f"bold {_SAYS.get(report.headline.says if report.headline else '', '')}")
    yield from (_item(line) for line in (*grounds, *board.other_pairs(report)))
    yield from _bad(report, details, marks)
    yield from _limitations(report)
    yield Text("")
    yield _item(f"usable: {board.usable(report)}", indent=0)
    decision, *cases = board.gate_lines(report)
    yield _item(decision, indent=0, style=f"bold {_STYLES[report.gate.decision]}")
    yield from (_item(line) for line in cases)


def _board(table: Table, report: Report, marks: Marks) -> RichTable:
    drawn = RichTable(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for title_ in table.header:
        drawn.add_column(title_, overflow="fold")
    own = report.gate.arm
    for row in table.rows:
        cells = [_cell(cell, marks, own=name == own) for name, cell in zip(table.header, row, strict=True)]
        drawn.add_row(*cells)
    return drawn


def _cell(cell: str, marks: Marks, *, own: bool) -> Text:
    """A cell. Only the gate's arm is good or bad: one without the skill may fail."""
    text = Text(visible(cell))
    if own:
        for mark, style in ((marks.passed, "green"), (marks.failed, "red"), (marks.incomplete, "yellow")):
            for at, character in enumerate(cell):
                if character == mark:
                    text.stylize(style, at, at + 1)
    return text


def _bad(report: Report, details: Details, marks: Marks) -> Iterator[RenderableType]:
    found = board.bad_trials(report)
    if found:
        yield Text("\nNot passed", style="bold")
    for trial in found[:SHOWN_TRIALS]:
        lines = list(_failed(trial, details.get(trial.key, ())))
        mark = marks.of(trial.verdict.kind)
        yield from (_hanging(f"{mark} {line}", 4) for line in lines or [trial_line(trial)])
    if len(found) > SHOWN_TRIALS:
        yield _item(f"and {len(found) - SHOWN_TRIALS} more, all in the report")
    quiet = sum(trial.verdict.kind is VerdictKind.FAILED for trial in report.trials if trial not in found)
    if quiet and found:
        yield _item(f"and {quiet} failed in other arms, as they may (`show` tells them)")


def _failed(trial: TrialReport, details: Iterable[CheckDetail]) -> Iterator[str]:
    """One line for each check that did not hold: expected, seen, because."""
    if trial.verdict.kind is VerdictKind.INCOMPLETE:
        return
    for detail in details:
        if detail.outcome is not Outcome.PASSED:
            texts = (("expected", detail.expected), ("seen", detail.seen), ("because", detail.reason.replace("_", " ")))
            told = "; ".join(f"{name}: {visible(text)}" for name, text in texts if text)
            open_ = "" if detail.outcome is Outcome.FAILED else f" {detail.outcome}:"
            yield f"{board.address(trial.key)}:{open_} {visible(detail.sentence)}; {told}"


def _rehearsal(report: Report, details: Details, plain: bool) -> Iterator[RenderableType]:
    yield Text(visible(title(report)), style="bold")
    # A table of its own for each case leaves 80 columns for the names that differ.
    for case, table in promise_table(report).grouped():
        yield Text(f"\n{case}", style="bold")
        yield _table(table, plain)
    yield from (_item(line, indent=0) for line in (kept_line(report),) if line)
    yield from (_item(line, indent=0, style="red") for line in fault_lines(report))
    yield from _not_kept(report, details)
    yield from _limitations(report)
    yield Text("")
    yield Text(gate_line(report), style=f"bold {_STYLES[report.gate.decision]}")


def _limitations(report: Report) -> Iterator[RenderableType]:
    if report.limitations:
        yield Text("\nLimitations", style="bold")
        yield from (_item(line) for line in report.limitations)


def _table(table: Table, plain: bool) -> RichTable:
    drawn = RichTable(box=box.ASCII2 if plain else box.SIMPLE_HEAD, padding=(0, 1), show_edge=plain)
    for name in table.header:
        drawn.add_column(name, overflow="fold", no_wrap=name == "promised")
    before = ""
    for row in table.rows:
        # On a terminal a name that repeats the one above it only hides what differs.
        first = "" if row[0] == before and not plain else row[0]
        before = row[0]
        drawn.add_row(Text(visible(first)), *(Text(visible(cell), _style(cell)) for cell in row[1:]))
    return drawn


def _style(cell: str) -> str:
    return next((style for end, style in _ENDS.items() if cell.endswith(end)), "")


def _not_kept(report: Report, details: Details) -> Iterator[RenderableType]:
    found = troubles(report)
    if found:
        yield Text("\nNot kept", style="bold")
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


def _hanging(text: str, indent: int) -> RenderableType:
    """A paragraph whose further lines stand deeper than its first. `text` is visible already."""
    grid = RichTable.grid()
    grid.add_column(width=2)
    grid.add_column(overflow="fold")
    mark, _, rest = text.partition(" ")
    grid.add_row(Text(mark), Text(rest))
    return Padding(grid, (0, 0, 0, indent - 2), expand=False)


def visible(text: str, most: int = SHOWN_CHARACTERS) -> str:
    """`text` on one line, cut after `most`, with everything that would steer a terminal written out."""
    cut = text if len(text) <= most else text[:most] + " [cut]"
    return written_out(cut)
