"""Checks on what changed between the listing before and the listing after."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, ClassVar

from pydantic import Field, Strict

from skilltrial.api import Change, ChangeKind, CheckOptions, CheckResult, Evidence, FileKind, Files
from skilltrial.checks.wording import cut, listed

from .options import AnyPath, plain
from .reasons import Reason, failed, unverified


class UnchangedCheck(CheckOptions):
    """Whether a file, or a folder with all that is below it, is as it was before (`false`: something changed)."""

    subject: ClassVar[str | None] = "path"

    path: AnyPath
    unchanged: bool

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"{cut(self.path)} is {'un' if self.unchanged else ''}changed"

    def paths(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return (plain(self.path),)


class ChangedWithinCheck(CheckOptions):
    """Something changed, and nothing outside these files and folders."""

    changed_within: Annotated[tuple[AnyPath, ...], Strict(False), Field(min_length=1)]

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"only {listed(self.changed_within)} changed"

    def paths(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return tuple(plain(path) for path in self.changed_within)


class NothingChangedCheck(CheckOptions):
    """Whether the project is as it was (`false`: something changed)."""

    nothing_changed: bool

    def sentence(self) -> str:
        """See CheckOptions."""
        return "nothing changed" if self.nothing_changed else "something changed"


def unchanged_holds(check: UnchangedCheck, evidence: Evidence) -> CheckResult:
    """Answer an UnchangedCheck. A path that never was says nothing, so it is no pass."""
    files = evidence.files

    def inside(path: str) -> bool:
        return is_within(path, check.path)

    require_known(files, inside)
    return _as_before(files, inside, wanted=check.unchanged, expected=f"{cut(check.path)} as before")


def nothing_changed_holds(check: NothingChangedCheck, evidence: Evidence) -> CheckResult:
    """Answer a NothingChangedCheck."""
    return _as_before(evidence.files, lambda _: True, wanted=check.nothing_changed, expected="all as before")


def changes_within_hold(check: ChangedWithinCheck, evidence: Evidence) -> CheckResult:
    """Answer a ChangedWithinCheck."""
    files = evidence.files

    def inside(path: str) -> bool:
        return any(is_within(path, allowed) for allowed in check.changed_within)

    def on_the_way(change: Change) -> bool:
        # `docs/new/page.md` can't be made without the folders `docs` and `docs/new`.
        folder = next((side[change.path] for side in (files.after, files.before) if change.path in side), None)
        return (
            change.change in (ChangeKind.CREATED, ChangeKind.REMOVED)
            and folder is not None
            and folder.kind is FileKind.FOLDER
            and any(is_within(allowed, change.path) for allowed in check.changed_within)
        )

    outside = [change for change in files.changes if not inside(change.path) and not on_the_way(change)]
    if outside:
        raise failed(Reason.CHANGED_OUTSIDE, expected=check.sentence(), seen=told(outside))
    require_seen(files, lambda path: not inside(path))
    if not any(inside(change.path) for change in files.changes):
        require_seen(files, inside)
        raise failed(Reason.NOTHING_CHANGED, expected=check.sentence(), seen="no change")
    return CheckResult.passed()


def is_within(path: str, place: str) -> bool:
    """Whether `path` is the file or folder `place`, or lies below it."""
    return path == plain(place) or path.startswith(f"{plain(place)}/")


def require_known(files: Files, inside: Callable[[str], bool]) -> None:
    """Raise Settled where nothing that is `inside` was there before or after."""
    if not any(inside(path) for side in (files.before, files.after) for path in side):
        raise unverified(Reason.NEVER_THERE if files.complete else Reason.LISTING_CUT)


def require_seen(files: Files, inside: Callable[[str], bool]) -> None:
    """Raise Settled where a change of what is `inside` could have been missed."""
    if not files.complete:
        raise unverified(Reason.LISTING_CUT)
    listed_changes = {change.path for change in files.changes}
    for side in (files.before, files.after):
        for path, entry in side.items():
            unread = entry.kind is FileKind.FILE and entry.sha256 is None
            if unread and inside(path) and path not in listed_changes:
                raise unverified(Reason.CONTENT_NOT_KEPT, seen=cut(path))


def told(changes: Iterable[Change]) -> str:
    """Changes for people: the first ten, with what became of them."""
    texts = [f"{cut(change.path)} ({change.change.value})" for change in changes]
    return ", ".join(texts[:10]) + (f" and {len(texts) - 10} more" if len(texts) > 10 else "")


def _as_before(files: Files, inside: Callable[[str], bool], *, wanted: bool, expected: str) -> CheckResult:
    changes = [change for change in files.changes if inside(change.path)]
    if changes:
        return CheckResult.of(not wanted, Reason.CHANGED.value, expected=expected, seen=told(changes))
    require_seen(files, inside)
    return CheckResult.of(wanted, Reason.NOT_CHANGED.value, expected="a change", seen="no change")
