"""Why a session failed, by the program's structured words; its sentences are looked at only where it gives no word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from skilltrial.api import Cause, Owner
from skilltrial.causes import cause_of_status, owner_of_cause

from .lines import Object, strings, text, whole

_BY_END: Mapping[str, tuple[Cause, Owner]] = MappingProxyType(
    {
        "prompt_too_long": (Cause.CONTEXT, Owner.AGENT),
        "image_error": (Cause.CONTEXT, Owner.AGENT),
        "budget_exhausted": (Cause.QUOTA, Owner.OPERATOR),
        "error_max_budget_usd": (Cause.QUOTA, Owner.OPERATOR),
        "max_turns": (Cause.UNCLASSIFIED, Owner.AGENT),
        "error_max_turns": (Cause.UNCLASSIFIED, Owner.AGENT),
        "aborted_tools": (Cause.UNCLASSIFIED, Owner.OPERATOR),
        "aborted_streaming": (Cause.UNCLASSIFIED, Owner.OPERATOR),
    }
)
"""`terminal_reason` and `subtype` of a result."""

_BY_WORD: Mapping[str, Cause] = MappingProxyType(
    {
        "authentication_failed": Cause.AUTH,
        "authentication_error": Cause.AUTH,
        "permission_error": Cause.AUTH,
        "oauth_org_not_allowed": Cause.AUTH,
        "billing_error": Cause.QUOTA,
        "rate_limit": Cause.RATE_LIMIT,
        "rate_limit_error": Cause.RATE_LIMIT,
        "overloaded": Cause.SERVER,
        "overloaded_error": Cause.SERVER,
        "api_error": Cause.SERVER,
        "connection_failed": Cause.TRANSPORT,
        "stream_idle_timeout": Cause.TRANSPORT,
        "timeout_error": Cause.TRANSPORT,
        "request_too_large": Cause.CONTEXT,
        "max_output_tokens": Cause.CONTEXT,
    }
)
"""Words in `api_error`, `error` and `api_error_type` that mean one thing only."""

_BY_SENTENCE = (
    (re.compile(r"credit balance|usage limit|quota", re.I), Cause.QUOTA),
    (re.compile(r"not logged in|please run /login|authenticat|invalid api key", re.I), Cause.AUTH),
    (re.compile(r"prompt is too long|context window", re.I), Cause.CONTEXT),
    (re.compile(r"rate.?limit", re.I), Cause.RATE_LIMIT),
    (
        re.compile(r"empty or malformed response|stream ended without|overloaded|internal server error", re.I),
        Cause.SERVER,
    ),
    (re.compile(r"timed out|timeout|connection|ECONN|socket", re.I), Cause.TRANSPORT),
)

_OPERATORS_FAULT = re.compile(
    r"^error: |permission denied|EACCES|EROFS|ENOSPC|read-only file system|no space left|cannot be used with root"
    r"|not logged in|/login",
    re.I | re.M,
)


def blame(result: Object, error: Object) -> tuple[Cause, Owner]:
    """Cause and owner of a failed `result`; `error` is the last error message before it, empty where none came."""
    for key in ("terminal_reason", "subtype"):
        known = _BY_END.get(text(result, key) or "")
        if known is not None:
            return known
    cause = _cause(result, error)
    if cause is Cause.UNCLASSIFIED and "model_not_found" in (text(result, "error"), text(error, "error")):
        return cause, Owner.OPERATOR
    return cause, owner_of_cause(cause)


def retried(line: Object) -> Cause:
    """Why the program asked its model again; without a status the connection broke."""
    status = whole(line, "error_status")
    if status is None:
        return _BY_WORD.get(text(line, "error") or "", Cause.TRANSPORT)
    return cause_of_status(status) or _BY_WORD.get(text(line, "error") or "", Cause.UNCLASSIFIED)


def owner_of_start(errors: str) -> Owner:
    """Who has to act where the program ended before it said a word on its stream, by what it said to people."""
    return Owner.OPERATOR if _OPERATORS_FAULT.search(errors) else Owner.HOST


def _cause(result: Object, error: Object) -> Cause:
    if "refusal" in (text(result, "stop_reason"), text(error.get("message"), "stop_reason")):
        return Cause.REFUSAL
    both = (result, error)
    # The program's own word is more precise than its general one, and that more than the provider's.
    for key in ("api_error", "error", "api_error_type"):
        for line in both:
            word = _BY_WORD.get(text(line, key) or "")
            if word is not None:
                return word
    for line in both:
        status = whole(line, "api_error_status")
        if status is not None:
            return cause_of_status(status) or Cause.UNCLASSIFIED
    told = text(result, "result") or "\n".join(strings(result, "errors") or ())
    last = Cause.SERVER if text(error, "error") == "server_error" else Cause.UNCLASSIFIED
    return next((cause for pattern, cause in _BY_SENTENCE if pattern.search(told)), last)
