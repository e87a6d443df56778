"""A request as HTTP brings it: whether it is for us, and whether it may be answered at all."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from .delivery import Whole, in_words
from .eras import is_modern
from .headers import Headers
from .params import PREFIX
from .revisions import METHOD_HEADER, NAME_HEADER, VERSION_HEADER

if TYPE_CHECKING:
    from starlette.types import Receive, Scope

BODY_LIMIT = 16 * 1024 * 1024
"""Bytes of a request's body."""

JSON, STREAM = "application/json", "text/event-stream"


_ROUTING = frozenset(header.encode() for header in (VERSION_HEADER, METHOD_HEADER, NAME_HEADER))
_REPEATED = PREFIX.encode()
_NONE: frozenset[bytes] = frozenset()


class Gone(Exception):
    """The program hung up before it had said all."""


class Incoming(NamedTuple):
    """A request: its headers, and where its body comes from."""

    method: str
    headers: Headers
    doubled: frozenset[bytes]
    """Headers that came more than once: two readers would take two different ones."""
    receive: Receive

    @classmethod
    def of(cls, scope: Scope, receive: Receive) -> Incoming:
        """The request of an ASGI scope."""
        pairs: list[tuple[bytes, bytes]] = scope["headers"]
        raw = dict(pairs)
        doubled = _NONE if len(raw) == len(pairs) else _doubled(pairs)
        return cls(scope["method"], Headers(raw), doubled, receive)

    @property
    def twice(self) -> bool:
        """Whether a header that routes requests came more than once."""
        return any(name in _ROUTING or name.startswith(_REPEATED) for name in self.doubled)

    @property
    def version(self) -> str | None:
        """The protocol revision that the request names."""
        return self.headers.get(VERSION_HEADER)

    def accepts(self, wanted: str) -> bool:
        """Whether the program takes an answer of this kind; one that does not say takes any."""
        header = self.headers.get("accept") or "*/*"
        if wanted in header:
            return True
        return not {f"{wanted.partition('/')[0]}/*", "*/*"}.isdisjoint(_media(header))

    async def body(self) -> bytes | None:
        """The body; None where it is too large. It is read to its end, so that the program hears why."""
        pieces: list[bytes] = []
        size = 0
        while True:
            said = await self.receive()
            if said["type"] == "http.disconnect":
                raise Gone
            piece: bytes = said.get("body", b"")
            size += len(piece)
            if size <= BODY_LIMIT:
                pieces.append(piece)
            if not said.get("more_body", False):
                break
        if size > BODY_LIMIT:
            return None
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class Refusal(NamedTuple):
    """A request that HTTP itself refuses."""

    why: str
    status: int
    allow: str | None = None

    def response(self) -> Whole:
        """The refusal as a response."""
        headers = [] if self.allow is None else [(b"allow", self.allow.encode())]
        return in_words(self.why.replace("_", " "), self.status, *headers)


def stranger(request: Incoming, ours: frozenset[str]) -> Refusal | None:
    """The refusal of a request that a web page was tricked into: it names another host, or comes from elsewhere."""
    if request.headers.get("host") not in ours or b"host" in request.doubled:
        return Refusal("wrong_host", 421)
    origin = request.headers.get("origin")
    if origin is None:
        return None
    if not origin.startswith("http://") or origin.removeprefix("http://") not in ours or b"origin" in request.doubled:
        return Refusal("wrong_origin", 403)
    return None


def unfit(request: Incoming) -> Refusal | None:
    """The refusal of a request whose method or kinds of content this protocol does not have."""
    modern = is_modern(request.version)
    if request.method not in (("POST",) if modern else ("POST", "GET")):
        return Refusal("method_not_allowed", 405, "POST" if modern else "GET, POST")
    kind = request.headers.get("content-type") or ""
    if request.method == "POST" and kind != JSON and _media(kind) != [JSON]:
        return Refusal("wrong_content_type", 415)
    if not request.accepts(JSON if request.method == "POST" else STREAM):
        return Refusal("not_acceptable", 406)
    return None


def _media(header: str) -> list[str]:
    return [kind.partition(";")[0].strip().lower() for kind in header.split(",")]


def _doubled(pairs: list[tuple[bytes, bytes]]) -> frozenset[bytes]:
    return frozenset(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
