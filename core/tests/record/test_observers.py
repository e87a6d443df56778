"""Observers can't change a run: what they raise is told once, and they are asked no more."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from skilltrial.model.observing import Observer, RunOutline, TrialTold
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.words import Ending
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import ObserverFacade
from skilltrial.record.observers import observing

KEY = TrialKey(case="a", arm="b", label="1")
OUTLINE = RunOutline("r", "s", "0" * 64, HostIdentity(name="h", records="r"), 1, scripted=True)


class Listener(Observer):
    def __init__(self, fails_at=None):
        self.heard, self.fails_at = [], fails_at

    def _hear(self, what):
        self.heard.append(what)
        if what == self.fails_at:
            raise RuntimeError("no reason that anybody should read")

    def trial_started(self, key):
        self._hear("trial_started")

    def turn_started(self, key, turn):
        self._hear("turn_started")

    def turn_ended(self, key, turn):
        self._hear("turn_ended")

    def trial_sealed(self, key, told):
        self._hear("trial_sealed")

    def trials_added(self, trials):
        self._hear("trials_added")


ALL = ["trial_started", "turn_started", "turn_ended", "trial_sealed", "trials_added"]


def tell(observer):
    observer.trial_started(KEY)
    observer.turn_started(KEY, 1)
    observer.turn_ended(KEY, 1)
    observer.trial_sealed(KEY, TrialTold(Ending.COMPLETED))
    observer.trials_added([KEY])


def part_of(listener, *, opens=True, closes=True):
    class Part:
        def open_observer(self, run):
            return self._open(run)

        @contextmanager
        def _open(self, run):
            assert run is OUTLINE
            if not opens:
                raise RuntimeError
            yield listener
            if not closes:
                raise RuntimeError

    return bind(ObserverFacade, "p", Part())


def test_everybody_hears_everything():
    own, named = Listener(), Listener()
    said: list[str] = []

    with observing(own, {"p": part_of(named)}, OUTLINE, said.append) as observers:
        tell(observers)

    assert own.heard == named.heard == ALL
    assert said == []


@pytest.mark.parametrize("when", ALL)
def test_one_that_raises_is_told_no_more_and_the_others_hear_on(when):
    own, named = Listener(), Listener(when)
    said: list[str] = []

    with observing(own, {"p": part_of(named)}, OUTLINE, said.append) as observers:
        tell(observers)

    assert own.heard == ALL
    assert named.heard == ALL[: ALL.index(when) + 1]
    assert said == ["observer 'p' failed and was told no more: RuntimeError"]


@pytest.mark.parametrize("part", [part_of(Listener(), opens=False), part_of(Listener(), closes=False), part_of(3)])
def test_one_that_can_not_be_opened_or_closed_changes_nothing(part):
    own = Listener()
    said: list[str] = []

    with observing(own, {"p": part}, OUTLINE, said.append) as observers:
        tell(observers)

    assert own.heard == ALL
    assert len(said) == 1


def test_what_the_run_raises_goes_on_its_way_and_everything_is_closed():
    closed: list[str] = []

    class Part:
        def open_observer(self, run):
            return self._open()

        @contextmanager
        def _open(self):
            try:
                yield Observer()
            finally:
                closed.append("closed")

    with (
        pytest.raises(KeyError),
        observing(Observer(), {"p": bind(ObserverFacade, "p", Part())}, OUTLINE, closed.append),
    ):
        raise KeyError

    assert closed == ["closed"]
