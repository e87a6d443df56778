"""Checks on how many files match a glob, and the matching itself: `*`, `?`, `[…]`, and `**` for any folders."""

from __future__ import annotations

import fnmatch
import re
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, model_validator

from skilltrial.api import CheckOptions, CheckResult, Evidence, FileKind
from skilltrial.checks.wording import cut, listed

from .reasons import Reason, failed, unverified

ANY_FOLDERS = "**"


def _glob(glob: str) -> str:
    parts = glob.split("/")
    if "\\" in glob or any(part in ("", ".", "..") for part in parts):
        raise ValueError("a glob is relative to the project, with `/` between plain parts, such as `src/**/*.py`")
    if any(ANY_FOLDERS in part and part != ANY_FOLDERS for part in parts):
        raise ValueError("`**` stands alone between slashes, such as `src/**/*.py`")
    return glob


GlobPattern = Annotated[str, Field(min_length=1, max_length=1_000), AfterValidator(_glob)]
"""A glob of project paths."""

Count = Annotated[int, Field(ge=0)]


class GlobCheck(CheckOptions):
    """How many regular files match a glob after the run: exactly `count`, `at_least`, `at_most`."""

    subject: ClassVar[str | None] = "glob"

    glob: GlobPattern
    count: Count | None = None
    at_least: Count | None = None
    at_most: Count | None = None

    @model_validator(mode="after")
    def _counts(self) -> GlobCheck:
        if (self.count is None) == (self.at_least is None and self.at_most is None):
            raise ValueError("say either `count`, or `at_least`, `at_most` or both")
        if self.low > self.high:
            raise ValueError("`at_least` is more than `at_most`")
        if self.low == 0 and self.high == float("inf"):
            raise ValueError("`at_least: 0` always holds; say how many files there must be")
        return self

    @property
    def low(self) -> int:
        """The fewest files that are right."""
        return self.count if self.count is not None else self.at_least or 0

    @property
    def high(self) -> float:
        """The most files that are right; infinity where there is no bound."""
        most = self.at_most if self.count is None else self.count
        return float("inf") if most is None else most

    def sentence(self) -> str:
        """See CheckOptions."""
        if self.low == self.high:
            return f"{self.low} files match {cut(self.glob)}"
        if self.high == float("inf"):
            return f"at least {self.low} files match {cut(self.glob)}"
        return f"{self.low} to {self.high} files match {cut(self.glob)}"


def count_holds(check: GlobCheck, evidence: Evidence) -> CheckResult:
    """Answer a GlobCheck."""
    files = evidence.files
    glob = Glob(check.glob)
    found = sorted(path for path, entry in files.after.items() if entry.kind is FileKind.FILE and glob.matches(path))
    seen = f"{len(found)} files" + (f": {listed(found[:5])}" if found else "")
    if len(found) > check.high:
        raise failed(Reason.TOO_MANY_FILES, expected=check.sentence(), seen=seen)
    # Of a cut listing only the lower bound is known.
    if not files.complete and (len(found) < check.low or check.high != float("inf")):
        raise unverified(Reason.LISTING_CUT, seen=seen)
    if len(found) < check.low:
        raise failed(Reason.TOO_FEW_FILES, expected=check.sentence(), seen=seen)
    return CheckResult.passed(seen=seen)


class Glob:
    """A glob, ready to match. Takes time in proportion to path times glob, whatever they are."""

    def __init__(self, glob: str) -> None:
        self._parts = [None if part == ANY_FOLDERS else re.compile(fnmatch.translate(part)) for part in glob.split("/")]

    def matches(self, path: str) -> bool:
        """Whether the whole path matches; `*` stands for names that begin with a dot, too."""
        # `open_at` holds the parts of the glob that may come next after the names so far.
        open_at = self._past_any_folders({0})
        for name in path.split("/"):
            after = {at for at in open_at if at < len(self._parts) and self._parts[at] is None}
            for at in open_at:
                part = self._parts[at] if at < len(self._parts) else None
                if part is not None and part.match(name):
                    after.add(at + 1)
            open_at = self._past_any_folders(after)
        return len(self._parts) in open_at

    def _past_any_folders(self, open_at: set[int]) -> set[int]:
        """With each `**` that may also stand for no folder at all."""
        grown = set(open_at)
        for at in sorted(open_at):
            while at < len(self._parts) and self._parts[at] is None:
                at += 1  # noqa: PLW2901 - steps over a run of `**`
                grown.add(at)
        return grown
