"""The base of a grader's option models."""

from __future__ import annotations

from typing import ClassVar

from .part import Part


class CheckOptions(Part):
    """The options of one kind of check: a subclass's fields are its keys in a suite.

    In the short form `{files: notes.txt, contains: x}` the first key names the grader and its value is the field
    named by `subject`; where the value is a mapping, its keys are the options.
    """

    subject: ClassVar[str | None] = None

    def sentence(self) -> str:
        """What the check demands, for people: `CHANGELOG.md contains ## Unreleased`."""
        raise NotImplementedError

    def paths(self) -> tuple[str, ...]:
        """Project paths that the check names; `loading` holds them to the path rules."""
        return ()

    def assets(self) -> tuple[str, ...]:
        """Files beside the suite that the check needs (golden files, schemas); they go into the archive."""
        return ()

    def commands(self) -> tuple[str, ...]:
        """Commands whose record the check asks about; `loading` wants each in the case's `after`."""
        return ()
