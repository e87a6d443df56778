"""The contract of suite formats: give the reader, and a folder with a suite of the other tool."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import JsonValue

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.foreign import ForeignSuite
from skilltrial.model.part import canonical
from skilltrial.model.suite import Suite
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import FormatFacade
from skilltrial.plugins.kinds import FORMAT

from .contracts import Contract, demand, documented

CANARY = "kit-canary-text-0f7c"
_ODD: tuple[JsonValue, ...] = (None, 7, True, CANARY, [], {}, [CANARY], {CANARY: CANARY}, -1, 1.5, "", "../../etc")


@dataclass(frozen=True)
class FormatSubject:
    """A reader of suites, the file of a good suite, and the document that stands in it."""

    part: object
    path: Path
    document: JsonValue


class FormatContract(Contract):
    """What every format must do. Give `subject`, a FormatSubject."""

    kind = FORMAT

    @pytest.fixture
    def reader(self, subject: FormatSubject) -> FormatFacade:
        """The format, held to its hook spec."""
        return bind(FormatFacade, "subject", subject.part)

    def test_fits_its_hook_spec(self, subject: FormatSubject) -> None:
        """One hook; the class says whose suites it reads."""
        bind(FormatFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_a_good_suite_becomes_a_suite(self, reader: FormatFacade, subject: FormatSubject) -> None:
        """The long form is whole, and there are no misfits."""
        read = reader.read_suite(subject.path, subject.document)
        demand(not read.misfits, f"a good suite has misfits: {read.misfits}")
        suite = Suite.read(canonical(dict(read.suite)))
        demand(suite.cases, "the suite has no case")

    def test_says_what_was_lost(self, reader: FormatFacade, subject: FormatSubject) -> None:
        """The losses are sentences on one line, without a prompt."""
        read = reader.read_suite(subject.path, subject.document)
        told = (*read.losses.converted, *read.losses.changed, *read.losses.dropped)
        demand(told, "nothing is said of what became of the foreign rules")
        prompts = {turn for case in Suite.read(canonical(dict(read.suite))).cases for turn in case.turns}
        for sentence in told:
            demand(sentence.strip() and "\n" not in sentence, f"{sentence!r} is no sentence on one line")
            demand(not any(prompt in sentence for prompt in prompts), "a loss tells a prompt")

    def test_reading_writes_nothing(self, reader: FormatFacade, subject: FormatSubject) -> None:
        """The folder is as it was, the document too, and the same comes out again."""
        before, document = _listing(subject.path.parent), copy.deepcopy(subject.document)
        first = reader.read_suite(subject.path, subject.document)
        second = reader.read_suite(subject.path, subject.document)
        demand(first == second, "one suite was read in two ways")
        demand(_listing(subject.path.parent) == before, "reading changed the suite's folder")
        demand(subject.document == document, "reading changed the document")

    def test_any_document_gives_an_answer(self, reader: FormatFacade, subject: FormatSubject) -> None:
        """Whatever stands in a document: misfits, all at once, or a suite; never an exception."""
        documents: list[JsonValue] = [*_ODD, *(changed for _, changed in _changed(subject.document))]
        for document in documents:
            self._read(reader, subject, document)

    def test_what_is_no_suite_is_a_misfit(self, reader: FormatFacade, subject: FormatSubject) -> None:
        """A text, a number, a list and an empty mapping are no suite."""
        strange: tuple[JsonValue, ...] = (None, 7, "text", [], {})
        for document in strange:
            demand(self._read(reader, subject, document).misfits, f"{document!r} was read as a suite")

    def test_a_misfit_has_a_place(self, reader: FormatFacade, subject: FormatSubject) -> None:
        """Its path leads into the document: the core adds line and column."""
        for _, document in _changed(subject.document):
            for misfit in self._read(reader, subject, document).misfits:
                demand(
                    # A key that is missing stands nowhere; what it is missing from does.
                    _reaches(document, misfit.path) or _reaches(document, misfit.path[:-1]),
                    f"the misfit {misfit.what!r} stands at {misfit.path}, which leads nowhere",
                )

    def test_a_misfit_tells_no_text(self, reader: FormatFacade, subject: FormatSubject) -> None:
        """What is wrong is told without the content of the document."""
        for _, document in _changed(subject.document):
            for misfit in self._read(reader, subject, document).misfits:
                demand(
                    CANARY not in misfit.what + misfit.right or CANARY in map(str, misfit.path),
                    f"a misfit at {misfit.path} tells a text of the document",
                )

    def _read(self, reader: FormatFacade, subject: FormatSubject, document: JsonValue) -> ForeignSuite:
        try:
            return reader.read_suite(subject.path, document)
        except InvalidRequest as error:
            raise AssertionError("faults of a document are misfits, not InvalidRequest") from error
        except Exception as error:
            raise AssertionError(
                f"a document raised {type(error).__name__}: {error}; faults are misfits, all of them at once"
            ) from error


def _changed(document: JsonValue) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    """The document with each of its values changed to something odd, a few per value."""
    for number, path in enumerate(_paths(document)):
        for odd in (_ODD[number % len(_ODD)], _ODD[(number + 5) % len(_ODD)], CANARY):
            yield path, _with(document, path, odd)


def _paths(value: JsonValue, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _paths(below, (*path, key))
    elif isinstance(value, list):
        for at, below in enumerate(value):
            yield from _paths(below, (*path, at))


def _with(document: JsonValue, path: tuple[str | int, ...], value: JsonValue) -> JsonValue:
    changed = copy.deepcopy(document)
    at: Any = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return changed


def _reaches(document: JsonValue, path: tuple[str | int, ...]) -> bool:
    at: Any = document
    for key in path:
        if not isinstance(at, dict | list):
            return False
        try:
            at = cast("Any", at)[key]
        except (KeyError, IndexError, TypeError):
            return False
    return True


def _listing(folder: Path) -> dict[str, object]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }
