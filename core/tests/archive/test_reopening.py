"""Archives are taken up again: what was sealed stays, what was changed is refused, what was not run is run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from skilltrial.archive import layout
from skilltrial.archive.journal import Journal
from skilltrial.archive.reading import SealedTrial, open_archive
from skilltrial.archive.reopening import reopen
from skilltrial.archive.seal import verify
from skilltrial.archive.writing import ArchiveWriter
from skilltrial.model.errors import ArchiveRefused, SourceUnusable


def trial_of(root: Path, key) -> SealedTrial:
    trial = open_archive(root).trial(key)
    assert trial is not None
    return trial


def test_tries_add_up_over_several_runs(world):
    """Two tries in the first run, run anew twice: each is kept, in its order, and counted once."""
    world.whole()
    key = world.keys[0]
    for said in ("third", "fourth"):
        assert reopen(world.root, [key]) == (key,)
        writer = ArchiveWriter(world.root)
        world.seal_trial(writer, key, said)
        writer.seal()
        verify(world.root)

    trial = trial_of(world.root, key)
    assert trial.facts.tries == 4
    assert trial.answers() == ("fourth",)
    kept = [(world.root / key.path / f"tries/{number}/answers.json").read_bytes() for number in (1, 2, 3)]
    assert kept == [b'["first try"]\n', b'["second try"]\n', b'["third"]\n']
    assert not list((world.root / key.path).rglob("tries/*/seal.json"))


def test_a_trial_that_is_to_be_run_anew_and_was_not_comes_back_with_the_seal(world):
    world.whole()
    reopen(world.root, world.keys[:2])
    writer = ArchiveWriter(world.root)
    world.seal_trial(writer, world.keys[0], "again")

    writer.seal()

    verify(world.root)
    assert open_archive(world.root).sealed() == world.keys
    assert trial_of(world.root, world.keys[1]).answers() == ("hello",)
    assert reopen(world.root) == ()


def test_a_trial_that_was_begun_and_thrown_away_leaves_the_earlier_one(world):
    world.whole()
    reopen(world.root, [world.keys[0]])
    writer = ArchiveWriter(world.root)
    trial = writer.open_trial(world.keys[0], world.redactor)
    world.fill(trial, "half")
    trial.discard()

    writer.seal()

    verify(world.root)
    assert trial_of(world.root, world.keys[0]).answers() == ("second try",)


def test_what_was_never_sealed_is_run_and_only_that(world):
    writer = world.begin()
    world.seal_trial(writer, world.keys[2])
    trial = writer.open_trial(world.keys[1], world.redactor)
    trial.write(layout.ANSWERS, b"[]")

    assert reopen(world.root) == (world.keys[0], world.keys[1], world.keys[3])
    assert list((world.root / layout.UNSEALED).iterdir()) == []


def test_to_run_anew_what_was_never_sealed_is_to_run_it(world):
    writer = world.begin()
    world.seal_trial(writer, world.keys[0])

    assert reopen(world.root, [world.keys[1]]) == world.keys[1:]
    assert not (world.root / layout.EARLIER).exists()


def test_a_seal_that_never_reached_the_disk_is_no_seal(world):
    """The machine went down: the folder was moved, its bytes were not written, the journal heard nothing."""
    writer = world.begin()
    world.seal_trial(writer, world.keys[0])
    (world.root / layout.JOURNAL).unlink()
    (world.root / world.keys[0].path / layout.SEAL).write_bytes(b"")

    assert reopen(world.root) == world.keys
    assert not (world.root / world.keys[0].path).exists()


def test_a_sealed_trial_that_the_journal_did_not_hear_of_is_told_to_it(world):
    writer = world.begin()
    digest = world.seal_trial(writer, world.keys[0])
    (world.root / layout.JOURNAL).unlink()

    assert reopen(world.root) == world.keys[1:]
    assert Journal(world.root).read() == {world.keys[0].path: digest}


@pytest.mark.parametrize("name", ["host.jsonl", "files.json", "trial.json", "seal.json"])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-2])])
def test_a_trial_that_was_changed_after_its_seal_is_refused_not_run_again(world, contents, name, damage):
    writer = world.begin()
    world.seal_trial(writer, world.keys[0])
    damage(world.root / world.keys[0].path / name)
    before = contents(world.root)

    with pytest.raises(ArchiveRefused, match=r"trials/one/without_skill/1/"):
        reopen(world.root)
    assert contents(world.root) == before


def test_a_trial_that_was_sealed_anew_behind_the_journals_back_is_refused(world, make_world, tmp_path):
    """Every digest in it fits; but it is not the seal that this run made."""
    writer = world.begin()
    world.seal_trial(writer, world.keys[0])
    other = make_world(tmp_path / "other")
    other_writer = other.begin()
    other.seal_trial(other_writer, world.keys[0], "better")
    shutil.rmtree(world.root / world.keys[0].path)
    shutil.copytree(other.root / world.keys[0].path, world.root / world.keys[0].path)

    with pytest.raises(ArchiveRefused, match="not the seal that the journal names"):
        reopen(world.root)


def test_a_sealed_archive_that_was_changed_is_not_taken_up(sealed, contents):
    (sealed / "inputs/suite.source").write_bytes(b"another")
    before = contents(sealed)

    with pytest.raises(ArchiveRefused, match=r"changed: inputs/suite\.source"):
        reopen(sealed)
    assert contents(sealed) == before


@pytest.mark.parametrize("data", [None, b"", b"{", b"{}", b"\xff"])
def test_without_a_plan_there_is_nothing_to_take_up(world, data):
    world.begin()
    plan = world.root / layout.PLAN
    plan.unlink() if data is None else plan.write_bytes(data)

    with pytest.raises(ArchiveRefused, match=r"plan\.json"):
        reopen(world.root)


def test_the_report_of_the_part_that_ran_stays_under_another_name(sealed, world):
    (sealed / layout.REPORT).write_bytes(b"partial\n")

    reopen(sealed)

    assert not (sealed / layout.REPORT).exists()
    kept = list(sealed.glob("report-*.json"))
    assert [path.read_bytes() for path in kept] == [b"partial\n"]
    ArchiveWriter(sealed).seal()
    verify(sealed)


def test_an_archive_is_never_written_over_another(world, tmp_path):
    world.begin()
    with pytest.raises(SourceUnusable, match="exists and is not empty"):
        ArchiveWriter.create(world.root)

    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(SourceUnusable, match="exists and is not empty"):
        ArchiveWriter.create(file)
    with pytest.raises(SourceUnusable, match="no archive can be made"):
        ArchiveWriter.create(file / "below")
    assert file.read_text() == "mine"


@pytest.mark.parametrize("name", [".", "..", "/", "x/.."])
def test_a_folder_that_has_no_name_of_its_own_becomes_no_archive(monkeypatch, tmp_path, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceUnusable):
        ArchiveWriter.create(Path(name))
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_may_become_an_archive_and_its_files_are_the_owners(world):
    world.root.mkdir()
    world.whole()

    verify(world.root)
    assert {path.stat().st_mode & 0o777 for path in world.root.rglob("*") if path.is_file()} <= {0o600, 0o644}
    assert world.root.stat().st_mode & 0o777 == 0o700
    assert all(path.name.isascii() for path in world.root.rglob("*"))


def test_what_came_into_the_place_meanwhile_is_not_harmed(world, tmp_path):
    writer = ArchiveWriter.create(world.root)
    world.root.mkdir()
    (world.root / "mine").write_text("x")

    with pytest.raises(SourceUnusable, match="no archive can be made"):
        writer.publish(world.root)

    assert [path.name for path in tmp_path.iterdir()] == ["archive"]
    assert (world.root / "mine").read_text() == "x"


def test_two_runners_that_begin_for_one_place_do_not_write_into_each_other(world, tmp_path):
    first, second = ArchiveWriter.create(world.root), ArchiveWriter.create(world.root)
    first.write("mine", b"first")
    second.write("mine", b"second")
    second.publish(world.root)
    with pytest.raises(SourceUnusable, match="took that place meanwhile"):
        first.publish(world.root)

    assert [path.name for path in tmp_path.iterdir()] == ["archive"]
    assert (world.root / "mine").read_bytes() == b"second"


def test_what_a_runner_is_about_to_begin_stays_and_what_it_left_before_it_held_it_goes(world, tmp_path):
    dead = subprocess.Popen(["true"])
    dead.wait()
    about = tmp_path / f".archive.{os.getppid()}-0123abcd.begun"
    left = [tmp_path / f".archive.{process}-0123abcd.begun" for process in (dead.pid, os.getpid(), 10**30)]
    others = [tmp_path / name for name in (".archive.begun", ".archive.x.begun", f".archive.b.{dead.pid}-01.begun")]
    for folder in (about, *left, *others):
        folder.mkdir()

    with ArchiveWriter.begin(world.root):
        pass

    assert sorted(tmp_path.iterdir()) == sorted((about, world.root, *others))


def test_what_was_begun_in_vain_is_taken_away_and_what_a_killed_runner_left_by_the_next(world, tmp_path):
    killed = f"""
import os, signal
from pathlib import Path
from skilltrial.archive.writing import ArchiveWriter
ArchiveWriter.create(Path({str(world.root)!r}))
os.kill(os.getpid(), signal.SIGKILL)
"""
    living = ArchiveWriter.create(world.root).root
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2

    with pytest.raises(ZeroDivisionError), ArchiveWriter.begin(world.root):
        raise ZeroDivisionError

    assert list(tmp_path.iterdir()) == [living]


def test_a_trial_of_another_archive_is_taken_over_as_it_is(world, make_world, tmp_path, contents):
    world.whole()
    other = make_world(tmp_path / "other")
    writer = other.begin()

    writer.adopt(world.keys[0], world.root / world.keys[0].path)
    for key in world.keys[1:]:
        other.seal_trial(writer, key)
    writer.seal()

    verify(other.root)
    assert contents(other.root / world.keys[0].path) == contents(world.root / world.keys[0].path)
    assert set(Journal(other.root).read()) == {key.path for key in world.keys}


def test_records_that_come_after_the_seal_are_dropped(world):
    """A server's thread may still hold the recorder of a trial that has been sealed."""
    from skilltrial.model.words import Source

    writer = world.begin()
    trial = writer.open_trial(world.keys[0], world.redactor)
    world.fill(trial)
    trial.seal(world.facts(world.keys[0]))
    trial.host.record(Source.STDOUT, "too late")
    trial.model.record(Source.MODEL, "too late")
    writer.seal()

    assert b"too late" not in (world.root / world.keys[0].path / layout.HOST_RECORDS).read_bytes()
    verify(world.root)
