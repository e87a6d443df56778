"""The one error tree, and the exit codes it leads to.

SkilltrialError
├── InvalidRequest            2   nothing was started, nothing was written
│   ├── DocumentInvalid           a suite or options file; carries every fault of the file
│   ├── PluginNotFound            no installed part has that name
│   ├── PluginDuplicate           two distributions claim one name
│   ├── PluginBroken              it was named and can't be loaded
│   ├── PluginMismatch            it loads, but does not fit its hook spec or API version
│   └── SourceUnusable            a workspace, skill or output folder can't be used
├── RunIncomplete             3   what was sealed is kept
├── ArchiveRefused            4   changed, unreadable, or not an archive
│   └── ArchiveUnsupported        of a version that can't be judged truthfully
└── RunInterrupted          130   what was sealed is kept
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """Exit codes of every command."""

    PASSED = 0
    """The gate passed, or the command did what it was asked."""
    FAILED = 1
    """The gate failed: the agent misbehaved, or a rehearsal broke its promise."""
    INVALID = 2
    """Not a valid request. Nothing was started or written."""
    INCOMPLETE = 3
    """The run is broken or shows too little: no statement about the skill."""
    REFUSED = 4
    """The archive was changed or can't be read."""
    INTERNAL = 70
    """A fault of skilltrial itself."""
    INTERRUPTED = 130
    """Stopped by the user; finished trials are sealed."""


class SkilltrialError(Exception):
    """An error whose message is meant for the user: what, where, what would be right."""

    exit: ClassVar[Exit] = Exit.INTERNAL


class InvalidRequest(SkilltrialError):
    """What was asked can't be done as asked."""

    exit = Exit.INVALID


@dataclass(frozen=True, order=True)
class Fault:
    """One fault of a document.

    `line` and `column` count from 1; 0 where the document has no positions. `what` says what is wrong,
    `right` what would be right (or is empty). Neither ever holds prompt or file content.
    """

    file: str
    line: int
    column: int
    what: str
    right: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.what}" + (f"; {self.right}" if self.right else "")


class DocumentInvalid(InvalidRequest):
    """A document has faults; all of them are here, in the order of the document."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = tuple(sorted(faults))
        super().__init__("\n".join(str(fault) for fault in self.faults))


class PluginNotFound(InvalidRequest):
    """No installed part of this kind has that name."""


class PluginDuplicate(InvalidRequest):
    """Two distributions provide one name of one kind."""


class PluginBroken(InvalidRequest):
    """A named part can't be imported or built."""


class PluginMismatch(InvalidRequest):
    """A named part does not fit its hook spec, or was made for another API version."""


class SourceUnusable(InvalidRequest):
    """A folder or file that the user named can't be used."""


class RunIncomplete(SkilltrialError):
    """The run could not be finished; what was sealed is kept."""

    exit = Exit.INCOMPLETE


class ArchiveRefused(SkilltrialError):
    """The archive is not what was sealed."""

    exit = Exit.REFUSED


class ArchiveUnsupported(ArchiveRefused):
    """The archive's version can't be judged truthfully by this release."""


class RunInterrupted(SkilltrialError):
    """The user stopped the run."""

    exit = Exit.INTERRUPTED


class SessionStopped(Exception):
    """A session can take no further turn; why is in the records. Raised by `Session.send` only."""


class TrialNotBegun(Exception):
    """What a trial presupposes is not there; `why` is a word for the report. Raised by `FixtureRun.start` only.

    No session is opened: the trial is incomplete, or with `skips` skipped.
    """

    def __init__(self, why: str, *, skips: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.skips = skips


class ActNotPossible(Exception):
    """This program has no tool for the act (the rehearsal is then *not possible here*)."""


class ActAbsent(Exception):
    """The act names a thing that is not offered in this arm (a skill); it is recorded and passed over."""
