"""The stateless revision: what each of its requests must say of itself, in the body and in the headers."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from .revisions import (
    CAPABILITIES_KEY,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_HEADER,
    MODERN,
    NAME_HEADER,
    UNSUPPORTED_VERSION,
    VERSION_HEADER,
    VERSION_KEY,
)
from .rpc import Failure, Request

if TYPE_CHECKING:
    from .headers import Headers

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_BASE64 = re.compile(r"=\?base64\?(.*)\?=")


def is_enveloped(request: Request) -> bool:
    """Whether a request speaks the stateless revision; `initialize` never does."""
    return VERSION_KEY in request.meta and request.method != "initialize"


def envelope_fault(request: Request, headers: Headers | None) -> Failure | None:
    """What is wrong with a request of the stateless revision; without headers where the transport has none."""
    meta = request.meta
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        return _fault(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}", "no_envelope", request)
    version = meta[VERSION_KEY]
    if headers is not None:
        wrong = _mismatch(request, version, headers)
        if wrong is not None:
            return _fault(HEADER_MISMATCH, f"{wrong} header does not match the body", "header_mismatch", request)
    if not isinstance(version, str):
        return _fault(INVALID_PARAMS, f"{VERSION_KEY} must be a string", "no_envelope", request)
    if version != MODERN:
        return unsupported(version, request)
    return None


def unsupported(version: str, request: Request | None = None, supported: tuple[str, ...] = (MODERN,)) -> Failure:
    """The refusal of a revision that is not spoken."""
    return Failure(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version",
        "unsupported_version",
        {"supported": list(supported), "requested": version},
        None if request is None else request.id,
    )


def decoded(header: str | None) -> str | None:
    """The text of a header that may be in base64; None where it is absent or not well formed."""
    found = None if header is None else _BASE64.fullmatch(header)
    if found is None:
        return header
    try:
        text = base64.b64decode(found[1], validate=True)
        return text.decode("utf-8") if base64.b64encode(text).decode("ascii") == found[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None


def _mismatch(request: Request, version: object, headers: Headers) -> str | None:
    if headers.get(VERSION_HEADER) != version:
        return VERSION_HEADER
    if headers.get(METHOD_HEADER) != request.method:
        return METHOD_HEADER
    key = _NAMED.get(request.method)
    value = None if key is None else request.params.get(key)
    if value is not None and decoded(headers.get(NAME_HEADER)) != value:
        return NAME_HEADER
    return None


def _fault(code: int, message: str, why: str, request: Request) -> Failure:
    return Failure(code, message, why, id=request.id)
