"""Where archives lie by default, and what `last` means."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from skilltrial.archive.layout import PLAN
from skilltrial.archive.reading import SealedArchive
from skilltrial.model.errors import ArchiveRefused, InvalidRequest, SourceUnusable
from skilltrial.model.trial import TrialKey

SHOWN = 6
"""So many trials are named where one was meant."""
RUNS = Path(".skilltrial") / "runs"


def default_out(suite: str, now: datetime) -> Path:
    """A new folder's name for a run: `.skilltrial/runs/SUITE-TIME`, numbered where the second is taken."""
    name = f"{suite}-{now:%Y%m%d-%H%M%S}"
    path, more = RUNS / name, 1
    while path.exists() or any(RUNS.glob(f".{path.name}.*.begun")):
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


def find_trial(argument: str) -> tuple[Path, TrialKey | None]:
    """The archive that `RUN` names, and the trial of `RUN/CASE/ARM/N`; `last` may stand for RUN. Raises ArchiveRefused.

    A trial's folder in the archive (`RUN/trials/CASE/ARM/N`) is one way to name it.
    """
    if argument == "last" or (not argument.startswith("last/") and (Path(argument) / PLAN).is_file()):
        return find_archive(argument), None
    run, *rest = argument.rstrip("/").rsplit("/", 3)
    if len(rest) != len(TrialKey.model_fields):
        return find_archive(argument), None
    case, arm, label = rest
    root = find_archive(run.removesuffix("/trials") or "/")
    try:
        return root, TrialKey(case=case, arm=arm, label=label)
    except ValueError:
        raise ArchiveRefused(
            f"{argument} names no trial: RUN/CASE/ARM/N is needed, such as last/greet/with_skill/1"
        ) from None


def known_trial(archive: SealedArchive, key: TrialKey | None) -> None:
    """Raise InvalidRequest where the archive never planned the trial; it names those that it has."""
    planned = [*archive.plan.trials, *(skip.key for skip in archive.plan.skips)]
    if key is None or key in planned:
        return
    known = sorted(one.path.partition("/")[2] for one in planned)
    shown = ", ".join(known[:SHOWN]) + (" ..." if len(known) > SHOWN else "")
    raise InvalidRequest(f"{archive.root} has no trial {key.path.partition('/')[2]}; it has: {shown}")
