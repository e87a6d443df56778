"""The fixture `commands`: its options and its hooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue
from pydantic.dataclasses import dataclass

from skilltrial.api import Can, FixtureIdentity, FixtureRun, RunInfo

File = Annotated[str, Field(min_length=1, max_length=500)]
Program = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._+-]{0,99}$")]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class CommandsFixture:
    """Programs that stand before the real ones on PATH, and whose answers are data."""

    programs: Annotated[tuple[Program, ...], Field(min_length=1, max_length=200)]
    """Their names, also of those that a case forbids: a call of one that is missing would never be seen."""
    replies: File
    """The scripts that cases may play, a file beside the suite."""
    stdin: tuple[Program, ...] = ()
    """Those that read their standard input to its end before they answer; the others leave it alone."""

    def fixture_assets(self) -> Sequence[str]:
        """The replies (see FixtureSpec)."""
        return (self.replies,)

    def fixture_needs(self) -> frozenset[Can]:
        """Commands that find programs of ours (see FixtureSpec)."""
        return frozenset({Can.PROGRAMS})

    def check_fixture(self, assets: Mapping[str, bytes], options: Mapping[str, JsonValue]) -> Sequence[str]:
        """The faults of the file and of a case's options (see FixtureSpec)."""
        from skilltrial.replies.scripts import choice_fault

        from .preparing import prepare

        strange = [name for name in self.stdin if name not in self.programs]
        if strange:
            return (f"`stdin` names {strange[0]}, which is none of the `programs`",)
        plays, faults = prepare(self.programs, self.replies, assets[self.replies])
        fault = None if faults else choice_fault(plays, options)
        return faults if fault is None else (fault,)

    def describe_fixture(self, assets: Mapping[str, bytes]) -> FixtureIdentity:
        """The programs (see FixtureSpec)."""
        return FixtureIdentity(tools=self.programs)

    def open_fixtures(self, run: RunInfo, assets: Mapping[str, bytes]) -> AbstractContextManager[FixtureRun]:
        """Read the replies once for all trials of a run (see FixtureSpec)."""
        from .serving import Made, open_commands

        return open_commands(Made(self.programs, self.stdin), self.replies, assets[self.replies])
