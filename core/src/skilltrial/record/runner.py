"""The trials of a plan, in threads: the only module that meets live hosts as a whole run."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from skilltrial.model.errors import RunIncomplete
from skilltrial.model.plan import Plan
from skilltrial.model.trial import TrialKey

from .bench import Bench
from .endings import told_of
from .trialrun import execute

TICK = 0.2
"""Seconds between two looks at signals while trials run: a thread that waits for a lock hears none."""


class Repeats(Protocol):
    """What the gate's rule adds to a run while it goes on."""

    def after(self, root: Path, plan: Plan) -> tuple[TrialKey, ...]:
        """The trials that the archive in `root` needs beyond `plan`, from what is sealed in it."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended: `stopped` says why early, `fault` that the archive or a place could not be written."""

    sealed: tuple[TrialKey, ...]
    interrupted: bool
    stopped: str | None = None
    fault: RunIncomplete | None = None


def run_trials(
    bench: Bench,
    trials: Sequence[TrialKey],
    jobs: int,
    more: Callable[[], Sequence[TrialKey]] = tuple,
) -> Ran:
    """Run the trials in their order, `jobs` at once; `stage: last` cases start when all others are done.

    After each stage `more` says what is added to it. An interrupt (`bench.supervisor.cancel()`) ends running trials
    and starts no further one.
    """
    loop = _Loop(bench, jobs)
    for stage in ("any", "last"):
        loop.run([key for key in trials if bench.suite.case(key.case).stage == stage])
        if loop.goes_on() and (added := more()):
            bench.observer.trials_added(added)
            loop.run(list(added))
    return Ran(tuple(loop.sealed), bench.supervisor.cancelled, bench.conduct.stopped, loop.fault)


class _Loop:
    def __init__(self, bench: Bench, jobs: int) -> None:
        self.sealed: list[TrialKey] = []
        self.fault: RunIncomplete | None = None
        self._bench = bench
        self._jobs = jobs
        self._lock = threading.Lock()

    def run(self, trials: list[TrialKey]) -> None:
        """Run one group to its end."""
        if not trials or not self.goes_on():
            return
        waiting = iter(trials)
        running: set[Future[None]] = set()
        with ThreadPoolExecutor(min(self._jobs, len(trials)), thread_name_prefix="trial") as pool:
            try:
                while True:
                    while self.goes_on() and len(running) < self._jobs and (key := next(waiting, None)) is not None:
                        running.add(pool.submit(self._one, key))
                    if not running:
                        return
                    done, running = wait(running, timeout=TICK, return_when=FIRST_COMPLETED)
                    for future in done:
                        self._settle(future)
            except BaseException:
                self._bench.supervisor.cancel()
                raise

    def goes_on(self) -> bool:
        """Whether another trial may start."""
        bench = self._bench
        return self.fault is None and bench.conduct.stopped is None and not bench.supervisor.cancelled

    def _one(self, key: TrialKey) -> None:
        if not self._bench.conduct.admit():
            return
        self._bench.observer.trial_started(key)
        seen = None
        try:
            seen = execute(self._bench, key)
        finally:
            self._bench.conduct.settle(seen)
        if seen is not None:
            with self._lock:
                self.sealed.append(key)
            self._bench.observer.trial_sealed(key, told_of(seen, self._bench.conduct.spent))

    def _settle(self, future: Future[None]) -> None:
        try:
            future.result()
        except RunIncomplete as error:
            self.fault = self.fault or error


@contextmanager
def interrupts(cancel: Callable[[], None]) -> Iterator[None]:
    """While inside, SIGINT and SIGTERM call `cancel` instead of raising in the middle of a write."""

    def handle(number: int, frame: object) -> None:
        cancel()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
