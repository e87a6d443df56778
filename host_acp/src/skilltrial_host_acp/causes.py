"""Why a request failed: by the protocol's own codes, else by an HTTP status that the message tells."""

from __future__ import annotations

import json
import re

from skilltrial.api import Cause
from skilltrial.causes import cause_of_status

from .reading import Object

_AUTH_REQUIRED = -32000
_STATUS = re.compile(r"(?<![\d.])(4\d\d|5\d\d)(?![\d.])")


def cause_of(error: Object) -> Cause:
    """The cause of a JSON-RPC error."""
    if error.get("code") == _AUTH_REQUIRED:
        return Cause.AUTH
    found = _STATUS.search(json.dumps([error.get("message"), error.get("data")]))
    if found is None:
        return Cause.UNCLASSIFIED
    return cause_of_status(int(found[1])) or Cause.UNCLASSIFIED
