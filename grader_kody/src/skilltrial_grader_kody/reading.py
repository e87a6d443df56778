"""A transcript's bytes in, its results out: a large one is never in memory as objects all at once.

A large document of the usual shape is read in one pass. A small one, and whatever is unusual (a fault, a key twice),
is read at once by the models, which know every fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from .faults import TranscriptInvalid, faults
from .jsontext import DECODER, parse, text_of, without_halves
from .steps import Look, Step, steps
from .transcript import EVENTS, SKIPPED, TRANSCRIPTS, AnyEvent, Head, Skipped
from .words import Profile

F = TypeVar("F")

LARGE = 4_000
"""Characters from which on a transcript is read event by event."""


@dataclass(frozen=True, slots=True)
class Result(Generic[F]):
    """What was noted of one case; `steps` is None where it was skipped."""

    case: str
    steps: list[Step[F]] | None


@dataclass(frozen=True, slots=True)
class Read(Generic[F]):
    """A whole transcript."""

    head: Head
    results: list[Result[F]]


def read(data: bytes | str, profile: Profile, look: Look[F]) -> Read[F]:
    """Read a transcript. Raises NotJson, and TranscriptInvalid with every fault."""
    text = text_of(data) if isinstance(data, bytes) else data
    if len(text) >= LARGE:
        try:
            return streamed(text, profile, look)
        except (Unusual, ValueError, RecursionError):
            pass  # it may have faults, and the models know them all
    return whole(text, profile, look)


def streamed(text: str, profile: Profile, look: Look[F]) -> Read[F]:
    """Read a transcript of the usual shape in one pass. Raises Unusual, ValueError and RecursionError for others."""
    return _Stream(text, profile, look).document()


def whole(text: str, profile: Profile, look: Look[F]) -> Read[F]:
    """Read a transcript at once. Raises as `read`."""
    value = parse(text)
    try:
        document = TRANSCRIPTS[profile].model_validate(value)
    except ValidationError as error:
        if any(one["type"] == "string_unicode" for one in error.errors(include_input=False, include_url=False)):
            return whole(without_halves(text), profile, look)
        raise TranscriptInvalid(faults(error)) from None
    results: list[Result[F]] = []
    for result in document.results:
        if isinstance(result, Skipped):
            results.append(Result(result.caseId, None))
        else:
            events: list[AnyEvent] = list(result.events)
            results.append(Result(result.caseId, steps(iter(enumerate(events)), events.__getitem__, look)))
    return Read(document, results)


class Unusual(Exception):
    """The document is not of the usual shape; it may have faults."""


_SPACE = re.compile(r"[ \t\n\r]*")
_KEY = re.compile(r'[ \t\n\r]*"([A-Za-z]+)"[ \t\n\r]*:[ \t\n\r]*')
_NEXT = re.compile(r"[ \t\n\r]*([,}\]])[ \t\n\r]*")


class _Stream(Generic[F]):
    """One pass over the text. Every position that a method takes or returns is an index of the text."""

    def __init__(self, text: str, profile: Profile, look: Look[F]) -> None:
        self._text, self._look, self._event = text, look, EVENTS[profile].validator
        self._at = 0

    def document(self) -> Read[F]:
        head: dict[str, Any] = {}
        results: list[Result[F]] | None = None
        self._skip()
        for key in self._keys():
            if key in head or (key == "results" and results is not None):
                raise Unusual
            if key == "results":
                results = [self._result() for _ in self._items()]
            else:
                head[key] = self._value()
        self._skip()
        if self._at != len(self._text) or not results:
            raise Unusual
        return Read(Head.model_validate(head), results)

    def _result(self) -> Result[F]:
        found: dict[str, Any] = {}
        kept: list[Step[F]] | None = None
        for key in self._keys():
            if key in found or (key == "events" and kept is not None):
                raise Unusual
            if key == "events":
                kept = steps(self._events(), self._again, self._look)
            else:
                found[key] = self._value()
        if kept is None:
            return Result(SKIPPED.validate_python(found).caseId, None)
        case = found.get("caseId")
        if not isinstance(case, str) or not case or len(found) != 2 or found.get("outcome") != "completed":
            raise Unusual
        return Result(case, kept)

    def _events(self) -> Iterator[tuple[int, AnyEvent]]:
        """Each event with its place. Written out: most of the time that reading takes is spent here."""
        text, validate, decode, following = self._text, self._event.validate_python, DECODER.raw_decode, _NEXT.match
        self._open("[")
        if text.startswith("]", self._at):
            self._at += 1
            return
        place = self._at
        while True:
            value, end = decode(text, place)
            yield place, validate(value)
            mark = following(text, end)
            if mark is None or mark[1] == "}":
                raise Unusual
            if mark[1] == "]":
                self._at = mark.end(1)
                return
            place = mark.end()

    def _again(self, place: int) -> AnyEvent:
        event: AnyEvent = self._event.validate_python(DECODER.raw_decode(self._text, place)[0])
        return event

    def _value(self) -> Any:
        value, self._at = DECODER.raw_decode(self._text, self._at)
        return value

    def _skip(self) -> None:
        self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]

    def _keys(self) -> Iterator[str]:
        """Stand before the value of each key of the object that begins here."""
        self._open("{")
        while True:
            key = _KEY.match(self._text, self._at)
            if key is None:
                raise Unusual
            self._at = key.end()
            yield key[1]
            if self._close("}"):
                return

    def _items(self) -> Iterator[None]:
        """Stand before each item of the array that begins here."""
        self._open("[")
        if self._text.startswith("]", self._at):
            self._at += 1
            return
        while True:
            yield
            if self._close("]"):
                return

    def _open(self, bracket: str) -> None:
        if not self._text.startswith(bracket, self._at):
            raise Unusual
        self._at += 1
        self._skip()

    def _close(self, bracket: str) -> bool:
        """Go past a comma (False) or the end of this object or array (True)."""
        mark = _NEXT.match(self._text, self._at)
        if mark is None or mark[1] not in {",", bracket}:
            raise Unusual
        # What follows the closing bracket is left to whoever asked.
        self._at = mark.end() if mark[1] == "," else mark.end(1)
        return mark[1] == bracket
