"""What an HTTP status says about a failed request, and who has to act on a cause."""

from __future__ import annotations

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


def owner_of_cause(cause: Cause) -> Owner:
    """Who has to act on a failure, unless the program says more; the host's own people where nothing is known."""
    return _OWNERS.get(cause, Owner.HOST)
