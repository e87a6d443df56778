"""Many programs at once: stopped together, undisturbed by each other, their orphans told apart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from skilltrial.model.notes import Interrupted, Leftovers
from skilltrial.model.suite import Limits
from skilltrial.model.words import Source
from skilltrial.record.programs.supervisor import Supervisor

ANIMAL = Path(__file__).parent / "animal.py"


def test_cancel_ends_all_programs_soon_and_starts_none_any_more(zoo) -> None:
    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(zoo.run, animal) for animal in ["hangs"] * 6 + ["ignores_term", "hides_and_returns"]]
        while len(zoo.survivors()) < 7:
            time.sleep(0.01)
        begun = time.monotonic()
        zoo.supervisor.cancel()
        endings = [future.result()[0].ending for future in running]
        took = time.monotonic() - begun
    assert endings[:7] == [Interrupted()] * 7
    assert took < 3
    finished, kept = zoo.run("exits_three")
    assert (finished.ending, kept.notes) == (Interrupted(), [Interrupted()])


def test_cancel_may_come_from_a_signal_handler(zoo) -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: zoo.supervisor.cancel())
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
        finished, _ = zoo.run("hangs")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert finished.ending == Interrupted()


def test_thirty_two_at_once_do_not_disturb_each_other(zoo) -> None:
    def agent(number: int) -> tuple[int | None, list[str], Leftovers | None]:
        script = f"echo {number}; sleep 0.3; echo end; {'sleep 300 &' if number % 4 == 0 else ''} exit {number}"
        with zoo.elsewhere() as place:
            finished, kept = place.start(("/bin/sh", "-c", script))
        return finished.code, kept.of(Source.STDOUT), kept.leftovers

    with ThreadPoolExecutor(32) as pool:
        results = list(pool.map(agent, range(64)))
    for number, (code, lines, leftovers) in enumerate(results):
        assert (code, lines) == (number, [str(number), "end"])
        assert leftovers == (Leftovers(ended=1) if number % 4 == 0 else None)


def test_a_leftover_of_another_trial_that_still_runs_is_left_alone(zoo) -> None:
    script = "(setsid sh -c 'sleep 0.8; echo served' &); sleep 1.2; echo end"
    with zoo.elsewhere() as other, ThreadPoolExecutor(1) as pool:
        server = pool.submit(other.start, ("/bin/sh", "-c", script))
        time.sleep(0.3)
        for _ in range(5):
            assert zoo.run("own_session")[1].leftovers == Leftovers(ended=1)
        _, kept = server.result()
    assert kept.of(Source.STDOUT) == ["served", "end"]


def test_an_orphan_seen_before_it_hid_is_attributed_among_many(zoo) -> None:
    with ThreadPoolExecutor(3) as pool, zoo.elsewhere() as one, zoo.elsewhere() as two:
        others = [pool.submit(place.start, ("/bin/sleep", "1.2")) for place in (one, two)]
        time.sleep(0.1)
        _, kept = zoo.run("scrubs_slowly")
        assert zoo.survivors() == []
        assert kept.leftovers == Leftovers(ended=1)
        assert [future.result()[1].leftovers for future in others] == [None, None]


def test_an_orphan_that_nobody_can_be_told_to_own_ends_with_the_last_that_may(zoo) -> None:
    with ThreadPoolExecutor(1) as pool, zoo.elsewhere() as place:
        over, begun = place.folders.tmp / "over", place.folders.tmp / "begun"
        other = pool.submit(
            place.start, ("/bin/sh", "-c", f"touch {begun}; while [ ! -e {over} ]; do sleep 0.05; done")
        )
        while not begun.exists():
            time.sleep(0.01)
        try:
            _, kept = zoo.run("hides_and_returns", "0.3")
            # then: it could be the other trial's, so it lives, and both say that they are in doubt
            assert kept.leftovers == Leftovers(ended=0, attributed=False)
            assert len(zoo.survivors()) == 1
        finally:
            over.touch()
        assert other.result()[1].leftovers == Leftovers(ended=1, attributed=False)
        assert zoo.survivors() == []


def test_many_that_hide_at_once_leave_nothing_when_all_have_ended(zoo) -> None:
    def agent(_: int) -> Leftovers | None:
        with zoo.elsewhere() as place:
            return place.run("scrubs")[1].leftovers

    with ThreadPoolExecutor(8) as pool:
        leftovers = list(pool.map(agent, range(24)))
    assert zoo.survivors() == []
    assert sum(note.ended for note in leftovers if note is not None) >= 24
    assert not any(note.unstopped for note in leftovers if note is not None)


def test_our_own_helpers_are_not_taken_for_orphans(zoo) -> None:
    with ThreadPoolExecutor(1) as pool:
        trial = pool.submit(zoo.run, "hides_and_returns", "0.3")
        time.sleep(0.15)
        # when: one of us starts a helper while a trial runs that leaves something behind
        helper = subprocess.Popen(["/bin/sleep", "300"])
        try:
            assert trial.result()[1].leftovers == Leftovers(ended=1)
            assert helper.poll() is None
        finally:
            helper.kill()
            helper.wait()


def test_what_is_left_at_the_end_of_a_run_is_swept(zoo) -> None:
    # given: an orphan that comes to us from a program of no trial
    animal = (sys.executable, "-S", str(ANIMAL), "scrubs", zoo.marker)
    with Supervisor():
        subprocess.run(animal, stdin=subprocess.DEVNULL, check=True)
        assert len(zoo.survivors()) == 1
    assert zoo.survivors() == []


def test_a_supervisor_starts_nothing_outside_its_with(zoo) -> None:
    with pytest.raises(RuntimeError, match="inside its `with`"):
        Supervisor().launcher(Limits(), zoo.folders)
