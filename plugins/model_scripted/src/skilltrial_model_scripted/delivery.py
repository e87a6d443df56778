"""How an answer goes over the wire, whole or cut short, and the hold on a connection that this needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

Wait = Callable[[], Awaitable[bool]]
"""Waits, and says whether the program waited too."""


class Severable(H11Protocol):
    """uvicorn's HTTP/1.1, which also tells the application about its transport: ASGI has no way to hang up."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection; its requests find the transport in their state."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


class Severed(Response):
    """Drops the connection: before the headers, or after a piece of a body that was meant to be longer."""

    def __init__(self, piece: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(headers=headers)
        self.piece = piece

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what is to arrive, hang up, and wait until the server has noticed."""
        if self.piece:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": self.piece, "more_body": True})
        transport: asyncio.Transport = scope["state"]["transport"]
        transport.close()  # unlike abort(), it lets arrive what was written
        while (await receive())["type"] != "http.disconnect":
            pass


@dataclass(frozen=True, slots=True)
class Whole:
    """An answer as one JSON document."""

    data: bytes

    def response(self) -> Response:
        """All of it."""
        return Response(self.data, headers=JSON)

    def severed(self) -> Response:
        """Half of it."""
        return Severed(self.data[: len(self.data) // 2], {**JSON, "content-length": str(len(self.data))})

    def garbled(self) -> Response:
        """Half of it, and then what is no JSON."""
        return Response(self.data[: len(self.data) // 2] + GARBAGE, headers=JSON)

    def stalled(self, wait: Wait) -> Response:
        """Half of it, then after a silence the rest."""
        half = len(self.data) // 2
        return StreamingResponse(_halves((self.data[:half],), (self.data[half:],), wait), headers=JSON)


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer as server-sent events."""

    events: tuple[bytes, ...]

    def response(self) -> Response:
        """All events, each in a piece of its own."""

        async def each() -> AsyncIterator[bytes]:
            for event in self.events:
                yield event

        return StreamingResponse(each(), headers=SSE)

    def severed(self) -> Response:
        """The first half of the events."""
        return Severed(b"".join(self.events[: self.half]), {**SSE, "transfer-encoding": "chunked"})

    def garbled(self) -> Response:
        """The first half of the events, and then one that is none."""
        return Response(b"".join((*self.events[: self.half], b"data: ", GARBAGE, b"\n\n")), headers=SSE)

    @property
    def half(self) -> int:
        """How many events are the first half."""
        return len(self.events) // 2

    def failed(self, failure: bytes) -> Response:
        """The first half of the events, and then the one that says that there will be no more."""
        return Response(b"".join((*self.events[: self.half], failure)), headers=SSE)

    def stalled(self, wait: Wait) -> Response:
        """The first half of the events, then after a silence the rest."""
        return StreamingResponse(_halves(self.events[: self.half], self.events[self.half :], wait), headers=SSE)


async def _halves(first: Sequence[bytes], rest: Sequence[bytes], wait: Wait) -> AsyncIterator[bytes]:
    for piece in first:
        yield piece
    # Where the trial has ended meanwhile nobody is there to hear the rest.
    if await wait():
        for piece in rest:
            yield piece


GARBAGE = b"<html><body>not what was asked for</body></html>"

REQUEST_ID = {"request-id": "req_scripted", "x-request-id": "req_scripted"}
JSON = {"content-type": "application/json", **REQUEST_ID}
SSE = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache", **REQUEST_ID}


async def pause(request: Request, ended: asyncio.Event, seconds: float) -> bool:
    """Wait, and say whether the program waited too. Ends early when it hangs up or its trial has `ended`."""
    gone = asyncio.ensure_future(_hung_up(request))
    over = asyncio.ensure_future(ended.wait())
    early, late = await asyncio.wait({gone, over}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in late:
        task.cancel()
    return not early


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
