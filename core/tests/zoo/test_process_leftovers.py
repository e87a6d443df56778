"""Nothing outlives a program, whatever its descendants do to hide."""

from __future__ import annotations

import os
import signal
import time

import pytest

from skilltrial.model.notes import Leftovers, LimitHit
from skilltrial.model.suite import Limits
from skilltrial.model.words import Source
from skilltrial.record.programs.running import Running


@pytest.mark.parametrize(
    ("animal", "least"),
    [("forks", 1), ("double_forks", 1), ("own_session", 1), ("scrubs", 1), ("many_children", 40), ("respawns", 2)],
)
def test_nothing_outlives_a_program_that_ended_by_itself(zoo, animal: str, least: int) -> None:
    finished, kept = zoo.run(animal)
    begun = time.monotonic()
    assert zoo.survivors() == []
    assert time.monotonic() - begun < 1
    assert finished.code == 0
    assert kept.leftovers is not None
    assert kept.leftovers.ended >= least
    assert (kept.leftovers.unstopped, kept.leftovers.attributed) == (0, True)


def test_a_leftover_that_ignores_term_is_killed_within_a_second(zoo) -> None:
    begun = time.monotonic()
    _, kept = zoo.run("leaves_a_deaf_child")
    assert kept.leftovers == Leftovers(ended=1)
    assert time.monotonic() - begun < 2
    assert zoo.survivors() == []


def test_a_leftover_can_not_write_after_the_end(zoo) -> None:
    _, kept = zoo.run("writes_after_exit")
    seen = list(kept.lines)
    time.sleep(0.4)
    assert kept.lines == seen == [(Source.STDOUT, "in time")]


def test_nothing_outlives_a_time_limit(zoo) -> None:
    zoo.run("hides_and_returns", "300", limits=Limits(seconds=1))
    assert zoo.survivors() == []


def test_a_program_that_dies_just_when_it_is_ended_ends_as_any_other(zoo, monkeypatch) -> None:
    # given: a program that is dead already when the signal is sent
    send = Running.send

    def late(running: Running, number: signal.Signals) -> None:
        os.kill(running.process.pid, signal.SIGKILL)
        while not running.exited():
            time.sleep(0.001)
        send(running, number)

    monkeypatch.setattr(Running, "send", late)
    finished, kept = zoo.run("hangs", limits=Limits(seconds=1))
    assert finished.ending == LimitHit(limit="seconds", value=1)
    assert kept.leftovers is None


def test_a_program_without_children_leaves_no_note(zoo) -> None:
    _, kept = zoo.run("reads_nothing")
    assert kept.leftovers is None


@pytest.mark.parametrize("animal", ["hangs", "hides_and_prints"])
def test_a_recorder_that_breaks_ends_the_program_and_is_heard(zoo, monkeypatch, animal) -> None:
    kept = zoo.kept()

    def full(source: Source, raw: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept, "record", full)
    with pytest.raises(OSError, match="No space"):
        zoo.run(animal, recorder=kept)
    assert zoo.survivors() == []
