"""A request as HTTP brings it: whether it is for us, and whether it may be answered at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import Response
from starlette.types import Receive, Scope

from .eras import is_modern
from .params import PREFIX
from .revisions import METHOD_HEADER, NAME_HEADER, VERSION_HEADER

BODY_LIMIT = 16 * 1024 * 1024
"""Bytes of a request's body."""

JSON, STREAM = "application/json", "text/event-stream"


_ROUTING = frozenset(header.encode() for header in (VERSION_HEADER, METHOD_HEADER, NAME_HEADER))


class Gone(Exception):
    """The program hung up before it had said all."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request: its headers by lower-case name (the last, where one comes twice) and where its body comes from."""

    method: str
    headers: Mapping[str, str]
    twice: bool
    """Whether a header that routes requests came twice: two readers would take two different ones."""
    receive: Receive

    @classmethod
    def of(cls, scope: Scope, receive: Receive) -> Incoming:
        """The request of an ASGI scope."""
        pairs: list[tuple[bytes, bytes]] = scope["headers"]
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in pairs}
        routing = [name for name, _ in pairs if name in _ROUTING or name.startswith(PREFIX.encode())]
        twice = len(set(routing)) != len(routing)
        return cls(scope["method"], headers, twice, receive)

    @property
    def version(self) -> str | None:
        """The protocol revision that the request names."""
        return self.headers.get(VERSION_HEADER)

    def accepts(self, wanted: str) -> bool:
        """Whether the program takes an answer of this kind; one that does not say takes any."""
        header = self.headers.get("accept", "*/*")
        if wanted in header:
            return True
        return not {f"{wanted.partition('/')[0]}/*", "*/*"}.isdisjoint(_media(header))

    async def body(self) -> bytes | None:
        """The body; None where it is too large. It is read to its end, so that the program hears why."""
        kept, fits = b"", True
        while True:
            said = await self.receive()
            if said["type"] == "http.disconnect":
                raise Gone
            piece: bytes = said.get("body", b"")
            fits = fits and len(kept) + len(piece) <= BODY_LIMIT
            if fits:
                kept = kept + piece if kept else piece
            if not said.get("more_body", False):
                return kept if fits else None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request that HTTP itself refuses."""

    why: str
    status: int
    allow: str | None = None

    def response(self) -> Response:
        """The refusal as a response."""
        headers = None if self.allow is None else {"allow": self.allow}
        return Response(self.why.replace("_", " "), self.status, headers, "text/plain")


def stranger(request: Incoming, ours: frozenset[str]) -> Refusal | None:
    """The refusal of a request that a web page was tricked into: it names another host, or comes from elsewhere."""
    if request.headers.get("host") not in ours:
        return Refusal("wrong_host", 421)
    origin = request.headers.get("origin")
    if origin is not None and (not origin.startswith("http://") or origin.removeprefix("http://") not in ours):
        return Refusal("wrong_origin", 403)
    return None


def unfit(request: Incoming) -> Refusal | None:
    """The refusal of a request whose method or kinds of content this protocol does not have."""
    modern = is_modern(request.version)
    if request.method not in (("POST",) if modern else ("POST", "GET")):
        return Refusal("method_not_allowed", 405, "POST" if modern else "GET, POST")
    kind = request.headers.get("content-type", "")
    if request.method == "POST" and kind != JSON and _media(kind) != [JSON]:
        return Refusal("wrong_content_type", 415)
    if not request.accepts(JSON if request.method == "POST" else STREAM):
        return Refusal("not_acceptable", 406)
    return None


def _media(header: str) -> list[str]:
    return [kind.partition(";")[0].strip().lower() for kind in header.split(",")]
