"""Why a check on calls was answered as it was: a closed set of words, which go into the report."""

from __future__ import annotations

from enum import StrEnum

from skilltrial.api import CheckResult, Owner


class Reason(StrEnum):
    """The words; the README says what each means. Those after `CALLS_NOT_SHOWN` make a check `unverified`."""

    CALL_MISSING = "call_missing"
    CALL_TOO_MANY = "call_too_many"
    CALLS_DIFFER = "calls_differ"
    CALL_FORBIDDEN = "call_forbidden"
    CALL_REJECTED = "call_rejected"
    NOT_CALLED = "not_called"
    ARGUMENTS_DIFFER = "arguments_differ"
    RESULT_DIFFERS = "result_differs"
    RETRIED = "retried"
    TOOL_UNKNOWN = "tool_unknown"
    CALL_DENIED = "call_denied"
    SKILL_NOT_READ = "skill_not_read"
    SKILL_OPENED = "skill_opened"
    STEP_NOT_REACHED = "step_not_reached"
    STEP_REACHED = "step_reached"

    CALLS_NOT_SHOWN = "calls_not_shown"
    ARGUMENTS_NOT_SHOWN = "arguments_not_shown"
    RESULT_NOT_SHOWN = "result_not_shown"
    STEP_NOT_SHOWN = "step_not_shown"
    SCHEMA_UNUSABLE = "schema_unusable"
    PATTERN_TOO_SLOW = "pattern_too_slow"


class Settled(Exception):
    """The check is answered, deep inside. `CallsGrader.grade` returns the answer."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.reason)
        self.result = result


def failed(reason: Reason, *, expected: str = "", seen: str = "") -> Settled:
    """The agent called otherwise."""
    return Settled(CheckResult.failed(reason.value, expected=expected, seen=seen))


def unverified(reason: Reason, owner: Owner = Owner.HOST, *, seen: str = "") -> Settled:
    """The evidence does not decide."""
    return Settled(CheckResult.unverified(reason.value, owner=owner, seen=seen))
