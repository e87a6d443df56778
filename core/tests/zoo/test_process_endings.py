"""Each program ends in one named ending, and says why."""

from __future__ import annotations

import os
import signal
import time

import pytest

from skilltrial.model.notes import Exited, LimitHit, Spawned, Unavailable
from skilltrial.model.suite import Limits
from skilltrial.model.trial import Command, Finished
from skilltrial.model.words import Source


def test_a_program_that_ends_by_itself_has_its_exit_code(zoo) -> None:
    finished, kept = zoo.run("exits_three")
    assert finished == Finished(Exited(code=3))
    assert [type(note) for note in kept.notes] == [Spawned, Exited]


def test_a_program_killed_by_a_signal_has_a_negative_exit_code(zoo) -> None:
    finished, _ = zoo.run("kills_itself")
    assert finished.code == -signal.SIGKILL


def test_a_program_whose_leading_thread_ends_is_watched_to_its_real_end(zoo) -> None:
    finished, kept = zoo.run("vanishing_leader")
    assert (finished.code, kept.of(Source.STDOUT)) == (7, ["went on"])


@pytest.mark.parametrize("animal", ["hangs", "ignores_term", "stops_itself"])
def test_the_time_limit_ends_a_program_that_does_not_end(zoo, animal: str) -> None:
    begun = time.monotonic()
    finished, kept = zoo.run(animal, limits=Limits(seconds=1))
    assert finished == Finished(LimitHit(limit="seconds", value=1))
    assert finished.code is None
    assert kept.notes[-1] == finished.ending
    assert 1 <= time.monotonic() - begun < 3


def test_a_program_may_tidy_up_when_its_time_is_over(zoo) -> None:
    finished, kept = zoo.run("tidies_up_on_term", limits=Limits(seconds=1))
    assert isinstance(finished.ending, LimitHit)
    assert kept.of(Source.STDOUT) == ["here", "tidied"]


def test_the_time_limit_is_for_all_programs_of_a_trial(zoo) -> None:
    launcher = zoo.supervisor.launcher(Limits(seconds=1), zoo.folders)
    kept = zoo.kept()
    command = Command(("/bin/sh", "-c", "sleep 0.7; echo done"), zoo.folders.project, {"PATH": os.environ["PATH"]})
    begun = time.monotonic()
    assert launcher.run(command, kept).code == 0
    assert isinstance(launcher.run(command, kept).ending, LimitHit)
    assert isinstance(launcher.run(command, kept).ending, LimitHit)
    assert time.monotonic() - begun < 1.5
    assert kept.of(Source.STDOUT) == ["done"]


def test_the_output_limit_is_for_all_programs_of_a_trial(zoo) -> None:
    launcher = zoo.supervisor.launcher(Limits(stdout=10), zoo.folders)
    kept = zoo.kept()
    command = Command(("/bin/echo", "12345"), zoo.folders.project, {})
    endings = [launcher.run(command, kept).ending for _ in range(2)]
    assert endings == [Exited(code=0), LimitHit(limit="stdout", value=10)]
    assert kept.of(Source.STDOUT) == ["12345", "1234"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("no-such-program", "missing"),
        ("./no-such-file", "missing"),
        ("./plain.txt", "not_executable"),
        ("./folder", "not_a_program"),
        ("./no-shebang", "not_a_program"),
        ("./lost-interpreter", "not_a_program"),
    ],
)
def test_a_program_that_can_not_be_started_is_unavailable_for_a_reason(zoo, name: str, why: str) -> None:
    project = zoo.folders.project
    (project / "plain.txt").write_text("text")
    (project / "folder").mkdir()
    for script, text in (("no-shebang", "just text\n"), ("lost-interpreter", "#!/no/such/interpreter\n")):
        (project / script).write_text(text)
        (project / script).chmod(0o755)
    finished, kept = zoo.start((name,))
    assert finished == Finished(Unavailable(why=why))  # type: ignore[arg-type]
    assert kept.notes == [finished.ending]


@pytest.mark.parametrize("argument", ["x" * 3_000_000, "nul \0 in it"], ids=["too long", "with a NUL"])
def test_an_argument_that_the_system_refuses_is_unavailable(zoo, argument: str) -> None:
    finished, _ = zoo.start(("/bin/true", argument))
    assert finished.ending == Unavailable(why="system")


def test_a_place_that_vanished_is_told_from_a_missing_program(zoo) -> None:
    zoo.folders.project.rmdir()
    finished, _ = zoo.start(("/bin/true",))
    zoo.folders.project.mkdir()
    assert finished.ending == Unavailable(why="place_gone")
