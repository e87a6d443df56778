"""Who is told how a run goes: the progress display, and observers that were named. None of them can change it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from skilltrial.model.errors import SkilltrialError
from skilltrial.model.observing import Observer, RunOutline, TrialTold
from skilltrial.model.trial import TrialKey
from skilltrial.plugins.facades import ObserverFacade


@dataclass
class Observers(Observer):
    """Tells all of them, one at a time. One that raises is left out from then on, and `faults` says so."""

    told: dict[str, Observer]
    faults: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def trial_started(self, key: TrialKey) -> None:
        """See Observer."""
        self._tell(lambda one: one.trial_started(key))

    def turn_started(self, key: TrialKey, turn: int) -> None:
        """See Observer."""
        self._tell(lambda one: one.turn_started(key, turn))

    def turn_ended(self, key: TrialKey, turn: int) -> None:
        """See Observer."""
        self._tell(lambda one: one.turn_ended(key, turn))

    def trial_sealed(self, key: TrialKey, told: TrialTold) -> None:
        """See Observer."""
        self._tell(lambda one: one.trial_sealed(key, told))

    def trials_added(self, trials: Sequence[TrialKey]) -> None:
        """See Observer."""
        self._tell(lambda one: one.trials_added(trials))

    def _tell(self, how: Callable[[Observer], None]) -> None:
        with self._lock:
            for name, one in list(self.told.items()):
                try:
                    how(one)
                except (Exception, SystemExit) as error:  # noqa: BLE001 - it must not change the run
                    del self.told[name]
                    self.faults.append(_fault(name, error))


@contextmanager
def observing(
    own: Observer, named: Mapping[str, ObserverFacade], outline: RunOutline, say: Callable[[str], None]
) -> Iterator[Observers]:
    """Open the observers that were named, beside our `own`. `say` tells what became of them when all is over."""
    observers = Observers({"": own})
    closing = ExitStack()
    for name, facade in named.items():
        try:
            observers.told[name] = closing.enter_context(_Kept(name, facade, outline, observers.faults).open())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - it must not change the run
            observers.faults.append(_fault(name, error))
    try:
        yield observers
    finally:
        closing.close()
        for fault in observers.faults:
            say(fault)


@dataclass(frozen=True)
class _Kept:
    """An observer whose end can't become the run's."""

    name: str
    facade: ObserverFacade
    outline: RunOutline
    faults: list[str]

    @contextmanager
    def open(self) -> Iterator[Observer]:
        context = self.facade.open_observer(self.outline)
        observer: object = context.__enter__()
        if not isinstance(observer, Observer):
            context.__exit__(None, None, None)
            raise TypeError("open_observer must give an Observer")
        try:
            yield observer
        finally:
            try:
                context.__exit__(None, None, None)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - it must not change the run
                self.faults.append(_fault(self.name, error))


def _fault(name: str, error: BaseException) -> str:
    """What is said of an observer that failed. An error of ours has a sentence; any other only its name."""
    why = str(error) if isinstance(error, SkilltrialError) else type(error).__name__
    return f"observer {name!r} failed and was told no more: {why}" if name else f"the progress display failed: {why}"
