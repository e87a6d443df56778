"""The journal survives torn lines; the lock holds one runner at a time and dies with it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from skilltrial.archive.journal import Journal
from skilltrial.archive.layout import JOURNAL, LOCK
from skilltrial.archive.lock import locked
from skilltrial.model.errors import Exit, SourceUnusable
from skilltrial.model.trial import TrialKey

ONE, TWO = (TrialKey(case=case, arm="with_skill", label="1") for case in ("one", "two"))


def test_what_was_appended_is_read(tmp_path):
    journal = Journal(tmp_path)
    assert journal.read() == {}

    journal.append(ONE, "aa")
    journal.append(TWO, "bb")

    assert Journal(tmp_path).read() == {ONE.path: "aa", TWO.path: "bb"}


def test_a_withdrawn_trial_counts_again_once_it_was_sealed_again(tmp_path):
    journal = Journal(tmp_path)
    journal.append(ONE, "aa")
    journal.withdraw(ONE)
    assert journal.read() == {}

    journal.append(ONE, "cc")
    assert journal.read() == {ONE.path: "cc"}


def test_at_whatever_byte_the_journal_was_cut_whole_lines_count_and_the_torn_one_does_not(tmp_path):
    journal = Journal(tmp_path)
    journal.append(ONE, "aa")
    first = len((tmp_path / JOURNAL).read_bytes())
    journal.append(TWO, "bb")
    data = (tmp_path / JOURNAL).read_bytes()

    for length in range(len(data) + 1):
        (tmp_path / JOURNAL).write_bytes(data[:length])
        told = Journal(tmp_path).read()
        assert (ONE.path in told) == (length >= first)
        assert (TWO.path in told) == (length == len(data))


@pytest.mark.parametrize("line", [b"", b"{", b"7", b"null", b"[]", b"{}", b'{"trial": "x"}', b"\xff\xfe", b"\0\0"])
def test_a_line_that_is_none_is_passed_over(tmp_path, line):
    journal = Journal(tmp_path)
    journal.append(ONE, "aa")
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(line + b"\n")
    journal.append(TWO, "bb")

    assert journal.read() == {ONE.path: "aa", TWO.path: "bb"}


def test_a_trial_that_is_sealed_after_a_torn_line_is_not_lost(tmp_path):
    """A run was killed in the middle of a line; the next one goes on in the same file."""
    journal = Journal(tmp_path)
    journal.append(ONE, "aa")
    (tmp_path / JOURNAL).write_bytes((tmp_path / JOURNAL).read_bytes()[:-5])

    journal.append(TWO, "bb")

    assert Journal(tmp_path).read() == {TWO.path: "bb"}


def test_many_threads_write_whole_lines(tmp_path):
    journal = Journal(tmp_path)
    keys = [TrialKey(case="one", arm="with_skill", label=str(number)) for number in range(1, 201)]

    def write(part: list[TrialKey]) -> None:
        for key in part:
            journal.append(key, "aa")

    threads = [threading.Thread(target=write, args=(keys[at::8],)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    lines = (tmp_path / JOURNAL).read_bytes().splitlines()
    assert sorted(json.loads(line)["trial"] for line in lines) == sorted(key.path for key in keys)


HOLDER = """
import sys, time
from pathlib import Path
from skilltrial.archive.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def holder(root: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(root)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_runner_is_refused_until_the_first_one_is_gone_however_it_went(tmp_path):
    with holder(tmp_path) as process:
        with pytest.raises(SourceUnusable, match="written by another runner") as caught, locked(tmp_path):
            pytest.fail("two runners on one archive")
        assert caught.value.exit is Exit.INVALID

        process.send_signal(signal.SIGKILL)
        process.wait()
        with locked(tmp_path):
            assert (tmp_path / LOCK).exists()
    assert not (tmp_path / LOCK).exists()


def test_a_runner_that_fails_gives_the_lock_back(tmp_path):
    with pytest.raises(RuntimeError), locked(tmp_path):
        raise RuntimeError

    with locked(tmp_path):
        pass


def test_a_program_that_a_runner_started_does_not_hold_its_lock(tmp_path):
    """What an agent leaves behind must not keep the archive from being taken up."""
    with locked(tmp_path):
        left = subprocess.Popen(["sleep", "30"])
    try:
        with locked(tmp_path):
            pass
    finally:
        left.kill()
        left.wait()


def test_a_lock_on_a_file_that_has_lost_its_name_is_no_lock(tmp_path, monkeypatch):
    """We opened the file, its holder ended and removed it, a third one made its own: both would believe to hold it."""
    open_ = os.open

    def slow(path, *rest):
        descriptor = open_(path, *rest)
        Path(path).unlink()
        return descriptor

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", slow)
        with pytest.raises(SourceUnusable, match="try again"), locked(tmp_path):
            pytest.fail("a lock without a name")

    with locked(tmp_path):
        pass


@pytest.mark.parametrize("kind", ["missing", "a file"])
def test_where_no_lock_can_be_made_it_is_said_in_a_sentence(tmp_path, kind):
    root = tmp_path / "archive"
    if kind == "a file":
        root.write_text("")

    with pytest.raises(SourceUnusable, match="can't be written"), locked(root):
        pytest.fail("locked nothing")
