"""Which revision a message speaks, and whether this server speaks it too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .envelopes import decoded, envelope_fault, is_enveloped, unsupported
from .params import misrepeated
from .revisions import (
    BATCHING,
    HANDSHAKE,
    HEADER_MISMATCH,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MODERN,
    MODERN_STATUS,
    PARSE_ERROR,
    UNSAID,
    UNSUPPORTED_VERSION,
    VERSION_HEADER,
)
from .rpc import Failure, Request

if TYPE_CHECKING:
    from .headers import Headers
    from .served import ServedTrial


def spoken(request: Request, headers: Headers | None, served: ServedTrial) -> str | Failure:
    """The revision of a request, or why it is refused. `headers` is None where the transport has none."""
    header = None if headers is None else headers.get(VERSION_HEADER)
    speaks = served.about.speaks
    if is_modern(header) or is_enveloped(request):
        if speaks == "handshake":
            return _unheard_of(request)
        return envelope_fault(request, headers) or _param_fault(request, headers, served) or MODERN
    if speaks == MODERN and request.method != "initialize":
        return unsupported(header or UNSAID, request)
    return header or served.revision or UNSAID


def is_modern(header: str | None) -> bool:
    """Whether the header of a request names no revision of the handshake."""
    return header is not None and header not in HANDSHAKE


def may_batch(header: str | None, served: ServedTrial) -> bool:
    """Whether several messages may come at once."""
    return served.about.speaks != MODERN and (header or served.revision or UNSAID) == BATCHING


def status(failure: Failure, *, modern: bool) -> int:
    """The HTTP status of an error."""
    if modern:
        return MODERN_STATUS.get(failure.code, 200)
    return 400 if failure.code in (PARSE_ERROR, INVALID_REQUEST, UNSUPPORTED_VERSION) else 200


def _param_fault(request: Request, headers: Headers | None, served: ServedTrial) -> Failure | None:
    name = request.params.get("name")
    tool = served.catalog.tools.get(name) if isinstance(name, str) and request.method == "tools/call" else None
    if headers is None or tool is None or not tool.repeated:
        return None
    told = {one.header: headers.get(one.header) for one in tool.repeated}
    said = {name: decoded(header) for name, header in told.items() if header is not None}
    wrong = misrepeated(tool.repeated, request.params.get("arguments"), said)
    if wrong is None:
        return None
    return Failure(HEADER_MISMATCH, f"{wrong} header does not match the body", "header_mismatch", id=request.id)


def _unheard_of(request: Request) -> Failure:
    """What a server of the handshake says to the stateless revision: it does not know the probe's method."""
    if request.method == "server/discover":
        return Failure(METHOD_NOT_FOUND, "Method not found", "unknown_method", id=request.id)
    return Failure(INVALID_REQUEST, "Bad request: unsupported protocol version", "unsupported_version", id=request.id)
