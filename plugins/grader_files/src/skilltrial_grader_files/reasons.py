"""Why a check on files was answered as it was: a closed set of words, which go into the report."""

from __future__ import annotations

from enum import StrEnum

from skilltrial.api import CheckResult, Owner


class Reason(StrEnum):
    """The words; the README says what each means. Those after `LISTING_CUT` make a check `unverified`."""

    FILE_MISSING = "file_missing"
    NOT_A_FILE = "not_a_file"
    NOT_A_FOLDER = "not_a_folder"
    STILL_THERE = "still_there"
    NOT_UTF8 = "not_utf8"
    TEXT_MISSING = "text_missing"
    TEXT_PRESENT = "text_present"
    PATTERN_MISSING = "pattern_missing"
    PATTERN_PRESENT = "pattern_present"
    CONTENT_DIFFERS = "content_differs"
    NOT_JSON = "not_json"
    POINTER_MISSING = "pointer_missing"
    POINTER_PRESENT = "pointer_present"
    VALUE_DIFFERS = "value_differs"
    SCHEMA_NOT_MET = "schema_not_met"
    NOT_EXECUTABLE = "not_executable"
    EXECUTABLE = "executable"
    CHANGED = "changed"
    NOT_CHANGED = "not_changed"
    CHANGED_OUTSIDE = "changed_outside"
    NOTHING_CHANGED = "nothing_changed"
    TOO_FEW_FILES = "too_few_files"
    TOO_MANY_FILES = "too_many_files"
    TOO_FEW_LINES = "too_few_lines"
    TOO_MANY_LINES = "too_many_lines"

    LISTING_CUT = "listing_cut"
    CONTENT_NOT_KEPT = "content_not_kept"
    CONTENT_REDACTED = "content_redacted"
    NEVER_THERE = "never_there"
    ASSET_MISSING = "asset_missing"
    SCHEMA_UNUSABLE = "schema_unusable"
    PATTERN_TOO_SLOW = "pattern_too_slow"


class Settled(Exception):
    """The check is answered, deep inside: a file is missing, say. `FilesGrader.grade` returns the answer."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.reason)
        self.result = result


def failed(reason: Reason, *, expected: str = "", seen: str = "") -> Settled:
    """The agent did otherwise."""
    return Settled(CheckResult.failed(reason.value, expected=expected, seen=seen))


def unverified(reason: Reason, owner: Owner = Owner.OPERATOR, *, seen: str = "") -> Settled:
    """The evidence does not decide."""
    return Settled(CheckResult.unverified(reason.value, owner=owner, seen=seen))
