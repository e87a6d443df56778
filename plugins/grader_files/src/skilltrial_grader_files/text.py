"""Checks on the text of a file: what it contains, lacks and matches; and whether it is exactly a given text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar

from pydantic import model_validator

from skilltrial.api import CheckOptions, CheckResult, Evidence, Owner
from skilltrial.checks.patterns import finds
from skilltrial.checks.wording import beginning, cut, difference, line_with, listed, nearest

from .content import asset, bytes_at, shown, text_at, universal
from .options import Asset, FilePath, Patterns, Texts, several
from .reasons import Reason, failed, unverified


class TextCheck(CheckOptions):
    """What a text file holds. All that is said must be true, and all of it is about a file that is there.

    Texts are compared as written, with either kind of line end; patterns are searched anywhere in the file.
    """

    subject: ClassVar[str | None] = "path"

    path: FilePath
    contains: Texts | None = None
    """Every one of these is in the file."""
    lacks: Texts | None = None
    """None of these is in the file."""
    matches: Patterns | None = None
    """Every one of these regular expressions is found."""
    matches_not: Patterns | None = None
    """None of these regular expressions is found."""
    ignore_case: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> TextCheck:
        if not (self.contains or self.lacks or self.matches or self.matches_not):
            raise ValueError("say what is asked of the file, such as `contains`, `lacks`, `matches` or `exists`")
        return self

    def sentence(self) -> str:
        """See CheckOptions."""
        said = (("contains", self.contains), ("lacks", self.lacks), ("matches", self.matches))
        parts = [f"{verb} {listed(several(texts))}" for verb, texts in said if texts]
        if self.matches_not:
            parts.append(f"does not match {listed(several(self.matches_not))}")
        return f"{cut(self.path)} {' and '.join(parts)}"

    def paths(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return (self.path,)


class GoldenCheck(CheckOptions):
    """A file is exactly this: `equals`, a text (in UTF-8), or `equals_file`, a file beside the suite."""

    subject: ClassVar[str | None] = "path"

    path: FilePath
    equals: str | None = None
    equals_file: Asset | None = None
    any_newlines: bool = False
    """Take all kinds of line end for the same."""

    @model_validator(mode="after")
    def _has_one_original(self) -> GoldenCheck:
        if (self.equals is None) == (self.equals_file is None):
            raise ValueError("say either `equals`, a text, or `equals_file`, a file beside the suite")
        return self

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"{cut(self.path)} is exactly {cut(self.equals_file or self.equals or 'empty')}"

    def paths(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return (self.path,)

    def assets(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return () if self.equals_file is None else (self.equals_file,)


def text_holds(check: TextCheck, evidence: Evidence) -> CheckResult:
    """Answer a TextCheck. What is plainly wrong outweighs a pattern that took too long."""
    text = text_at(evidence.files, check.path)
    slow = False
    for one in _questions(check, text):
        try:
            one()
        except TimeoutError:
            slow = True
    if slow:
        raise unverified(Reason.PATTERN_TOO_SLOW, Owner.GRADER)
    return CheckResult.passed()


def _questions(check: TextCheck, text: str) -> Iterator[Callable[[], None]]:
    """The single questions of a check; each raises Settled where the answer is no."""
    fold: Callable[[str], str] = str.casefold if check.ignore_case else str
    whole = fold(text)

    def contains(wanted: str) -> None:
        if fold(universal(wanted)) not in whole:
            raise failed(Reason.TEXT_MISSING, expected=f"contains {cut(wanted)}", seen=nearest(wanted, text))

    def lacks(unwanted: str) -> None:
        if (found := fold(universal(unwanted))) in whole:
            raise failed(Reason.TEXT_PRESENT, expected=f"lacks {cut(unwanted)}", seen=line_with(found, whole))

    def matches(pattern: str) -> None:
        if not finds(pattern, text, ignore_case=check.ignore_case):
            raise failed(Reason.PATTERN_MISSING, expected=f"matches {cut(pattern)}", seen=beginning(text))

    def matches_not(pattern: str) -> None:
        if finds(pattern, text, ignore_case=check.ignore_case):
            raise failed(Reason.PATTERN_PRESENT, expected=f"does not match {cut(pattern)}", seen=beginning(text))

    asked = (
        (contains, check.contains),
        (lacks, check.lacks),
        (matches, check.matches),
        (matches_not, check.matches_not),
    )
    for question, operands in asked:
        for operand in several(operands):
            yield partial(question, operand)


def golden_holds(check: GoldenCheck, evidence: Evidence) -> CheckResult:
    """Answer a GoldenCheck: byte by byte."""
    if check.equals_file is not None:
        wanted = asset(evidence, check.equals_file)
    else:
        wanted = (check.equals or "").encode("utf-8", "surrogatepass")
    seen = bytes_at(evidence.files, check.path)
    if check.any_newlines:
        wanted, seen = (side.replace(b"\r\n", b"\n").replace(b"\r", b"\n") for side in (wanted, seen))
    if wanted == seen:
        return CheckResult.passed()
    texts = [side[:50_000].decode("utf-8", "replace") for side in (wanted, seen)]
    raise failed(Reason.CONTENT_DIFFERS, expected=shown(wanted), seen=difference(*texts) or shown(seen))
