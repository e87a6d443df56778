"""What is seen while trials run: on standard error, so that standard output is the result and nothing else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from skilltrial.model.observing import Observer, TrialTold
from skilltrial.model.trial import TrialKey

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Silent(Observer):
    """No progress."""

    def trial_started(self, key: TrialKey) -> None:
        """Say nothing."""

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        """Say nothing."""

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        """Say nothing."""


class Lines(Observer):
    """A line per finished trial: for logs."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._begin = time.monotonic()

    def trial_started(self, key: TrialKey) -> None:
        """Say nothing: a log wants what is known."""

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        """Say what the gate's rule adds."""
        self._total += len(trials)
        click.echo(repeating(trials), err=True)

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        """Say how far the run is."""
        self._done += 1
        seconds = time.monotonic() - self._begin
        left = seconds / self._done * (self._total - self._done)
        eta = f", some {left:.0f} s to go" if left >= 1 else ""
        place = f"{self._done:>{len(str(self._total))}}/{self._total}"
        click.echo(f"{place}  {seconds:6.1f} s  {key}{eta}{money(told.spent)}", err=True)


class Bar(Observer):
    """A bar with the trials that run just now: for terminals."""

    def __init__(self, progress: Progress, task: TaskID, total: int) -> None:
        self._progress = progress
        self._total = total
        self._task = task
        self._running: list[TrialKey] = []
        self._money = ""

    def trial_started(self, key: TrialKey) -> None:
        """Show a trial that runs."""
        self._running.append(key)
        self._show(0)

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        """Count a trial."""
        self._running.remove(key)
        self._money = f"{money(told.spent)} "[2:]
        self._show(1)

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        """More to do."""
        self._total += len(trials)
        self._progress.update(self._task, total=self._total)
        self._progress.console.print(repeating(trials), markup=False, highlight=False)

    def _show(self, step: int) -> None:
        newest = str(self._running[-1]) if self._running else ""
        self._progress.update(self._task, advance=step, description=newest[:40], money=self._money)


def money(spent: Decimal | None) -> str:
    """What is spent, where that is shown."""
    return f", ${spent:.2f}" if spent is not None else ""


def repeating(trials: Sequence[TrialKey]) -> str:
    """What the gate's rule adds, as a sentence."""
    cases = list(dict.fromkeys(key.case for key in trials))
    return f"failed at first, repeated for the gate: {', '.join(cases)} ({len(trials)} sessions more)"


@contextmanager
def progress(total: int, *, quiet: bool) -> Iterator[Silent | Lines | Bar]:
    """The display that fits standard error."""
    if quiet:
        yield Silent()
        return
    if not sys.stderr.isatty():
        yield Lines(total)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("eta"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[money]}{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield Bar(shown, shown.add_task("", total=total, money=""), total)
