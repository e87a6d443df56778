"""A good suite format, and a broken one for each contract test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from matrix import broken

from skilltrial.api import ForeignSuite, InvalidRequest, Losses, Misfit
from skilltrial.testing.formats import FormatContract, FormatSubject

DOCUMENT = {"name": "acme", "tasks": [{"ask": "Write a note.", "file": "note.txt"}]}


class AcmeFormat:
    """Reads acme's suites."""

    def read_suite(self, path, document):
        misfits = tuple(self._misfits(document))
        if misfits:
            return ForeignSuite(misfits=misfits)
        return ForeignSuite(self._suite(document), self._losses(document))

    def _misfits(self, document):
        if not isinstance(document, dict):
            yield Misfit((), "a suite is a mapping")
            return
        if document.get("name") != "acme":
            yield Misfit(("name",) if "name" in document else (), "no name")
        tasks = document.get("tasks")
        if not isinstance(tasks, list) or not tasks:
            yield Misfit(("tasks",) if "tasks" in document else (), "no tasks")
            return
        for at, task in enumerate(tasks):
            yield from self._task(at, task)

    def _task(self, at, task):
        if not isinstance(task, dict):
            yield Misfit(("tasks", at), "a task is a mapping")
            return
        for key in ("ask", "file"):
            if not isinstance(task.get(key), str) or not task[key] or "/" in task[key]:
                yield Misfit(("tasks", at, key), f"no {key}")

    def _suite(self, document):
        return {
            "id": "acme",
            "arms": [{"id": "plain"}],
            "gate": {"arm": "plain"},
            "cases": [
                {
                    "id": f"task-{at}",
                    "turns": [task["ask"]],
                    "checks": [{"id": "c", "grader": "files", "path": task["file"]}],
                }
                for at, task in enumerate(document["tasks"])
            ],
        }

    def _losses(self, document):
        return Losses(converted=("files are checked by the files grader",))


@pytest.fixture
def path(tmp_path):
    (tmp_path / "suite.json").write_text("{}")
    return tmp_path / "suite.json"


def subject_of(part, path=Path(__file__)) -> FormatSubject:
    return FormatSubject(part, path, DOCUMENT)


class TestGood(FormatContract):
    @pytest.fixture
    def subject(self, path):
        return subject_of(AcmeFormat(), path)


def suite_format(test, part):
    broken(FormatContract, test, lambda: subject_of(part()), globals())


class Misspelt:
    """Broken."""

    def read_suites(self, path, document):
        return None


class NoCases(AcmeFormat):
    """Broken."""

    def _suite(self, document):
        return {**super()._suite(document), "cases": []}


class TellsPrompts(AcmeFormat):
    """Broken."""

    def _losses(self, document):
        return Losses(converted=(f"the task {document['tasks'][0]['ask']}",))


class Changes(AcmeFormat):
    """Broken."""

    def read_suite(self, path, document):
        read = super().read_suite(path, document)
        if isinstance(document, dict):
            document["seen"] = True
        return read


class Raises(AcmeFormat):
    """Broken."""

    def _task(self, at, task):
        if not task["ask"] or not task["file"].strip():
            yield Misfit(("tasks", at), "empty")


class Refuses(AcmeFormat):
    """Broken."""

    def read_suite(self, path, document):
        read = super().read_suite(path, document)
        if read.misfits:
            raise InvalidRequest("it has faults")
        return read


class ReadsAll(AcmeFormat):
    """Broken."""

    def read_suite(self, path, document):
        read = super().read_suite(path, document)
        return ForeignSuite(self._suite(DOCUMENT), self._losses(DOCUMENT)) if read.misfits else read


class Misplaces(AcmeFormat):
    """Broken."""

    def _misfits(self, document):
        for misfit in super()._misfits(document):
            yield replace(misfit, path=(*misfit.path, "line", 3))


class Quotes(AcmeFormat):
    """Broken."""

    def _misfits(self, document):
        for misfit in super()._misfits(document):
            yield replace(misfit, what=f"{misfit.what}: {document}")


suite_format("test_fits_its_hook_spec", Misspelt)
suite_format("test_a_good_suite_becomes_a_suite", NoCases)
suite_format("test_says_what_was_lost", TellsPrompts)
suite_format("test_reading_writes_nothing", Changes)
suite_format("test_any_document_gives_an_answer", Raises)
suite_format("test_any_document_gives_an_answer", Refuses)
suite_format("test_what_is_no_suite_is_a_misfit", ReadsAll)
suite_format("test_a_misfit_has_a_place", Misplaces)
suite_format("test_a_misfit_tells_no_text", Quotes)
