"""Where archives lie by default, and what `last` means."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from skilltrial.archive.layout import PLAN
from skilltrial.model.errors import ArchiveRefused, SourceUnusable

RUNS = Path(".skilltrial") / "runs"


def default_out(suite: str, now: datetime) -> Path:
    """A new folder's name for a run: `.skilltrial/runs/SUITE-TIME`, numbered where the second is taken."""
    name = f"{suite}-{now:%Y%m%d-%H%M%S}"
    path, more = RUNS / name, 1
    while path.exists():
        more += 1
        path = RUNS / f"{name}-{more}"
    return path


def keep_out_of_git(out: Path) -> None:
    """Make `.skilltrial/` with a `.gitignore` of its own, where the archive goes there."""
    if RUNS not in out.parents:
        return
    try:
        RUNS.mkdir(mode=0o700, parents=True, exist_ok=True)
        ignore = RUNS.parent / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")
    except OSError as error:
        raise SourceUnusable(f"{RUNS} can't be made: {error.strerror}; name another folder with --out") from error


def find_archive(argument: str) -> Path:
    """The folder that an argument names; `last` is the newest run. Raises ArchiveRefused."""
    if argument != "last":
        root = Path(argument)
        if not root.is_dir():
            raise ArchiveRefused(f"{argument} is no archive: there is no such folder")
        return root
    runs = [path for path in RUNS.glob("*") if (path / PLAN).is_file()] if RUNS.is_dir() else []
    if not runs:
        raise ArchiveRefused(f"there is no last run: {RUNS} holds none; name the archive's folder")
    return max(runs, key=lambda path: ((path / PLAN).stat().st_mtime_ns, path.name))
