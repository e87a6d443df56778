"""What is seen while trials run: on standard error, so that standard output is the result and nothing else."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING

import click

from skilltrial.model.observing import Observer, TrialTold
from skilltrial.model.trial import TrialKey

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

BEAT = 30.0
"""Seconds between two lines of a log on the trials that run."""


class Silent(Observer):
    """No progress."""

    def trial_started(self, key: TrialKey) -> None:
        """Say nothing."""

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        """Say nothing."""

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        """Say nothing."""


class Running:
    """The trials that run just now, since when, and at which turn they are. Safe from any thread."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._begun: dict[TrialKey, float] = {}
        self._turns: dict[TrialKey, int] = {}

    def begin(self, key: TrialKey) -> None:
        """A trial begins."""
        with self._lock:
            self._begun[key] = self._now()

    def turn(self, key: TrialKey, turn: int) -> None:
        """It is given another prompt."""
        with self._lock:
            self._turns[key] = turn

    def end(self, key: TrialKey) -> None:
        """It is over."""
        with self._lock:
            self._begun.pop(key, None)
            self._turns.pop(key, None)

    def told(self) -> str:
        """How many run, and what the one that began first is at; empty where none does."""
        with self._lock:
            if not self._begun:
                return ""
            key, begun = next(iter(self._begun.items()))
            turn = f" turn {turn}" if (turn := self._turns.get(key, 1)) > 1 else ""
            return f"{len(self._begun)} running; {key}{turn}, {self._now() - begun:.0f} s"


class Lines(Observer):
    """A line per finished trial, and now and then one on those that run: for logs, which are taken for dead else."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._begin = time.monotonic()
        self._running = Running()

    def trial_started(self, key: TrialKey) -> None:
        """Say nothing yet."""
        self._running.begin(key)

    def turn_started(self, key: TrialKey, turn: int) -> None:
        """Say nothing yet."""
        self._running.turn(key, turn)

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        """Say what the gate's rule adds."""
        self._total += len(trials)
        click.echo(repeating(trials), err=True)

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        """Say how far the run is."""
        self._running.end(key)
        self._done += 1
        seconds = time.monotonic() - self._begin
        left = seconds / self._done * (self._total - self._done)
        eta = f", some {left:.0f} s to go" if left >= 1 else ""
        click.echo(f"{self._place()}  {key}{eta}{money(told.spent)}", err=True)

    def still(self) -> None:
        """Say what runs."""
        if told := self._running.told():
            click.echo(f"{self._place()}  {told}", err=True)

    def _place(self) -> str:
        seconds = time.monotonic() - self._begin
        return f"{self._done:>{len(str(self._total))}}/{self._total}  {seconds:6.1f} s"

    @contextmanager
    def beating(self) -> Iterator[Lines]:
        """While inside, `still` is said every `BEAT` seconds."""
        over = threading.Event()

        def beat() -> None:
            while not over.wait(BEAT):
                self.still()

        thread = threading.Thread(target=beat, name="progress", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            over.set()
            thread.join()


class Bar(Observer):
    """A bar with the trials that run just now: for terminals."""

    def __init__(self, progress: Progress, task: TaskID, total: int, running: Running) -> None:
        self._progress = progress
        self._total = total
        self._task = task
        self._running = running

    def trial_started(self, key: TrialKey) -> None:
        """Show a trial that runs."""
        self._running.begin(key)

    def turn_started(self, key: TrialKey, turn: int) -> None:
        """Show at which turn it is."""
        self._running.turn(key, turn)

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        """Count a trial."""
        self._running.end(key)
        self._progress.update(self._task, advance=1, money=f"{money(told.spent)} "[2:])

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        """More to do."""
        self._total += len(trials)
        self._progress.update(self._task, total=self._total)
        self._progress.console.print(repeating(trials), markup=False, highlight=False)


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
        with Lines(total).beating() as lines:
            yield lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TimeElapsedColumn
    from rich.text import Text

    running = Running()

    class Now(ProgressColumn):
        """What runs, drawn anew as time goes on; cut where the line is full."""

        def render(self, task: Task) -> Text:
            left = f"eta {task.time_remaining:.0f} s  " if task.completed and task.time_remaining else ""
            return Text(f"{left}{task.fields['money']}{running.told()}", no_wrap=True, overflow="ellipsis")

    columns = (BarColumn(12), MofNCompleteColumn(), TimeElapsedColumn(), Now())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield Bar(shown, shown.add_task("", total=total, money=""), total, running)
