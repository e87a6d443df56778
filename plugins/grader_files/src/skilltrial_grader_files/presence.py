"""Checks on what lies at a path: whether it is there, and whether it may be executed."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import model_validator

from skilltrial.api import CheckOptions, CheckResult, Evidence, FileKind
from skilltrial.checks.wording import cut

from .options import AnyPath, FilePath, plain
from .reasons import Reason, failed, unverified


class ExistsCheck(CheckOptions):
    """Whether something lies at a path after the run.

    `exists: true` wants a file there (a folder, where the path ends in a slash; else what `kind` says);
    `exists: false` wants nothing there at all.
    """

    subject: ClassVar[str | None] = "path"

    path: AnyPath
    exists: bool
    kind: Literal["file", "folder", "link", "any"] | None = None

    @model_validator(mode="after")
    def _kind_of_what_exists(self) -> ExistsCheck:
        if self.kind is not None and not self.exists:
            raise ValueError("`kind` goes with `exists: true`; `exists: false` wants nothing there at all")
        if self.path.endswith("/") and self.kind not in (None, "folder"):
            raise ValueError("a path with a final slash is a folder, whatever `kind` says; leave one of them out")
        return self

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"{cut(self.path)} {'exists' if self.exists else 'does not exist'}"

    def paths(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return (plain(self.path),)


class ExecutableCheck(CheckOptions):
    """Whether a file that is there may be executed."""

    subject: ClassVar[str | None] = "path"

    path: FilePath
    executable: bool

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"{cut(self.path)} is {'' if self.executable else 'not '}executable"

    def paths(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return (self.path,)


def existence_holds(check: ExistsCheck, evidence: Evidence) -> CheckResult:
    """Answer an ExistsCheck."""
    seen = kind_at(evidence, check.path)
    if seen is None and not evidence.files.complete:
        raise unverified(Reason.LISTING_CUT)
    if not check.exists:
        return CheckResult.of(seen is None, Reason.STILL_THERE.value, expected="nothing there", seen=f"a {seen}")
    wanted = check.kind or ("folder" if check.path.endswith("/") else "file")
    if seen is None:
        raise failed(Reason.FILE_MISSING, expected=f"a {wanted} at {cut(check.path)}")
    if wanted not in ("any", seen):
        reason = Reason.NOT_A_FOLDER if wanted == "folder" else Reason.NOT_A_FILE
        raise failed(reason, expected=f"a {wanted} at {cut(check.path)}", seen=f"a {seen}")
    return CheckResult.passed()


def execution_holds(check: ExecutableCheck, evidence: Evidence) -> CheckResult:
    """Answer an ExecutableCheck."""
    entry = evidence.files.after.get(check.path)
    if entry is None and not evidence.files.complete:
        raise unverified(Reason.LISTING_CUT)
    if entry is None:
        raise failed(Reason.FILE_MISSING, expected=f"a file at {cut(check.path)}")
    if entry.kind is not FileKind.FILE:
        raise failed(Reason.NOT_A_FILE, expected=f"a file at {cut(check.path)}", seen=f"a {entry.kind.value}")
    reason = Reason.NOT_EXECUTABLE if check.executable else Reason.EXECUTABLE
    return CheckResult.of(entry.executable is check.executable, reason.value)


def kind_at(evidence: Evidence, path: str) -> str | None:
    """What lies at `path` after the run; a folder also where only files below it were listed."""
    place = plain(path)
    if place in evidence.files.after:
        return evidence.files.after[place].kind.value
    below = any(other.startswith(f"{place}/") for other in evidence.files.after)
    return FileKind.FOLDER.value if below else None
