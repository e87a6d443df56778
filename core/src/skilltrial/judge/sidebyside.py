"""Two sessions beside each other: what was seen, and no verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from skilltrial.model.report import TrialReport, TriggerReport, UsageReport
from skilltrial.model.words import Ending

from .observing import Called, Observed
from .tables import plural, spaced
from .terminal import visible

HEADING = "one session each and nothing checked: an observation, not a verdict"
UNSEEN = "not shown by this agent"
_SHOWN = 12
"""Lines of one cell."""
_ABOUT = 48


@dataclass(frozen=True, slots=True)
class Side:
    """One session: how it is called, its report, and what it did (None where it left nothing)."""

    title: str
    trial: TrialReport
    observed: Observed | None


def side_by_side(sides: Sequence[Side], *, plain: bool) -> RenderableType:
    """The page. `plain` draws with ASCII."""
    drawn = Table(box=box.ASCII2 if plain else box.SIMPLE_HEAD, padding=(0, 1), show_edge=plain)
    drawn.add_column("", no_wrap=True)
    for side in sides:
        drawn.add_column(side.title, overflow="fold", ratio=1)
    columns = [dict(_rows(side, sides[0].observed if at else None)) for at, side in enumerate(sides)]
    for label in columns[0]:
        drawn.add_row(label, *(Text("\n".join(visible(line) for line in column[label])) for column in columns))
    return Group(Text(HEADING, style="bold"), drawn)


def _rows(side: Side, first: Observed | None) -> Iterator[tuple[str, list[str]]]:
    """The rows of one session; `first` is the one to its left."""
    trial, observed = side.trial, side.observed
    yield "session", _ending(trial)
    yield "skill", [_skill(row) for row in trial.trigger] or [UNSEEN]
    yield "model", list(trial.models) or [UNSEEN]
    yield "files changed", _files(observed, first)
    yield "calls", _calls(observed)
    yield "tokens", _tokens(trial.usage)
    yield "cost", [f"{float(trial.usage.cost):.4f} dollars" if trial.usage and trial.usage.cost else UNSEEN]
    answer = observed.answer if observed else None
    yield "answer", [UNSEEN if answer is None else f"{plural(len(answer), 'character')}"]
    yield "time", [UNSEEN if trial.agent_seconds is None else f"{trial.agent_seconds:.1f} s"]


def _ending(trial: TrialReport) -> list[str]:
    if trial.ending is Ending.COMPLETED and trial.verdict.reason == "nothing_checked":
        return ["went to its end"]
    verdict = trial.verdict
    why = spaced(verdict.reason or "unnamed") + (f", {spaced(trial.cause)}" if trial.cause else "")
    return [f"INCOMPLETE: {why}", *([f"owner {verdict.owner}"] if verdict.owner else [])]


def _skill(row: TriggerReport) -> str:
    if not row.present:
        return "not there" if row.reached is None else f"NOT THERE, yet {spaced(row.reached)}"
    if row.evidence == "read-observed":
        return "opened" if row.reached != "script_run" else "opened, and a script of it ran"
    why = spaced(row.reason or "")
    return f"{spaced(row.reached)}, not seen to be opened ({why})" if row.reached else f"not seen ({why})"


def _files(observed: Observed | None, first: Observed | None) -> list[str]:
    if observed is None:
        return [UNSEEN]
    lines = [f"{change.path} ({change.change}{_beside(change.path, observed, first)})" for change in observed.changes]
    return _cut(lines, "file") or ["none"]


def _beside(path: str, observed: Observed, first: Observed | None) -> str:
    """Whether a file that both sessions changed became the same in both."""
    if first is None or path not in first.became:
        return ""
    return ", the same" if observed.became[path] == first.became[path] else ", but otherwise"


def _calls(observed: Observed | None) -> list[str]:
    if observed is None or observed.calls is None:
        return [UNSEEN]
    refused = sum(call.refused for call in observed.calls)
    told = Counter(map(_call, observed.calls))
    lines = [f"{line} x{count}" if count > 1 else line for line, count in told.items()]
    total = f"{len(observed.calls)}" + (f", {refused} REFUSED" if refused else "")
    return [total, *_cut(lines, "call")]


def _call(call: Called) -> str:
    about = " ".join(call.about.split())
    about = about if len(about) <= _ABOUT else about[: _ABOUT - 3] + "..."
    return f"{call.tool} {about}".rstrip() + (" [refused]" if call.refused else "")


def _tokens(usage: UsageReport | None) -> list[str]:
    if usage is None:
        return [UNSEEN]
    counts = ((usage.input, "in"), (usage.cached, "cached"), (usage.output, "out"))
    return [", ".join(f"{count:,} {name}" for count, name in counts if count is not None) or UNSEEN]


def _cut(lines: list[str], what: str) -> list[str]:
    if len(lines) <= _SHOWN:
        return lines
    more = len(lines) - _SHOWN + 1
    return [*lines[: _SHOWN - 1], f"and {plural(more, f'more {what}')}"]
