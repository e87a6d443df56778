"""How answers leave: whole, late, broken, or as a stream; and the hold on a connection that this needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from pydantic import JsonValue
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from skilltrial.replies.strictjson import compact

from .noting import json_of

PING_SECONDS = 15.0
"""How long a stream is silent before it says that it is still there."""


class Severable(HttpToolsProtocol):
    """uvicorn's HTTP/1.1, which also tells the application about its transport: ASGI has no way to hang up."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection; its requests find the transport in their state."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


class Severed(Response):
    """Drops the connection instead of an answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hang up, and wait until the server has noticed."""
        transport: asyncio.Transport = scope["state"]["transport"]
        transport.close()
        while (await receive())["type"] != "http.disconnect":
            pass


class Whole:
    """A JSON answer, without what a web framework would add to it: a call is answered many thousand times."""

    def __init__(self, body: JsonValue, status: int = 200) -> None:
        self._body = json_of(body)
        self._status = status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(self._body))]
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        await send({"type": "http.response.body", "body": self._body})


def stream(messages: AsyncIterator[JsonValue | None]) -> Response:
    """Messages as server-sent events; None is a sign of life."""

    async def events() -> AsyncIterator[bytes]:
        async for one in messages:
            yield b": ping\n\n" if one is None else f"event: message\ndata: {compact(one)}\n\n".encode()

    return StreamingResponse(events(), media_type="text/event-stream", headers={"cache-control": "no-cache"})


@dataclass(slots=True)
class Ear:
    """Hears of changes in the server's loop, and remembers those that nobody has asked for yet."""

    ended: asyncio.Event
    _heard: asyncio.Queue[None] = field(default_factory=asyncio.Queue)

    def hear(self) -> None:
        """Something has changed."""
        self._heard.put_nowait(None)

    async def changes(self) -> AsyncIterator[bool]:
        """True for each change, False now and then without one, until the trial has ended."""
        over = asyncio.ensure_future(self.ended.wait())
        change: asyncio.Future[None] | None = None
        try:
            while not over.done():
                change = asyncio.ensure_future(self._heard.get())
                await asyncio.wait({change, over}, timeout=PING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if change.done():
                    yield True
                    continue
                change.cancel()
                if not over.done():
                    yield False
        finally:
            over.cancel()
            # The stream may be closed in the middle of a wait.
            if change is not None:
                change.cancel()


async def pause(receive: Receive, ended: asyncio.Event, seconds: float | None) -> bool:
    """Wait (for ever where `seconds` is None), and say whether the program waited too and its trial goes on."""
    gone = asyncio.ensure_future(_hung_up(receive))
    over = asyncio.ensure_future(ended.wait())
    early, late = await asyncio.wait({gone, over}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for task in late:
        task.cancel()
    return not early


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
