"""The table that `make bench` prints: in colour on a terminal, plain in a log."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version

from rich.console import Console
from rich.table import Table

from .figures import Figure, Missing
from .workshop import IN_MEMORY, Workshop

PARTS = ("skilltrial", "pydantic", "click", "pluggy", "stevedore")


def console() -> Console:
    """Where the table goes; a log gets lines long enough for it."""
    return Console() if sys.stdout.isatty() else Console(width=150, color_system=None)


def heading(shop: Workshop, cores: int) -> str:
    """What was measured on what: versions, cores, kind of system and of agent. Names no machine."""
    versions = ", ".join(f"{part} {version(part)}" for part in PARTS)
    place = "memory" if IN_MEMORY in shop.base.parents else "a folder of temporary files"
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return (
        f"Python {platform.python_version()}, {versions}\n"
        f"{platform.system()} {platform.release()} {platform.machine()}, {cores} cores{load}; "
        f"files in {place}; agent in {shop.agent_kind}"
    )


def table(rows: Sequence[Figure | Missing]) -> Table:
    """The figures, and which goals were met."""
    drawn = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("what", "ours", "floor", "ratio of pairs", "goal", ""):
        drawn.add_column(column, justify="left" if column in ("what", "") else "right")
    for row in rows:
        if isinstance(row, Missing):
            drawn.add_row(f"{row.name}\n  {row.why}", "", "", "", "", "not measured")
            continue
        remarks = "; ".join(filter(None, (f"against {row.against}" if row.against else "", row.note)))
        what = f"{row.name}\n  [dim]{remarks}[/dim]" if remarks else row.name
        spreads = (_spread(row.ours, row.unit), _spread(row.floor, row.unit), _spread(row.ratios))
        unit = "" if row.floor else row.unit
        drawn.add_row(what, *spreads, f"{'≥' if row.at_least else '≤'} {row.goal:g} {unit}".rstrip(), _verdict(row))
    return drawn


def _verdict(row: Figure) -> str:
    if row.met:
        return "[green]met[/green]"
    return (
        f"[red]missed by {row.missed_by:.{0 if row.missed_by > 0.1 else 1}%}[/red]" if row.goal else "[red]missed[/red]"
    )


def _spread(values: Sequence[float], unit: str = "") -> str:
    """The median, and the least and most in brackets."""
    if not values:
        return ""
    ordered = sorted(values)
    half = len(ordered) // 2
    median = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    text = f"{_short(median)} {unit}".rstrip()
    return text if len(ordered) == 1 else f"{text} ({_short(ordered[0])}-{_short(ordered[-1])})"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
