"""The contract of observers: give the observer; the runs that it is told of are the kit's own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import pytest

from skilltrial.model.observing import Observer, RunOutline, TrialTold
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Cause, Ending, Owner
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import ObserverFacade
from skilltrial.plugins.kinds import OBSERVER

from .contracts import Contract, demand, documented

KEYS = tuple(TrialKey(case="kit", arm=arm, label="1") for arm in ("without_skill", "with_skill"))
TOLD = (
    TrialTold(Ending.COMPLETED, input=120, output=34, cost=Decimal("0.25"), spent=Decimal("0.25")),
    TrialTold(Ending.HOST_FAILED, Cause.RATE_LIMIT, Owner.MODEL),
)


@dataclass(frozen=True)
class ObserverSubject:
    """An observer, made with its options. What it sends goes nowhere but to the test."""

    part: object


class ObserverContract(Contract):
    """What every observer must do. Give `subject`, an ObserverSubject."""

    kind = OBSERVER

    @pytest.fixture
    def observer(self, subject: ObserverSubject) -> ObserverFacade:
        """The observer, held to its hook spec."""
        return bind(ObserverFacade, "subject", subject.part)

    def test_fits_its_hook_spec(self, subject: ObserverSubject) -> None:
        """One hook; the class says where it tells what."""
        bind(ObserverFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_gives_an_observer(self, observer: ObserverFacade) -> None:
        """What the context gives has every method that is called."""
        with observer.open_observer(outline()) as told:
            lacking = [name for name in vars(Observer) if not name.startswith("_") and not hasattr(told, name)]
        demand(not lacking, f"the observer lacks {', '.join(lacking)}; make it a subclass of Observer")

    def test_hears_a_whole_run(self, observer: ObserverFacade) -> None:
        """Also of trials that tell no numbers, and of trials that are added: never an exception."""
        _heard(observer, "a whole run", _whole)

    def test_hears_a_run_that_breaks_off(self, observer: ObserverFacade) -> None:
        """A trial begins and is never sealed, a turn never ends."""
        _heard(observer, "a run that broke off", _broken_off)

    def test_hears_one_run_after_another(self, observer: ObserverFacade) -> None:
        """Nothing is left of the run before."""
        for _ in range(2):
            _heard(observer, "a second run", _whole)

    def test_swallows_no_interrupt(self, observer: ObserverFacade) -> None:
        """What ends a run goes on through its context: an observer changes neither result nor exit code."""
        went_on = False
        try:
            with observer.open_observer(outline()):
                _interrupt()
        except KeyboardInterrupt:
            went_on = True
        demand(went_on, "the observer's context swallowed an interrupt")

    def test_leaves_no_thread_behind(self, observer: ObserverFacade) -> None:
        """When its context is left it has told all, and nothing of it runs."""
        before = set(threading.enumerate())
        _heard(observer, "a whole run", _whole)
        left = [one for one in threading.enumerate() if one not in before and not one.daemon and one.is_alive()]
        demand(not left, f"threads outlived the run: {', '.join(one.name for one in left)}")


def outline() -> RunOutline:
    """The run that observers of the kit are told of."""
    return RunOutline("0123456789abcdef", "kit", "0" * 64, HostIdentity(name="kit", records="kit"), 2, scripted=False)


def _interrupt() -> None:
    raise KeyboardInterrupt


def _whole(told: Observer) -> None:
    for key, sealed in zip(KEYS, TOLD, strict=True):
        told.trial_started(key)
        told.turn_started(key, 1)
        told.turn_ended(key, 1)
        told.trial_sealed(key, sealed)
    told.trials_added((TrialKey(case="kit", arm="with_skill", label="2"),))


def _broken_off(told: Observer) -> None:
    told.trial_started(KEYS[0])
    told.turn_started(KEYS[0], 1)
    told.trial_started(KEYS[1])


def _heard(observer: ObserverFacade, what: str, run: Callable[[Observer], None]) -> None:
    try:
        with observer.open_observer(outline()) as told:
            run(told)
    except Exception as error:
        raise AssertionError(f"{what} raised {type(error).__name__}: {error}") from error
