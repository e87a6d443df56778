"""The HTTP side: paths to trials, requests to answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from skilltrial.api import Cut, Garbage, HttpError, Stall

from .delivery import GARBAGE, Severed, Stream, Whole, pause
from .notes import Gone, Unserved
from .served import Exchange, ServedTrial
from .wires.chat import ChatCompletions
from .wires.messages import CountTokens, Messages
from .wires.responses import Responses
from .wires.wire import BadRequest, Wire

BODY_LIMIT = 64 * 1024 * 1024
"""Bytes of a request's body."""

WIRES: tuple[Wire, ...] = (ChatCompletions(), Responses(), Messages(), CountTokens())
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@dataclass(frozen=True, slots=True)
class Seat:
    """A trial at its path. `ended` is set in the server's loop when its context is left."""

    served: ServedTrial
    ended: asyncio.Event = field(default_factory=asyncio.Event)


Answering = Callable[[Request, Seat], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Desk:
    """Which trial is served on which path; None where a trial was. `model` is the name in the list of models."""

    model: str
    seats: dict[str, Seat | None] = field(default_factory=dict)

    def app(self) -> Starlette:
        """The application that answers for all seats."""
        protocols = [self._route(wire.path, _protocol(wire), ("POST",)) for wire in WIRES]
        models = self._route("/v1/models", self._models, ("GET",))
        others = self._route("/{path:path}", _unserved, METHODS)
        return Starlette(routes=[*protocols, models, others, Route("/{path:path}", _nothing, methods=METHODS)])

    def _route(self, path: str, answer: Answering, methods: Sequence[str]) -> Route:
        async def at_the_door(request: Request) -> Response:
            token = request.path_params["token"]
            if token not in self.seats:
                return await _nothing(request)
            seat = self.seats[token]
            if seat is None:
                return _not_found("this trial has ended", 410)
            try:
                return await answer(request, seat)
            except Exception as error:  # noqa: BLE001 - a full disk, or our own fault: the run hears of it in `start`
                seat.served.broke(error)
                return JSONResponse({"error": {"type": "api_error", "message": "the scripted model broke"}}, 500)

        return Route(f"/run/{{token}}{path}", at_the_door, methods=list(methods))

    async def _models(self, request: Request, seat: Seat) -> Response:
        return JSONResponse({"object": "list", "data": [_model(self.model)], "has_more": False})


def _protocol(wire: Wire) -> Answering:
    async def answer(request: Request, seat: Seat) -> Response:
        try:
            body = await _body(request)
        except ClientDisconnect:
            return Severed()
        if body is None:
            message = f"the request is larger than {BODY_LIMIT} bytes"
            return JSONResponse(await run_in_threadpool(seat.served.refuse, wire, message), 413)
        try:
            exchange = await run_in_threadpool(seat.served.take, wire, body)
        except BadRequest as error:
            return JSONResponse(wire.error(400, str(error)), 400)
        return await _faults(request, seat, wire, exchange) or await _reply(seat.served, wire, exchange)

    return answer


async def _unserved(request: Request, seat: Seat) -> Response:
    path = f"/{request.path_params['path']}"
    note = Unserved(method=request.method, path=path, turn=seat.served.recorder.turn, status=404)
    await run_in_threadpool(seat.served.note, note)
    return _not_found("a model has nothing here", 404)


async def _nothing(request: Request) -> Response:
    return _not_found("there is nothing here", 404)


def _not_found(message: str, status: int) -> Response:
    return JSONResponse({"error": {"type": "not_found_error", "message": message}}, status)


async def _body(request: Request) -> bytes | None:
    """The request's body; None where it is too large. It is read to its end, so that the program hears why."""
    kept = bytearray()
    fits = True
    async for piece in request.stream():
        fits = fits and len(kept) + len(piece) <= BODY_LIMIT
        if fits:
            kept += piece
    return bytes(kept) if fits else None


async def _faults(request: Request, seat: Seat, wire: Wire, exchange: Exchange) -> Response | None:
    """Let the exchange's faults happen; the response where one of them takes the answer's place."""
    served = seat.served
    for place, fault in exchange.faults:
        match fault:
            case Stall(stall=silence, at="stream"):
                await run_in_threadpool(served.settle_fault, exchange, place, 200, None)
                whole = wire.whole(exchange.asked, exchange.answer)
                await run_in_threadpool(served.settle, exchange, 200, whole)
                return _sent(wire, exchange, whole).stalled(lambda: _silence(request, seat, exchange, silence))
            case Stall(stall=seconds):
                await run_in_threadpool(served.settle_fault, exchange, place, None, None)
                if not await pause(request, seat.ended, seconds):
                    await run_in_threadpool(served.note, Gone(number=exchange.number, turn=exchange.turn))
                    return Severed()
            case HttpError(error=status, retry_after=seconds):
                body = wire.error(status, f"scripted error {status}")
                breaks_off = fault.at == "stream" and exchange.asked.stream
                await run_in_threadpool(served.settle_fault, exchange, place, 200 if breaks_off else status, body)
                headers = {} if seconds is None else {"retry-after": str(seconds)}
                return _broken_off(wire, exchange, body) if breaks_off else JSONResponse(body, status, headers)
            case Cut(cut="before"):
                await run_in_threadpool(served.settle_fault, exchange, place, None, None)
                return Severed()
            case Garbage(garbage="body"):
                await run_in_threadpool(served.settle_fault, exchange, place, 200, None)
                return Response(GARBAGE, headers={"content-type": "text/html; charset=utf-8"})
            case Garbage():
                whole = wire.whole(exchange.asked, exchange.answer)
                await run_in_threadpool(served.settle_fault, exchange, place, 200, whole)
                return _sent(wire, exchange, whole).garbled()
            case Cut():
                whole = wire.whole(exchange.asked, exchange.answer)
                await run_in_threadpool(served.settle_fault, exchange, place, 200, whole)
                return _sent(wire, exchange, whole).severed()
    return None


async def _silence(request: Request, seat: Seat, exchange: Exchange, seconds: float) -> bool:
    """Be silent in the middle of a stream; whether the program waited too, which is on record where it did not."""
    waited = False
    try:
        waited = await pause(request, seat.ended, seconds)
    finally:
        if not waited:
            # Here rather than in another thread: who hung up has cancelled this task, and it may await nothing more.
            seat.served.note(Gone(number=exchange.number, turn=exchange.turn))
    return waited


async def _reply(served: ServedTrial, wire: Wire, exchange: Exchange) -> Response:
    whole = wire.whole(exchange.asked, exchange.answer)
    await run_in_threadpool(served.settle, exchange, 200, whole)
    return _sent(wire, exchange, whole).response()


def _sent(wire: Wire, exchange: Exchange, whole: JsonValue) -> Stream | Whole:
    if not exchange.asked.stream:
        return Whole(json.dumps(whole).encode())
    return _stream(wire, exchange)


def _stream(wire: Wire, exchange: Exchange) -> Stream:
    return Stream(tuple(event.line() for event in wire.events(exchange.asked, exchange.answer)))


def _broken_off(wire: Wire, exchange: Exchange, error: JsonValue) -> Response:
    stream = _stream(wire, exchange)
    return stream.failed(wire.failure(exchange.asked, exchange.answer, stream.half, error).line())


def _model(name: str) -> JsonValue:
    return {
        "id": name,
        "object": "model",
        "type": "model",
        "display_name": name,
        "created": 0,
        "created_at": "1970-01-01T00:00:00Z",
        "owned_by": "scripted",
    }
