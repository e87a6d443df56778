"""What an HTTP status, or a provider's word, says about a failed request, and who has to act on a cause."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from .words import Cause, Owner

_BY_STATUS: Mapping[int, Cause] = MappingProxyType(
    {
        401: Cause.AUTH,
        402: Cause.QUOTA,
        403: Cause.AUTH,
        408: Cause.TRANSPORT,
        413: Cause.CONTEXT,
        429: Cause.RATE_LIMIT,
    }
)
_BY_WORD: Mapping[str, Cause] = MappingProxyType(
    {
        "authentication_error": Cause.AUTH,
        "permission_error": Cause.AUTH,
        "invalid_api_key": Cause.AUTH,
        "billing_error": Cause.QUOTA,
        "insufficient_quota": Cause.QUOTA,
        "rate_limit_error": Cause.RATE_LIMIT,
        "rate_limit_exceeded": Cause.RATE_LIMIT,
        "context_length_exceeded": Cause.CONTEXT,
        "request_too_large": Cause.CONTEXT,
        "api_error": Cause.SERVER,
        "overloaded_error": Cause.SERVER,
        "server_error": Cause.SERVER,
        "timeout_error": Cause.TRANSPORT,
    }
)
"""Types and codes in the errors of providers; those that may mean several things are left out."""
_WORD = re.compile(r"[a-z]++(?:_[a-z]++)++")

_OWNERS: Mapping[Cause, Owner] = MappingProxyType(
    {
        Cause.AUTH: Owner.OPERATOR,
        Cause.QUOTA: Owner.OPERATOR,
        Cause.RATE_LIMIT: Owner.MODEL,
        Cause.SERVER: Owner.MODEL,
        Cause.TRANSPORT: Owner.MODEL,
        Cause.REFUSAL: Owner.MODEL,
        Cause.EMPTY: Owner.MODEL,
        Cause.CONTEXT: Owner.AGENT,
    }
)


def cause_of_status(status: int) -> Cause | None:
    """Why a model's provider answered with this status; None where it may be for several reasons (400, 404)."""
    return Cause.SERVER if status >= 500 else _BY_STATUS.get(status)


def cause_of_words(message: str) -> Cause | None:
    """Why a request failed, by the first of the providers' words in a message that has no status, or None.

    An error in the middle of a stream comes after a status of success, and agents pass it on as it is.
    """
    return next((_BY_WORD[word] for word in _WORD.findall(message) if word in _BY_WORD), None)


def owner_of_cause(cause: Cause) -> Owner:
    """Who has to act on a failure, unless the program says more; the host's own people where nothing is known."""
    return _OWNERS.get(cause, Owner.HOST)
