"""A good observer, and a broken one for each contract test."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import pytest
from matrix import broken

from skilltrial.api import Observer
from skilltrial.testing.observers import ObserverContract, ObserverSubject


class AcmeObserver:
    """Counts trials."""

    @contextmanager
    def open_observer(self, run):
        counter = self._counter(run)
        try:
            yield counter
        finally:
            self._ended(counter)

    def _counter(self, run):
        return Counter()

    def _ended(self, counter):
        counter.open.clear()


class Counter(Observer):
    """What is open, and how many trials ended in which way."""

    def __init__(self):
        self.open = set()
        self.endings = {}

    def trial_started(self, key):
        self.open.add(key)

    def trial_sealed(self, key, told):
        self.open.discard(key)
        self.endings[told.ending] = self.endings.get(told.ending, 0) + 1


def subject_of(part):
    return ObserverSubject(part)


class TestGood(ObserverContract):
    @pytest.fixture
    def subject(self):
        return subject_of(AcmeObserver())


def observer(test, part):
    broken(ObserverContract, test, lambda: subject_of(part()), globals())


class Misspelt:
    """Broken."""

    def open_observers(self, run):
        return None


class Half(AcmeObserver):
    """Broken."""

    def _counter(self, run):
        return type("Half", (), {"trial_started": lambda self, key: None, "open": set()})()


class Sums(AcmeObserver):
    """Broken."""

    def _counter(self, run):
        class Sum(Counter):
            total = 0

            def trial_sealed(self, key, told):
                self.total += told.cost

        return Sum()


class Expects(AcmeObserver):
    """Broken."""

    def _ended(self, counter):
        assert not counter.open, "a trial is open"


class Keeps(AcmeObserver):
    """Broken."""

    runs = 0

    def _counter(self, run):
        type(self).runs += 1
        assert self.runs == 1, "one run at most"
        return Counter()


class Swallows(AcmeObserver):
    """Broken."""

    @contextmanager
    def open_observer(self, run):
        try:
            yield Counter()
        except BaseException:
            pass


class Stays(AcmeObserver):
    """Broken."""

    def _ended(self, counter):
        threading.Timer(3, counter.open.clear).start()


observer("test_fits_its_hook_spec", Misspelt)
observer("test_gives_an_observer", Half)
observer("test_hears_a_whole_run", Sums)
observer("test_hears_a_run_that_breaks_off", Expects)
observer("test_hears_one_run_after_another", Keeps)
observer("test_swallows_no_interrupt", Swallows)
observer("test_leaves_no_thread_behind", Stays)
