"""The kinds of part: their names, entry-point groups and hook specs."""

from __future__ import annotations

from dataclasses import dataclass

API_MAJOR = 1
"""Plugins register for this version of the API."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of part. `article` is for messages: "no host called ..."."""

    name: str

    @property
    def group(self) -> str:
        """The entry-point group of this API version."""
        return f"skilltrial.{self.name}s.v{API_MAJOR}"

    def __str__(self) -> str:
        return self.name


HOST = Kind("host")
FIXTURE = Kind("fixture")
ANSWERER = Kind("answerer")
"""Answers the calls of a fixture where fixed replies can't know."""
MODEL = Kind("model")
DIALECT = Kind("dialect")
NORMALIZER = Kind("normalizer")
GRADER = Kind("grader")
SUITE = Kind("suite")
FORMAT = Kind("format")
"""Reads suites that were written for another tool."""
RENDERER = Kind("renderer")
"""Writes reports in another form."""
TRANSCRIPT = Kind("transcript")
"""Reads what others recorded."""
OBSERVER = Kind("observer")
"""Is told how a run goes, and can't change it."""
COMMAND = Kind("command")
"""A click command that an installed part brings; imported only when it is called."""

KINDS: tuple[Kind, ...] = (
    HOST,
    FIXTURE,
    ANSWERER,
    MODEL,
    DIALECT,
    NORMALIZER,
    GRADER,
    SUITE,
    FORMAT,
    RENDERER,
    TRANSCRIPT,
    OBSERVER,
    COMMAND,
)
"""Every kind, in the order in which they are listed."""
