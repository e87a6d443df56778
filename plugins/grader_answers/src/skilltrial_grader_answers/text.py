"""Checks on the words of an answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from skilltrial.api import CheckOptions, CheckResult, Evidence, Owner
from skilltrial.checks.patterns import finds
from skilltrial.checks.wording import beginning, cut, line_with, listed, nearest

from .answer import answer_of, universal
from .options import Patterns, Text, Texts, several
from .reasons import Reason, failed, unverified

Most = Annotated[int, Field(ge=1)]


class TextCheck(CheckOptions):
    """What the final answer says. All that is said must be true; white space around the answer does not count.

    `contains` and `lacks` take whole words: `4` is not in `42`, `cat` not in `concatenate`.
    """

    subject: ClassVar[str | None] = "contains"

    contains: Texts | None = None
    """Every one of these is in the answer."""
    lacks: Texts | None = None
    """None of these is in the answer."""
    equals: str | None = None
    starts_with: Text | None = None
    ends_with: Text | None = None
    matches: Patterns | None = None
    """Every one of these regular expressions is found."""
    matches_not: Patterns | None = None
    """None of these regular expressions is found."""
    max_words: Most | None = None
    max_chars: Most | None = None
    ignore_case: bool = False
    whole_words: bool = True

    @model_validator(mode="after")
    def _says_something(self) -> TextCheck:
        asked = set(type(self).model_fields) - {"ignore_case", "whole_words"}
        if all(getattr(self, name) is None for name in asked):
            raise ValueError("say what is asked of the answer, such as `contains`, `lacks` or `starts_with`")
        for name in ("starts_with", "ends_with"):
            text = getattr(self, name)
            if text and text != (text.lstrip() if name == "starts_with" else text.rstrip()):
                raise ValueError(f"`{name}` can't hold: answers are read without the white space around them")
        return self

    def sentence(self) -> str:
        """See CheckOptions."""
        said = (
            ("is exactly", () if self.equals is None else (self.equals or "empty",)),
            ("starts with", several(self.starts_with)),
            ("ends with", several(self.ends_with)),
            ("contains", several(self.contains)),
            ("lacks", several(self.lacks)),
            ("matches", several(self.matches)),
            ("does not match", several(self.matches_not)),
        )
        parts = [f"{verb} {listed(texts)}" for verb, texts in said if texts]
        bounds = ((self.max_words, "words"), (self.max_chars, "characters"))
        parts += [f"has at most {most} {unit}" for most, unit in bounds if most is not None]
        return f"answer {' and '.join(parts)}"


def text_holds(check: TextCheck, evidence: Evidence) -> CheckResult:
    """Answer a TextCheck. What is plainly wrong outweighs a pattern that took too long."""
    slow = False
    for question in _questions(check, answer_of(evidence)):
        try:
            question()
        except TimeoutError:
            slow = True
    if slow:
        raise unverified(Reason.PATTERN_TOO_SLOW, Owner.GRADER)
    return CheckResult.passed()


def holds_words(text: str, wanted: str) -> bool:
    """Whether `wanted` is in `text` with no word going on before its first or after its last word character."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        cut_before = start > 0 and _in_word(text[start - 1]) and _in_word(wanted[0])
        cut_after = end < len(text) and _in_word(text[end]) and _in_word(wanted[-1])
        if not cut_before and not cut_after:
            return True
        start = text.find(wanted, start + 1)
    return False


def _in_word(one: str) -> bool:
    # Marks belong to the letter before them, in Hindi as in decomposed Latin letters.
    return one == "_" or unicodedata.category(one)[0] in "LNM"


def _questions(check: TextCheck, answer: str) -> Iterator[Callable[[], None]]:
    """The single questions of a check; each raises Settled where the answer is no."""
    fold: Callable[[str], str] = str.casefold if check.ignore_case else str
    whole = fold(answer)

    def said(text: str) -> str:
        return fold(universal(text))

    def found(text: str) -> bool:
        return holds_words(whole, said(text)) if check.whole_words else said(text) in whole

    def equals(text: str) -> None:
        if said(text).strip() != whole:
            raise failed(Reason.ANSWER_DIFFERS, expected=cut(text, 200), seen=beginning(answer))

    def starts_with(text: str) -> None:
        if not whole.startswith(said(text)):
            raise failed(Reason.BEGINS_OTHERWISE, expected=f"starts with {cut(text)}", seen=beginning(answer))

    def ends_with(text: str) -> None:
        if not whole.endswith(said(text)):
            raise failed(Reason.ENDS_OTHERWISE, expected=f"ends with {cut(text)}", seen=beginning(answer[-200:]))

    def contains(text: str) -> None:
        if not found(text):
            raise failed(Reason.TEXT_MISSING, expected=f"contains {cut(text)}", seen=nearest(text, answer))

    def lacks(text: str) -> None:
        if found(text):
            raise failed(Reason.TEXT_PRESENT, expected=f"lacks {cut(text)}", seen=line_with(said(text), whole))

    def matches(pattern: str) -> None:
        if not finds(pattern, answer, ignore_case=check.ignore_case):
            raise failed(Reason.PATTERN_MISSING, expected=f"matches {cut(pattern)}", seen=beginning(answer))

    def matches_not(pattern: str) -> None:
        if finds(pattern, answer, ignore_case=check.ignore_case):
            raise failed(Reason.PATTERN_PRESENT, expected=f"does not match {cut(pattern)}", seen=beginning(answer))

    def at_most(most: int, size: int, unit: str) -> None:
        if size > most:
            raise failed(Reason.TOO_LONG, expected=f"at most {most} {unit}", seen=f"{size} {unit}")

    asked = (
        (equals, check.equals),
        (starts_with, check.starts_with),
        (ends_with, check.ends_with),
        (contains, check.contains),
        (lacks, check.lacks),
        (matches, check.matches),
        (matches_not, check.matches_not),
    )
    for question, operands in asked:
        for operand in several(operands):
            yield partial(question, operand)
    if check.max_words is not None:
        yield partial(at_most, check.max_words, len(answer.split()), "words")
    if check.max_chars is not None:
        yield partial(at_most, check.max_chars, len(answer), "characters")
