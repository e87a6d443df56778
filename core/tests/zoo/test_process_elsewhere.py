"""Where there is no `/proc`, no memfd, no pidfd and no subreaper, less is certain, and it is said what."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.notes import Exited, LimitHit
from skilltrial.model.suite import Limits
from skilltrial.model.words import Source
from skilltrial.record.programs import family, linux, supervisor


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that has what POSIX has, and `ps`."""
    if shutil.which("ps") is None:
        pytest.skip("needs ps")
    monkeypatch.setattr(linux, "HERE", False)


@pytest.fixture
def zoo(elsewhere, zoo):
    """The zoo on such a system."""
    return zoo


def test_programs_run_and_end_as_on_linux(zoo) -> None:
    finished, kept = zoo.run("no_final_newline")
    assert finished.ending == Exited(code=0)
    assert kept.of(Source.STDOUT) == ["one", "two"]
    assert zoo.run("exits_three")[0].code == 3
    assert zoo.run("kills_itself")[0].code == -signal.SIGKILL


def test_limits_hold(zoo) -> None:
    assert zoo.run("ignores_term", limits=Limits(seconds=1))[0].ending == LimitHit(limit="seconds", value=1)
    flood = zoo.run("floods_without_end", limits=Limits(stdout=100_000))[0]
    assert flood.ending == LimitHit(limit="stdout", value=100_000)


@pytest.mark.parametrize("animal", ["forks", "double_forks", "writes_after_exit"])
def test_the_process_group_is_ended(zoo, animal) -> None:
    _, kept = zoo.run(animal)
    assert kept.leftovers.ended == 1
    assert zoo.survivors() == []


def test_what_was_seen_as_a_descendant_is_ended_in_its_own_session_too(zoo) -> None:
    _, kept = zoo.run("own_session_slowly")
    assert kept.leftovers.ended == 1
    assert zoo.survivors() == []


def test_ps_tells_what_proc_tells(monkeypatch) -> None:
    if shutil.which("ps") is None:
        pytest.skip("needs ps")
    us = family.table()[os.getpid()]
    monkeypatch.setattr(linux, "HERE", False)
    told = family.table()[os.getpid()]
    assert (told.pid, told.parent, told.group, told.alive) == (us.pid, us.parent, us.group, True)
    assert abs(told.born - time.time()) < 86_400


def test_what_is_lost_is_said(monkeypatch) -> None:
    monkeypatch.setattr(linux, "HERE", False)
    assert len(supervisor.losses()) == 3
    monkeypatch.setattr(linux, "HERE", True)
    assert supervisor.losses() == ()


def test_windows_is_refused_by_one_sentence(monkeypatch) -> None:
    monkeypatch.setattr(os, "name", "nt")
    with pytest.raises(InvalidRequest, match="Linux or macOS"):
        supervisor.Supervisor().__enter__()


def test_the_modules_import_without_posix(monkeypatch) -> None:
    """What only POSIX has is asked for when it is used, not when a module is read."""
    hidden = ("memfd_create", "pidfd_open", "waitid", "killpg", "getsid", "P_PIDFD", "WEXITED", "pread", "pwrite")
    hide = "import os, select, signal, sys\n" + "".join(f"del os.{name}\n" for name in hidden)
    hide += "del select.poll, signal.SIGKILL\nsys.modules['fcntl'] = None\nimport skilltrial.record.programs.supervisor"
    subprocess.run([sys.executable, "-c", hide], check=True, cwd=Path("/"))
