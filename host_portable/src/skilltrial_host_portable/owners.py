"""Who has to act on the cause of a failure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from skilltrial.api import Cause, Owner

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


def owner_of(cause: Cause) -> Owner:
    """On a cause that a program of unknown manners can't be asked about, the host's own people."""
    return _OWNERS.get(cause, Owner.HOST)
