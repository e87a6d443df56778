"""How answers leave: whole, late, broken, or as a stream; and the hold on a connection that this needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from skilltrial.replies.strictjson import compact

if TYPE_CHECKING:
    from pydantic import JsonValue
    from starlette.types import ASGIApp, Receive, Scope, Send

BODILESS = (204, 304)
"""Statuses whose answers have no body, by HTTP."""

PING_SECONDS = 15.0
"""How long a stream is silent before it says that it is still there."""


class Joining(asyncio.Transport):
    """A connection that can hold what is written, to let it leave as one.

    uvicorn writes the head and the body of an answer apart, and each would wake up the program that waits for it.
    """

    def __init__(self, below: asyncio.Transport) -> None:
        super().__init__()
        self._below = below
        self._held: list[bytes] | None = None

    def hold(self) -> None:
        """Hold what is written from now on."""
        self._held = []

    def leave(self) -> None:
        """Send what is held, and hold nothing more."""
        held, self._held = self._held, None
        if held and not self._below.is_closing():
            self._below.write(b"".join(held))

    def write(self, data: bytes) -> None:  # type: ignore[override]
        """Send this, or hold it."""
        if self._held is not None:
            self._held.append(data)
        else:
            self._below.write(data)

    def close(self) -> None:
        """Send what is held, and hang up."""
        self.leave()
        self._below.close()

    def is_closing(self) -> bool:
        """As below."""
        return self._below.is_closing()

    def get_extra_info(self, name: str, default: object = None) -> object:
        """As below."""
        return self._below.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """As below."""
        self._below.pause_reading()

    def resume_reading(self) -> None:
        """As below."""
        self._below.resume_reading()


class Severable(HttpToolsProtocol):
    """uvicorn's HTTP/1.1, which also tells the application about its transport: ASGI has no way to hang up.

    A connection stays as long as its program keeps it. Both are on this machine, and one timer for each answer is one
    part in twenty of what a call costs.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection; its requests find the transport in their state."""
        joining = Joining(transport)
        super().connection_made(joining)
        self.app_state = {**self.app_state, "transport": joining}

    def on_response_complete(self) -> None:
        """Go on with the next request that has come already, if any has."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())


class Severed:
    """Drops the connection instead of an answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hang up, and wait until the server has noticed."""
        transport: Joining = scope["state"]["transport"]
        transport.close()
        await _hung_up(receive)


class Whole:
    """An answer in one piece, without what a web framework would add to it: calls are answered many thousand times."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, body: bytes, status: int, kind: bytes, *headers: tuple[bytes, bytes]) -> None:
        self.status = status
        if status in BODILESS:
            self.body, self.headers = b"", [*headers]
        else:
            self.body = body
            self.headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), *headers]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        joining: Joining = scope["state"]["transport"]
        joining.hold()
        try:
            await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
            await send({"type": "http.response.body", "body": self.body})
        finally:
            joining.leave()


NOTHING = Whole(b"", 202, b"text/plain")
"""Taken, and nothing to say."""


def in_json(body: JsonValue, status: int = 200) -> Whole:
    """An answer in JSON."""
    return Whole(compact(body).encode(), status, b"application/json")


def in_words(text: str, status: int, *headers: tuple[bytes, bytes]) -> Whole:
    """A plain text."""
    return Whole(text.encode(), status, b"text/plain; charset=utf-8", *headers)


def stream(messages: AsyncIterator[JsonValue | None]) -> ASGIApp:
    """Messages as server-sent events; None is a sign of life."""
    from starlette.responses import StreamingResponse  # here, as its imports are a seventh of a process's start

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
