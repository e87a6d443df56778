"""What happened in one trial: all that is kept of it, read-only. This is what a grader gets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Self

from pydantic import JsonValue

from .capabilities import Sees
from .events import Event, ToolRequested, ToolResult
from .part import Part, Sha256
from .trial import HostIdentity, TrialKey
from .words import Ending, Outcome, Owner


class FileKind(StrEnum):
    """What lies at a path."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"


class Entry(Part):
    """What lay at one path of the project. `path` is POSIX; bytes that are not UTF-8 are lone surrogates.

    `sha256` is of a file's bytes, None where they were not read (`unread` says why); `target` is a link's text.
    """

    path: str
    kind: FileKind
    executable: bool = False
    size: int = 0
    sha256: Sha256 | None = None
    target: str | None = None
    unread: Literal["too_big", "unreadable"] | None = None


class ChangeKind(StrEnum):
    """What became of a path between the two listings."""

    CREATED = "created"
    CHANGED = "changed"
    REMOVED = "removed"
    MODE = "mode"
    """Only the executable bit differs."""
    KIND = "kind"
    """A file became a folder or a link, or the like."""


class Change(Part):
    """A path that differs between the two listings."""

    path: str
    change: ChangeKind


class ContentUnavailable(Exception):
    """The bytes at a path can't be given; `reason` says why, in a word."""

    def __init__(self, reason: Literal["missing", "not_a_file", "not_kept", "redacted"]) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Files:
    """The project before and after, without ignored paths (installed skills are never ignored).

    `complete` is False where a listing had to be cut (too many files) or a folder could not be looked into: what then
    is not seen is neither *unchanged* nor *removed*.
    """

    before: Mapping[str, Entry]
    after: Mapping[str, Entry]
    changes: tuple[Change, ...]
    contents: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Digest → bytes: every file of `before`, and the changed files of `after` that were kept."""
    redacted: frozenset[str] = frozenset()
    """Paths whose kept bytes hold a replaced credential."""
    complete: bool = True

    def read(self, path: str, *, when: Literal["before", "after"] = "after") -> bytes:
        """The bytes of the regular file at `path`. Raises ContentUnavailable."""
        entry = (self.after if when == "after" else self.before).get(path)
        if entry is None:
            raise ContentUnavailable("missing")
        if entry.kind is not FileKind.FILE:
            raise ContentUnavailable("not_a_file")
        if when == "after" and path in self.redacted:
            raise ContentUnavailable("redacted")
        if entry.sha256 is None or entry.sha256 not in self.contents:
            raise ContentUnavailable("not_kept")
        return self.contents[entry.sha256]


@dataclass(frozen=True, slots=True)
class WireCall:
    """A call as a fixture received it."""

    server: str
    turn: int
    rpc_id: JsonValue
    tool: str
    arguments: JsonValue
    result: JsonValue
    is_error: bool
    at: float
    joins: str | None = None
    """The host's own id of the call, where it sent one."""
    answered: bool = True
    because: str | None = None
    """What decided the answer (`model.wire.Answered`): `rule`, `answerer`, `unexpected`, `forwarded` ..."""
    marks: JsonValue = None
    """What an answerer noted of it; the agent did not get it."""


@dataclass(frozen=True, slots=True)
class JoinedCall:
    """One call by both witnesses; either side may be None."""

    requested: ToolRequested | None
    result: ToolResult | None
    wire: WireCall | None


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command of `setup` or `after` did. `code` is None where it was ended by its time limit."""

    command: str
    code: int | None
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is kept of a trial. A grader looks at this and at nothing else.

    `events` may be many: they are then read anew each time one goes through them, and only what one keeps of them is
    held. The content of a joined call's result is then read when it is asked for.
    """

    key: TrialKey
    identity: HostIdentity
    sees: frozenset[Sees]
    ending: Ending
    events: Sequence[Event]
    files: Files
    answers: Mapping[int, str] = field(default_factory=dict)
    """Turn → the final answer, for turns whose answer was seen."""
    wire: tuple[WireCall, ...] = ()
    calls: tuple[JoinedCall, ...] = ()
    alone: frozenset[str] = frozenset()
    """Fixtures whose record is the only witness of their calls, and a whole one: programs that commands start."""
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Fixture → other names of its tools → those that it offered: a check means the same tool by any of them."""
    after: tuple[CommandResult, ...] = ()
    redactions: int = 0
    turns: int = 1
    assets: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Suite files that checks name (golden files, schemas): path beside the suite → bytes."""

    def of(self, *kinds: type[Event]) -> Iterator[Event]:
        """The events of these kinds, in order."""
        return (event for event in self.events if isinstance(event, kinds))


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A grader's answer to one check.

    `reason` is a word of the grader's own closed set (`text_missing`, `not_utf8`); it goes into the report.
    `expected` and `seen` are for people who hold the archive; they never enter a report.
    """

    outcome: Outcome
    reason: str
    expected: str = ""
    seen: str = ""
    owner: Owner | None = None

    @classmethod
    def passed(cls, reason: str = "holds", *, seen: str = "") -> Self:
        """The check holds."""
        return cls(Outcome.PASSED, reason, seen=seen)

    @classmethod
    def failed(cls, reason: str, *, expected: str = "", seen: str = "") -> Self:
        """The check does not hold: the agent misbehaved."""
        return cls(Outcome.FAILED, reason, expected, seen, Owner.AGENT)

    @classmethod
    def unverified(cls, reason: str, *, owner: Owner = Owner.HOST, seen: str = "") -> Self:
        """The evidence does not decide it."""
        return cls(Outcome.UNVERIFIED, reason, seen=seen, owner=owner)

    @classmethod
    def of(cls, holds: bool, reason: str, *, expected: str = "", seen: str = "") -> Self:
        """Passed where it `holds`, else failed for `reason`."""
        return cls.passed() if holds else cls.failed(reason, expected=expected, seen=seen)
