"""The commands grader: what a command of `after` said, as it was recorded. It runs nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from skilltrial.api import CheckOptions, CheckResult, CommandResult, Evidence, Owner, Sees

LAST = 400
"""Characters of a command's output that a reader is shown: its end, where test runners sum up."""


class Reason(StrEnum):
    """Why a check was answered as it was. Those after `TEXT_PRESENT` make it `unverified`."""

    EXIT_CODE_DIFFERS = "exit_code_differs"
    TEXT_MISSING = "text_missing"
    TEXT_PRESENT = "text_present"

    COMMAND_NOT_RUN = "command_not_run"
    COMMAND_ENDED_BY_LIMIT = "command_ended_by_limit"
    OUTPUT_REDACTED = "output_redacted"


class CommandCheck(CheckOptions):
    """A command of the case's `after`, by its text, and what it must have said."""

    subject: ClassVar[str | None] = "command"

    command: Annotated[str, Field(min_length=1)]
    exits: Annotated[int, Field(ge=0, le=255)] = 0
    prints: Annotated[str, Field(min_length=1)] | None = None
    prints_not: Annotated[str, Field(min_length=1)] | None = None

    def sentence(self) -> str:
        """See CheckOptions."""
        ends = "passes" if self.exits == 0 else f"ends with {self.exits}"
        prints = f", prints {self.prints}" if self.prints is not None else ""
        silent = f", does not print {self.prints_not}" if self.prints_not is not None else ""
        return f"`{self.command}` {ends}{prints}{silent}"

    def commands(self) -> tuple[str, ...]:
        """See CheckOptions."""
        return (self.command,)


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class CommandsGrader:
    """Answers what commands of the suite found in the place when the session was over."""

    def check_models(self) -> Sequence[type[CheckOptions]]:
        """See GraderSpec."""
        return (CommandCheck,)

    def check_needs(self, check: CheckOptions) -> frozenset[Sees]:
        """See GraderSpec. Commands are the runner's own: no host has to show anything."""
        return frozenset()

    def grade(self, check: CheckOptions, evidence: Evidence) -> CheckResult:
        """See GraderSpec."""
        if not isinstance(check, CommandCheck):
            raise TypeError(type(check).__name__)
        found = [one for one in evidence.after if one.command == check.command]
        if not found:
            told = ", ".join(f"`{one.command}`" for one in evidence.after) or "none"
            return CheckResult.unverified(Reason.COMMAND_NOT_RUN, owner=Owner.OPERATOR, seen=f"commands: {told}")
        # A command that stands in `after` twice has the last word when it is run last.
        return _answer(check, found[-1])


def _answer(check: CommandCheck, done: CommandResult) -> CheckResult:
    output = f"{done.stdout}\n{done.stderr}".strip()
    seen = f"exit {done.code}: {output[-LAST:]}" if output else f"exit {done.code}"
    if done.code is None:
        return CheckResult.unverified(Reason.COMMAND_ENDED_BY_LIMIT, owner=Owner.OPERATOR, seen=output[-LAST:])
    if done.code != check.exits:
        return CheckResult.failed(Reason.EXIT_CODE_DIFFERS, expected=f"exit {check.exits}", seen=seen)
    if "[redacted " in output and (check.prints is not None or check.prints_not is not None):
        return CheckResult.unverified(Reason.OUTPUT_REDACTED, owner=Owner.OPERATOR)
    if check.prints is not None and check.prints not in output:
        return CheckResult.failed(Reason.TEXT_MISSING, expected=check.prints, seen=seen)
    if check.prints_not is not None and check.prints_not in output:
        return CheckResult.failed(Reason.TEXT_PRESENT, expected=f"without {check.prints_not}", seen=seen)
    return CheckResult.passed(seen=seen)
