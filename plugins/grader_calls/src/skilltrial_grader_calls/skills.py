"""Checks on skills: that one was read, that none was opened; and that the program rejected no call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field, Strict

from skilltrial.api import (
    CheckOptions,
    CheckResult,
    Evidence,
    PermissionDecided,
    SkillStep,
    Step,
    ToolRejected,
    ToolRequested,
)
from skilltrial.checks.wording import cut

from .describing import Name
from .reasons import Reason, failed

READ = frozenset({Step.READ, Step.SCRIPT_RUN})
OPENED = READ | {Step.REQUESTED, Step.ERRORED}

Why = Literal["schema", "unknown_tool", "permission", "hook", "policy"]


class SkillReadCheck(CheckOptions):
    """The body of a skill was read."""

    reads_skill: Name

    def sentence(self) -> str:
        """See CheckOptions."""
        return f"the skill {cut(self.reads_skill)} is read"


class SkillUnopenedCheck(CheckOptions):
    """No skill was asked for, or one was not."""

    opens_skill: Literal["never"]
    skill: Name | None = None
    """The skill; without it any of the suite's."""

    def sentence(self) -> str:
        """See CheckOptions."""
        return "no skill is opened" if self.skill is None else f"the skill {cut(self.skill)} is not opened"


class RejectionCheck(CheckOptions):
    """The program rejected no call, or none for one of these reasons."""

    subject: ClassVar[str | None] = "server"

    rejections: Literal["never"]
    reasons: Annotated[tuple[Why, ...], Strict(False), Field(min_length=1)] | None = None
    server: Name | None = None

    def sentence(self) -> str:
        """See CheckOptions."""
        why = "" if self.reasons is None else f" for {' or '.join(self.reasons)}"
        return f"no call{'' if self.server is None else f' of {cut(self.server)}'} is rejected{why}"


def skill_is_read(check: SkillReadCheck, evidence: Evidence) -> CheckResult:
    """Answer a SkillReadCheck."""
    read = any(step.skill == check.reads_skill and step.step in READ for step in _steps(evidence))
    return CheckResult.of(read, Reason.SKILL_NOT_READ.value)


def skill_is_unopened(check: SkillUnopenedCheck, evidence: Evidence) -> CheckResult:
    """Answer a SkillUnopenedCheck."""
    opened = [step for step in _steps(evidence) if step.step in OPENED and check.skill in (None, step.skill)]
    if opened:
        raise failed(Reason.SKILL_OPENED, seen=f"{cut(opened[0].skill)} {opened[0].step}")
    return CheckResult.passed()


def none_is_rejected(check: RejectionCheck, evidence: Evidence) -> CheckResult:
    """Answer a RejectionCheck."""
    servers = {event.call: event.server for event in evidence.events if isinstance(event, ToolRequested)}
    for call, why in _rejections(evidence):
        if check.reasons is not None and why not in check.reasons:
            continue
        # A refusal that names no call may have been of any.
        if check.server is None or call is None or servers.get(call) == check.server:
            raise failed(Reason.CALL_REJECTED, seen=why)
    return CheckResult.passed()


def _rejections(evidence: Evidence) -> Iterator[tuple[str | None, Why]]:
    for event in evidence.events:
        if isinstance(event, ToolRejected):
            yield event.call, event.reason
        elif isinstance(event, PermissionDecided) and event.decision == "denied":
            yield event.call, "permission"


def _steps(evidence: Evidence) -> tuple[SkillStep, ...]:
    return tuple(event for event in evidence.events if isinstance(event, SkillStep))
