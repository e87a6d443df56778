"""Sealed trials that are run anew: set aside until their successor is sealed, which keeps them as earlier tries."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from skilltrial.model.trial import TrialKey

from . import layout


def folder_of(root: Path, key: TrialKey) -> Path:
    """Where a trial waits for its successor."""
    return root / layout.EARLIER / key.path.replace("/", "~")


def set_aside(root: Path, key: TrialKey) -> None:
    """Take a sealed trial out of its place."""
    target = folder_of(root, key)
    target.parent.mkdir(exist_ok=True)
    (root / key.path).rename(target)


def restore(root: Path) -> bool:
    """Put back every trial that no successor has replaced; forget the others: their successors hold them.

    Returns whether any were waiting.
    """
    waiting = root / layout.EARLIER
    if not waiting.is_dir():
        return False
    for folder in sorted(waiting.iterdir()):
        place = root / folder.name.replace("~", "/")
        if place.exists():
            shutil.rmtree(folder)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            folder.rename(place)
    waiting.rmdir()
    return True


def tries_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files of a set-aside trial by their names in its successor: its own tries, then itself as the next one."""
    tries = folder / layout.TRIES
    done = sorted(int(one.name) for one in tries.iterdir()) if tries.is_dir() else []
    last = (done[-1] if done else 0) + 1
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or name == layout.SEAL:
            continue
        yield (name if name.startswith(f"{layout.TRIES}/") else f"{layout.TRIES}/{last}/{name}"), path
