"""Checks on the size of a change: lines added and removed."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from skilltrial.api import (
    ChangeKind,
    CheckOptions,
    CheckResult,
    ContentUnavailable,
    Evidence,
    FileKind,
    Files,
)
from skilltrial.checks.wording import cut

from .changes import is_within, require_known, require_seen
from .globs import Glob, GlobPattern
from .options import AnyPath, plain
from .reasons import Reason, failed, unverified

Lines = Annotated[int, Field(ge=0, le=5_000)]


class Bounds(BaseModel):
    """How many lines, at least and at most."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    min: Lines = 0
    max: Lines | None = None

    @model_validator(mode="after")
    def _bounds(self) -> Bounds:
        if self.min == 0 and self.max is None:
            raise ValueError("say `max`, `min` or both, in lines")
        if self.max is not None and self.min > self.max:
            raise ValueError("`min` is more than `max`")
        return self


class DiffLinesCheck(CheckOptions):
    """How many lines were added and removed together, in all text files or those at `path` or matching `glob`.

    A changed line counts twice, a renamed file with all its lines twice, a changed line end like any change. Files
    that are not text have no lines.
    """

    subject: ClassVar[str | None] = "path"

    diff_lines: Bounds
    path: AnyPath | None = None
    glob: GlobPattern | None = None

    @model_validator(mode="after")
    def _one_scope(self) -> DiffLinesCheck:
        if self.path is not None and self.glob is not None:
            raise ValueError("say either `path` or `glob`")
        return self

    def sentence(self) -> str:
        """See CheckOptions."""
        low, high = self.diff_lines.min, self.diff_lines.max
        size = f"at least {low}" if high is None else f"at most {high}" if low == 0 else f"{low} to {high}"
        place = f" in {cut(self.path or self.glob or '')}" if self.path or self.glob else ""
        return f"{size} lines changed{place}"

    def paths(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return () if self.path is None else (plain(self.path),)


def diff_holds(check: DiffLinesCheck, evidence: Evidence) -> CheckResult:
    """Answer a DiffLinesCheck."""
    files, bounds = evidence.files, check.diff_lines
    glob = Glob(check.glob) if check.glob is not None else None

    def inside(path: str) -> bool:
        return glob.matches(path) if glob else check.path is None or is_within(path, check.path)

    if check.path is not None or glob:
        require_known(files, inside)
    enough = bounds.min if bounds.max is None else bounds.max + 1
    lines = 0
    for change in files.changes:
        if inside(change.path) and change.change is not ChangeKind.MODE and lines < enough:
            lines += _lines(files, change.path, enough - lines)
    seen = f"{'at least ' if lines >= enough else ''}{lines} lines"
    if bounds.max is not None and lines > bounds.max:
        raise failed(Reason.TOO_MANY_LINES, expected=check.sentence(), seen=seen)
    if lines < enough:
        require_seen(files, inside)
    return CheckResult.of(lines >= bounds.min, Reason.TOO_FEW_LINES.value, expected=check.sentence(), seen=seen)


def edits(before: list[bytes], after: list[bytes], limit: int) -> int:
    """The fewest lines that must be removed and added to turn `before` into `after`; `limit` where it is that or more.

    Myers' greedy search, ended at the limit, so that its time is bounded by size times limit.
    """
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    one, other = before[start:], after[start:]
    if not one or not other:
        return min(limit, len(one) + len(other))
    # Lines that only one side has can't be kept: the cheap bound spares the search in a file that was written anew.
    if (Counter(one) - Counter(other)).total() + (Counter(other) - Counter(one)).total() >= limit:
        return limit
    # furthest[k]: the most lines of `one` that are passed where k more of `one` than of `other` are.
    furthest = {1: 0}
    for steps in range(limit):
        for k in range(-steps, steps + 1, 2):
            down = k == -steps or (k != steps and furthest[k - 1] < furthest[k + 1])
            x = furthest[k + 1] if down else furthest[k - 1] + 1
            while x < len(one) and 0 <= x - k < len(other) and one[x] == other[x - k]:
                x += 1
            if x >= len(one) and x - k >= len(other):
                return steps
            furthest[k] = x
    return limit


def _lines(files: Files, path: str, limit: int) -> int:
    before, after = _side(files, path, "before"), _side(files, path, "after")
    if before is not None and after is not None:
        return edits(before, after, limit)
    if before or after:
        raise failed(Reason.NOT_UTF8, expected="text before and after", seen=cut(path))
    return 0


def _side(files: Files, path: str, when: Literal["before", "after"]) -> list[bytes] | None:
    """The lines of a file, with their ends; none where no file is, None where it is not text."""
    entry = (files.before if when == "before" else files.after).get(path)
    if entry is None or entry.kind is not FileKind.FILE:
        return []
    try:
        data = files.read(path, when=when)
        data.decode("utf-8")
    except ContentUnavailable as error:
        redacted = error.reason == "redacted"
        raise unverified(Reason.CONTENT_REDACTED if redacted else Reason.CONTENT_NOT_KEPT, seen=cut(path)) from error
    except UnicodeDecodeError:
        return None
    return data.splitlines(keepends=True)
