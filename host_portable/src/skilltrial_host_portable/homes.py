"""The home folder that a command gets: fresh, a copy of a folder, or the operator's own."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from skilltrial.api import Place


def ambient(home: str) -> tuple[str, ...]:
    """What of the operator's state a trial with this kind of home can see, in words for the report."""
    if home == "own":
        return ("the operator's own home folder",)
    return () if home == "fresh" else ("a copy of a home folder that the operator chose",)


def home_of(home: str, place: Place) -> Path:
    """Make the home folder of a trial ready and say where it is. Raises OSError where it can't be copied.

    In a rehearsal it is always the fresh one: where no provider is asked, no credential is lent.
    """
    if home == "fresh" or not place.live:
        return place.home
    if home == "own":
        return Path.home()
    shutil.copytree(home.removeprefix("copy:"), place.home, symlinks=True, ignore=_no_files, dirs_exist_ok=True)
    return place.home


def _no_files(folder: str, names: Sequence[str]) -> set[str]:
    """What has nothing to copy: sockets, pipes and devices, such as an agent of keys leaves in a home."""
    paths = ((name, Path(folder, name)) for name in names)
    return {name for name, path in paths if not (path.is_symlink() or path.is_dir() or path.is_file())}
