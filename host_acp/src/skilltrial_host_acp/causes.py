"""Why a request failed: by the protocol's own codes, else by a status or a word of the provider that it tells."""

from __future__ import annotations

import json
import re

from skilltrial.api import Cause
from skilltrial.causes import cause_of_status, cause_of_words

from .reading import Object

_AUTH_REQUIRED = -32000
_STATUS = re.compile(r"(?<![\d.])(4\d\d|5\d\d)(?![\d.])")


def cause_of(error: Object) -> Cause:
    """The cause of a JSON-RPC error."""
    if error.get("code") == _AUTH_REQUIRED:
        return Cause.AUTH
    told = json.dumps([error.get("message"), error.get("data")])
    found = _STATUS.search(told)
    return (cause_of_words(told) if found is None else cause_of_status(int(found[1]))) or Cause.UNCLASSIFIED
