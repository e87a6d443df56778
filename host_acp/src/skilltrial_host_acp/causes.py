"""Why a request failed: by the protocol's own codes, else by an HTTP status that the message tells."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType

from skilltrial.api import Cause, Owner

from .reading import Object

_AUTH_REQUIRED = -32000
_STATUS = re.compile(r"(?<![\d.])(4\d\d|5\d\d)(?![\d.])")
_BY_STATUS: Mapping[int, Cause] = MappingProxyType(
    {
        401: Cause.AUTH,
        403: Cause.AUTH,
        402: Cause.QUOTA,
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
        Cause.CONTEXT: Owner.AGENT,
    }
)


def cause_of(error: Object) -> Cause:
    """The cause of a JSON-RPC error."""
    if error.get("code") == _AUTH_REQUIRED:
        return Cause.AUTH
    found = _STATUS.search(json.dumps([error.get("message"), error.get("data")]))
    if found is None:
        return Cause.UNCLASSIFIED
    return _BY_STATUS.get(int(found[1]), Cause.SERVER if int(found[1]) >= 500 else Cause.UNCLASSIFIED)


def owner_of(cause: Cause) -> Owner:
    """Who has to act on it; the host's own people where nothing is known."""
    return _OWNERS.get(cause, Owner.HOST)
