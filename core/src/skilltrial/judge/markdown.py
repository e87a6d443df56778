"""A report as Markdown, for a pull request. It holds what the report holds and nothing more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skilltrial.model.report import Report

from .tables import Table, fault_lines, gate_line, headline, kept_line, main_table, pair_lines, troubles

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def markdown(report: Report) -> str:
    """The whole page."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield escaped(headline(report))
    yield ""
    yield f"**{escaped(gate_line(report))}**"
    yield ""
    yield from _table(main_table(report))
    yield from _list("", [kept_line(report), *fault_lines(report), *pair_lines(report)])
    yield from _list("Not kept" if report.rehearsal else "Not passed", [one.line for one in troubles(report)])
    yield from _list("Limitations", report.limitations)
    yield ""
    yield f"Archive `{report.archive}`"


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
