"""Killed at any step, an archive is taken up again: nothing that was sealed is lost, nothing is there twice."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from skilltrial.archive import layout
from skilltrial.archive.journal import Journal
from skilltrial.archive.reading import SealedTrial, open_archive
from skilltrial.archive.reopening import reopen
from skilltrial.archive.seal import verify
from skilltrial.archive.writing import ArchiveWriter

State = tuple[frozenset[str], dict[str, bytes]]
"""Folders, and files with their bytes: what a killed process leaves on the disk."""

CHANGES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}


class Camera:
    """Takes a picture of a folder before each change to it, as Python itself reports changes."""

    def __init__(self) -> None:
        self.root: Path | None = None
        self.states: list[State] = []
        self._busy = False
        sys.addaudithook(self._look)

    def _look(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.root is None or self._busy or event not in CHANGES:
            return
        if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & 0o3):
            return
        self._busy = True
        try:
            state = picture(self.root)
            if not self.states or self.states[-1] != state:
                self.states.append(state)
        finally:
            self._busy = False

    @contextmanager
    def on(self, root: Path) -> Iterator[list[State]]:
        self.root, self.states = root, []
        try:
            yield self.states
            self.states.append(picture(root))
        finally:
            self.root = None


def picture(root: Path) -> State:
    every = list(root.rglob("*"))
    return (
        frozenset(path.relative_to(root).as_posix() for path in every if path.is_dir()),
        {path.relative_to(root).as_posix(): path.read_bytes() for path in every if path.is_file()},
    )


def restore(state: State, root: Path) -> None:
    folders, files = state
    root.mkdir()
    for folder in sorted(folders):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def torn(states: list[State]) -> Iterator[State]:
    """Every state, and those in which a file that was just being written holds only a part of its bytes."""
    before: dict[str, bytes] = states[0][1]
    for folders, files in states:
        yield folders, files
        moved = set(before.values())
        for name, data in files.items():
            if data == before.get(name) or data in moved:
                continue
            old = before[name] if name == layout.JOURNAL and name in before else b""
            for length in sorted({len(old), (len(old) + len(data)) // 2, len(data) - 1}):
                yield folders, {**files, name: data[:length]}
        before = files


@pytest.fixture(scope="module")
def camera() -> Camera:
    return Camera()


def finish(world, root: Path, said: str) -> ArchiveWriter:
    """What `run --resume` does: run what is lacking, and seal."""
    todo = reopen(root)
    writer = ArchiveWriter(root)
    for key in todo:
        world.seal_trial(writer, key, said)
    writer.seal()
    return writer


def trial_of(root: Path, key) -> SealedTrial:
    trial = open_archive(root).trial(key)
    assert trial is not None
    return trial


def told(root: Path) -> set[str]:
    """The trials of which the user heard that they were sealed."""
    return set(Journal(root).read())


def test_a_run_that_was_killed_at_any_step_is_finished_by_the_next(make_world, tmp_path, camera):
    world = make_world(tmp_path / "archive", cases=("one",))
    writer = world.begin()
    with camera.on(world.root) as states:
        for key in world.keys:
            world.seal_trial(writer, key, "first run")
        writer.seal()

    seen = 0
    for number, state in enumerate(torn(states)):
        root = tmp_path / f"killed-{number}"
        restore(state, root)
        before = told(root)
        whole = {key for key in world.keys if (root / key.path / layout.SEAL).is_file() and key.path in before}

        finish(world, root, "second run")

        verify(root)
        assert open_archive(root).sealed() == world.keys
        for key in world.keys:
            trial = trial_of(root, key)
            assert trial.answers() in {("first run",), ("second run",)}
            assert trial.facts.tries == 1
            if key in whole:
                assert trial.answers() == ("first run",), "a sealed trial was run again"
        shutil.rmtree(root)
        seen += 1
    assert seen > 60


def test_a_trial_that_is_run_anew_is_never_lost_wherever_the_run_was_killed(make_world, tmp_path, camera):
    """From the moment it is asked for until the new seal: the old one is there, or the new one that holds it."""
    world = make_world(tmp_path / "archive", cases=("one",))
    writer = world.begin()
    for key in world.keys:
        world.seal_trial(writer, key, "old")
    writer.seal()
    again = world.keys[0]
    with camera.on(world.root) as states:
        todo = reopen(world.root, [again])
        writer = ArchiveWriter(world.root)
        assert todo == (again,)
        world.seal_trial(writer, again, "new")
        writer.seal()

    seen = 0
    for number, state in enumerate(torn(states)):
        root = tmp_path / f"killed-{number}"
        restore(state, root)
        assert again not in reopen(root), "the sealed trial was there all the time"
        # Killed once more right after: nothing changes.
        writer = finish(world, root, "never run")

        verify(root)
        assert not (root / layout.EARLIER).exists()
        trial = trial_of(root, again)
        assert trial.answers() in {("old",), ("new",)}
        if trial.answers() == ("new",):
            assert trial.facts.tries == 2
            assert b'"old"' in (root / again.path / "tries/1/answers.json").read_bytes()
        else:
            assert trial.facts.tries == 1
        assert trial_of(root, world.keys[1]).answers() == ("old",)
        shutil.rmtree(root)
        seen += 1
    assert seen > 60
