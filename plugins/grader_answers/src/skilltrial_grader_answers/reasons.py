"""Why a check on an answer was answered as it was: a closed set of words, which go into the report."""

from __future__ import annotations

from enum import StrEnum

from skilltrial.api import CheckResult, Owner


class Reason(StrEnum):
    """The words; the README says what each means. Those after `ANSWER_NOT_SEEN` make a check `unverified`."""

    ANSWER_DIFFERS = "answer_differs"
    BEGINS_OTHERWISE = "begins_otherwise"
    ENDS_OTHERWISE = "ends_otherwise"
    TEXT_MISSING = "text_missing"
    TEXT_PRESENT = "text_present"
    PATTERN_MISSING = "pattern_missing"
    PATTERN_PRESENT = "pattern_present"
    TOO_LONG = "too_long"
    NOT_A_LIST = "not_a_list"
    LIST_DIFFERS = "list_differs"
    NOT_JSON = "not_json"
    POINTER_MISSING = "pointer_missing"
    VALUE_DIFFERS = "value_differs"
    SCHEMA_NOT_MET = "schema_not_met"

    ANSWER_NOT_SEEN = "answer_not_seen"
    ASSET_MISSING = "asset_missing"
    SCHEMA_UNUSABLE = "schema_unusable"
    PATTERN_TOO_SLOW = "pattern_too_slow"


class Settled(Exception):
    """The check is answered, deep inside. `AnswersGrader.grade` returns the answer."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.reason)
        self.result = result


def failed(reason: Reason, *, expected: str = "", seen: str = "") -> Settled:
    """The agent answered otherwise."""
    return Settled(CheckResult.failed(reason.value, expected=expected, seen=seen))


def unverified(reason: Reason, owner: Owner = Owner.OPERATOR, *, seen: str = "") -> Settled:
    """The evidence does not decide."""
    return Settled(CheckResult.unverified(reason.value, owner=owner, seen=seen))
