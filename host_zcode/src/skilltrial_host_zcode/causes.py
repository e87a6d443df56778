"""Why a turn failed, and who has to act: by the names and codes of the protocol, else by an HTTP status it tells."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType

from skilltrial.api import Cause, Owner
from skilltrial.causes import cause_of_status, owner_of_cause

from .lines import Object, inner, number, text

Failure = tuple[Cause, Owner]
HOSTS: Failure = (Cause.UNCLASSIFIED, Owner.HOST)
OPERATORS: Failure = (Cause.UNCLASSIFIED, Owner.OPERATOR)

_STATUS = re.compile(r"(?<![\d.])(4\d\d|5\d\d)(?![\d.])")
_WORDS: tuple[tuple[re.Pattern[str], Cause], ...] = (
    (re.compile(r"quota|insufficient|billing|balance"), Cause.QUOTA),
    (re.compile(r"rate.?limit|too many requests"), Cause.RATE_LIMIT),
    (re.compile(r"unauthori[sz]ed|authentication|invalid.?api.?key"), Cause.AUTH),
    (re.compile(r"context.?(length|window|limit)|prompt is too long"), Cause.CONTEXT),
    (re.compile(r"econnre|enotfound|etimedout|socket hang|fetch failed|network|connect(ion)? (error|refused|reset)"),
     Cause.TRANSPORT),
    (re.compile(r"content.?filter|refus"), Cause.REFUSAL),
    (re.compile(r"empty (completion|response)|no output"), Cause.EMPTY),
    (re.compile(r"overloaded|internal server error|bad gateway|service unavailable"), Cause.SERVER),
)  # fmt: skip
_CODES: Mapping[int, Failure] = MappingProxyType(
    {
        -32018: OPERATORS,  # a model that is in no table
        -32031: (Cause.AUTH, Owner.OPERATOR),
    }
)
_RESULTS: Mapping[str, Failure] = MappingProxyType(
    {
        "error_max_turns": (Cause.UNCLASSIFIED, Owner.AGENT),
        "error_max_budget": (Cause.UNCLASSIFIED, Owner.AGENT),
        "error_max_tool_calls": (Cause.UNCLASSIFIED, Owner.AGENT),
    }
)
_TOLD = ("code", "status", "statusCode", "type", "message", "detail", "underlyingErrorMessage", "attribution", "reason")
_SETTINGS = (
    "Provider Config",
    "ZCode Built-in",
    "Model creation failed",
)
"""What stands on standard error where the program does not start for want of its tables or of a model."""


def of_reply(error: Object) -> Failure:
    """Of an error that came back for a request."""
    return _CODES.get(number(error, "code") or 0, HOSTS)


def of_turn(payload: Object) -> Failure:
    """Of a turn that failed."""
    error = inner(payload, "error")
    cause = _cause(error)
    if cause is not Cause.UNCLASSIFIED:
        return cause, owner_of_cause(cause)
    settings = text(error, "type") == "configuration_error" or text(payload, "turnPhase") == "model_creation"
    return OPERATORS if settings else HOSTS


def of_result(kind: str) -> Failure:
    """Of a turn that completed in another way than with success."""
    return _RESULTS.get(kind, HOSTS)


def of_start(lines: list[str]) -> Failure:
    """Of a program that ended before its first answer, by what it printed on standard error."""
    return OPERATORS if any(words in line for line in lines for words in _SETTINGS) else HOSTS


def of_retry(told: Object) -> Cause:
    """Why a model was asked again."""
    return _cause(told)


def _cause(error: Object) -> Cause:
    told = json.dumps([error.get(key) for key in _TOLD])
    found = _STATUS.search(told)
    by_status = cause_of_status(int(found[1])) if found is not None else None
    words = told.lower()
    # Words say more than 5xx does: a quota that is used up may be told with any status.
    by_words = next((cause for pattern, cause in _WORDS if pattern.search(words)), None)
    if by_status is None or by_status is Cause.SERVER:
        return by_words or by_status or Cause.UNCLASSIFIED
    return by_status
