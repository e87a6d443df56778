"""The page of one trial: its verdict, the timeline turn by turn, each check with its grounds, the files as a diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from skilltrial.model.report import TrialReport
from skilltrial.model.words import Outcome

from .board import Marks, address
from .questions import CheckDetail
from .tables import spaced, trial_line
from .terminal import visible
from .timeline import Moment

_CUT = 300
_STYLES = {Outcome.PASSED: "green", Outcome.FAILED: "red", Outcome.UNVERIFIED: "yellow"}


@dataclass(frozen=True, slots=True)
class TrialPage:
    """What is shown of one trial. `full` cuts no text."""

    report: TrialReport
    turns: Sequence[str]
    moments: Sequence[Moment]
    checks: Sequence[CheckDetail]
    grounds: Sequence[str]
    """For each check the records that it was answered from."""
    diffs: Sequence[str]
    notes: Sequence[str] = ()
    full: bool = False


def trial_page(page: TrialPage, marks: Marks) -> RenderableType:
    """The whole page."""
    return Group(*_parts(page, marks))


def _parts(page: TrialPage, marks: Marks) -> Iterator[RenderableType]:
    report = page.report
    told = trial_line(report).partition(": ")[2]
    yield _line(f"{marks.of(report.verdict.kind)} {address(report.key)}: {told}", style="bold")
    yield from (_line(line) for line in _facts(report))
    for turn in sorted({one.turn for one in page.moments} | set(range(1, len(page.turns) + 1))):
        yield _line(f"\nturn {turn}" if turn else "\nbefore the first turn", style="bold")
        if 0 < turn <= len(page.turns):
            yield Padding(_line(f"prompt: {_cut(page.turns[turn - 1], page)}", style="italic"), (0, 0, 0, 2))
        yield _table([one for one in page.moments if one.turn == turn], page)
    yield from _checks(page, marks)
    if refused := [one for one in page.moments if one.refused]:
        yield _line(f"\nrefused: {len(refused)} (marked above)", style="bold")
    yield _line("\nfiles", style="bold")
    yield from (_line(line, style=_diff_style(line)) for line in page.diffs or ["  nothing changed"])
    if page.notes:
        yield _line("\nnotes (outside the seal)", style="bold")
        yield from (_line(f"  {note}") for note in page.notes)


def _facts(report: TrialReport) -> Iterator[str]:
    parts = []
    if report.agent_seconds is not None:
        parts.append(f"{report.agent_seconds:.1f} s")
    if report.tries and report.tries > 1:
        parts.append(f"{report.tries} tries")
    if report.models:
        parts.append(f"model {', '.join(report.models)}")
    if report.usage is not None and report.usage.cost is not None:
        parts.append(f"${report.usage.cost}")
    parts += [f"skill {row.skill}: {_trigger(row.evidence, row.reason)}" for row in report.trigger if row.present]
    if parts:
        yield "; ".join(parts)


def _trigger(evidence: str, reason: str | None) -> str:
    if evidence == "read-observed":
        return "opened"
    return "not opened" if reason == "not_observed" else f"unknown whether opened ({spaced(reason or 'unnamed')})"


def _table(moments: Sequence[Moment], page: TrialPage) -> RichTable:
    wired = any(one.wire for one in moments)
    drawn = RichTable(box=None, padding=(0, 1, 0, 0), show_header=wired, header_style="dim", pad_edge=False)
    drawn.add_column("", width=8, justify="right", no_wrap=True)
    drawn.add_column("host", ratio=1, overflow="fold")
    if wired:
        drawn.add_column("fixture", ratio=1, overflow="fold")
    for one in moments:
        host = Text(_cut(one.host, page), style="bold yellow" if one.refused else "")
        cells = [Text(f"{one.at:.2f} s", style="dim"), host]
        if one.host or not wired:
            host.append(f"  {one.record}", style="dim")
        else:
            host.append(one.record, style="dim")
        drawn.add_row(*cells, *([Text(_cut(one.wire, page))] if wired else []))
    return drawn


def _checks(page: TrialPage, marks: Marks) -> Iterator[RenderableType]:
    yield _line("\nchecks", style="bold")
    if not page.checks:
        yield _line("  none was asked: the session shows nothing to ask about")
    mark = {Outcome.PASSED: marks.passed, Outcome.FAILED: marks.failed, Outcome.UNVERIFIED: marks.unverified}
    for check, ground in zip(page.checks, page.grounds, strict=True):
        yield _line(f"  {mark[check.outcome]} {_cut(check.sentence, page)} ({check.id})", style=_STYLES[check.outcome])
        because = "" if check.outcome is Outcome.PASSED else spaced(check.reason)
        for name, text in (("expected", check.expected), ("seen", check.seen), ("because", because), ("from", ground)):
            if text:
                yield Padding(_line(f"{name}: {_cut(text, page)}"), (0, 0, 0, 6))


def _diff_style(line: str) -> str:
    return "green" if line.startswith("+") else "red" if line.startswith("-") else ""


def _cut(text: str, page: TrialPage) -> str:
    shown = text if page.full or len(text) <= _CUT else f"{text[:_CUT]} [cut; --full]"
    return visible(shown, most=len(shown))


def _line(text: str, style: str = "") -> Text:
    lead, rest = (text[:1], text[1:]) if text.startswith("\n") else ("", text)
    return Text(lead + visible(rest, most=len(rest)), style=style)
