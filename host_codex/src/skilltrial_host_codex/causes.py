"""Why a turn failed: the program's structured word where there is one, else what its message says."""

from __future__ import annotations

import re

from skilltrial.api import Cause, Owner
from skilltrial.causes import cause_of_status, owner_of_cause

_BY_WORD = {
    "usage_limit_exceeded": Cause.QUOTA,
    "session_budget_exceeded": Cause.QUOTA,
    "cyber_policy": Cause.REFUSAL,
    "response_too_many_failed_attempts": Cause.SERVER,
    "context_window_exceeded": Cause.CONTEXT,
    "unauthorized": Cause.AUTH,
    "internal_server_error": Cause.SERVER,
    "server_overloaded": Cause.SERVER,
    "response_stream_disconnected": Cause.TRANSPORT,
    "response_stream_connection_failed": Cause.TRANSPORT,
    "http_connection_failed": Cause.TRANSPORT,
}
_STATUS = re.compile(r"(?:unexpected|last) status:? (\d{3})\b")
_BY_MESSAGE = (
    (("insufficient_quota", "quota exceeded", "usage limit"), Cause.QUOTA),
    (("context_length_exceeded", "context window", "max_output_tokens"), Cause.CONTEXT),
    (("rate limit", "rate_limit", "rate-limit", "ratelimit"), Cause.RATE_LIMIT),
    (
        ("missing environment variable", "invalid api key", "not logged in", "log in again", "unauthorized"),
        Cause.AUTH,
    ),
    (("content_filter", "flagged", "safety"), Cause.REFUSAL),
    (("high demand", "overloaded", "server had an error", "internal server error"), Cause.SERVER),
    (
        (
            *("connection failed", "error sending request", "transport error", "idle timeout", "waiting for network"),
            *("stream closed before", "connection reset", "connection refused", "timed out"),
        ),
        Cause.TRANSPORT,
    ),
)
"""Words of a message, in small letters: many plain words are found faster than one pattern of them."""
_BROKEN_OFF = re.compile(r"(?:Reconnecting\.\.\. \S+ \()?stream disconnected before completion: ", re.I)
"""Any other text after these words came from the provider: its `response.failed` carries a message of its own."""

_NOWHERE = re.compile(r"(?:unexpected|last) status:? 404\b|\bmodel\b.* does not exist|model_not_found", re.I)
"""No such model, or not at this address."""
_USAGE = re.compile(r"^error: |^Error loading config", re.M)
_STATE = re.compile(r"permission denied|read-only file system|no space left|operation not permitted", re.I)
"""The program can't write its own state."""


def cause_of(message: str, info: object) -> Cause:
    """The cause; `info` is the session log's `codex_error_info`: a word, or an object of a word and an HTTP status."""
    word, status = _told(info)
    if status is None and (found := _STATUS.search(message)):
        status = int(found[1])
    if status is not None and (cause := cause_of_status(status)) is not None:
        return cause
    if word in _BY_WORD and status is None:
        return _BY_WORD[word]
    told = message.lower()
    for words, cause in _BY_MESSAGE:
        for one in words:
            if one in told:
                return cause
    return Cause.SERVER if _BROKEN_OFF.match(message) else Cause.UNCLASSIFIED


def owner_of(cause: Cause, message: str, info: object) -> Owner:
    """Who has to act on it; `info` as for `cause_of`."""
    if cause is Cause.UNCLASSIFIED and (_told(info)[0] == "model_not_found" or _NOWHERE.search(message)):
        return Owner.OPERATOR
    return owner_of_cause(cause)


def owner_of_stderr(errors: str) -> Owner:
    """Who has to act when the program ended before a turn began."""
    if "required MCP servers failed" in errors:
        return Owner.FIXTURE
    if _USAGE.search(errors) or _STATE.search(errors):
        return Owner.OPERATOR
    return Owner.HOST


def _told(info: object) -> tuple[str, int | None]:
    if isinstance(info, str):
        return info, None
    if isinstance(info, dict) and len(info) == 1:
        ((word, more),) = info.items()
        status = more.get("http_status_code") if isinstance(more, dict) else None
        return word, status if isinstance(status, int) and not isinstance(status, bool) else None
    return "", None
