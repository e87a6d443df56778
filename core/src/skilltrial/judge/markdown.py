"""A report as Markdown, for a pull request. It holds what the report holds and nothing more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skilltrial.model.report import Report

from . import board
from .tables import Table, fault_lines, gate_line, kept_line, promise_table, title, trial_line, troubles

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def markdown(report: Report) -> str:
    """The whole page."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield from _rehearsal(report) if report.rehearsal else _run(report)
    yield from _list("Limitations", report.limitations)
    yield ""
    yield f"Archive `{report.archive}`"


def _run(report: Report) -> Iterator[str]:
    says, *grounds = board.headline_lines(report) or ("",)
    yield f"## {escaped(says)}"
    yield ""
    yield from (f"{escaped(line)}  " for line in (*grounds, *board.other_pairs(report)))
    yield ""
    yield from (f"{escaped(line)}  " for line in board.header(report))
    yield ""
    yield from _table(board.board(report, board.ROUND))
    yield ""
    yield escaped(board.legend(report, board.ROUND))
    yield ""
    decision, *cases = board.gate_lines(report)
    yield f"**{escaped(decision)}**"
    yield from _list("", cases)
    yield ""
    yield escaped(f"usable: {board.usable(report)}")
    yield from _list("Not passed", [trial_line(trial) for trial in board.bad_trials(report)])


def _rehearsal(report: Report) -> Iterator[str]:
    yield escaped(title(report))
    yield ""
    yield f"**{escaped(gate_line(report))}**"
    yield ""
    yield from _table(promise_table(report))
    yield from _list("", [kept_line(report), *fault_lines(report)])
    yield from _list("Not kept", [one.line for one in troubles(report)])


def _table(table: Table) -> Iterator[str]:
    yield _row(table.header)
    yield _row("---" for _ in table.header)
    for row in table.rows:
        yield _row(escaped(cell) for cell in row)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _list(title: str, lines: Iterable[str]) -> Iterator[str]:
    kept = [line for line in lines if line]
    if not kept:
        return
    yield ""
    if title:
        yield f"### {title}"
        yield ""
    yield from (f"- {escaped(line)}" for line in kept)


def escaped(text: str) -> str:
    """`text` so that Markdown shows it as it is."""
    return _SPECIAL.sub(r"\\\1", text)
