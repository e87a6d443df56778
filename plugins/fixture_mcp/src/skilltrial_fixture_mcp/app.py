"""The HTTP side: paths to trials, streamable HTTP to messages, outcomes to responses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from skilltrial.replies.strictjson import NotStrict, read

from .delivery import NOTHING, Ear, Severed, Whole, in_json, in_words, pause, stream
from .eras import is_modern, may_batch, spoken, status
from .requests import STREAM, Gone, Incoming, Refusal, stranger, unfit
from .revisions import HEADER_MISMATCH, INTERNAL_ERROR, INVALID_REQUEST, MODERN, SUBSCRIPTION_KEY
from .routes import Visit
from .rpc import Failure, Id, Notification, error, message, notification, parse, result
from .rpc import Request as Call
from .served import Broken, Done, Listening, Outcome, Passing, ServedTrial

if TYPE_CHECKING:
    from pydantic import JsonValue
    from starlette.types import ASGIApp, Receive, Scope, Send

LIST_CHANGED = "notifications/tools/list_changed"


@dataclass(frozen=True, slots=True)
class Seat:
    """A trial at its path. `ended` is set in the server's loop when its context is left."""

    served: ServedTrial
    ended: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class Desk:
    """Which trial is served on which path; None where a trial was. An ASGI application."""

    port: int
    seats: dict[str, Seat | None] = field(default_factory=dict)
    names: frozenset[str] = field(init=False)
    """What a request's `Host` may be."""

    def __post_init__(self) -> None:
        self.names = frozenset((f"127.0.0.1:{self.port}", f"localhost:{self.port}"))

    def address(self, token: str) -> str:
        """Where the tools of a trial are served."""
        return f"http://127.0.0.1:{self.port}/run/{token}/mcp"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        response = await self._at_the_door(scope, Incoming.of(scope, receive))
        await response(scope, receive, send)

    async def _at_the_door(self, scope: Scope, request: Incoming) -> ASGIApp:
        way = scope["path"].split("/", 3)
        if len(way) != 4 or way[0] or way[1] != "run" or way[2] not in self.seats:
            return in_words("there is nothing here", 404)
        seat = self.seats[way[2]]
        if seat is None:
            return in_words("this trial has ended", 410)
        try:
            refusal = stranger(request, self.names)
            if refusal is None and way[3] != "mcp":
                return await _visit(request, seat, f"/{way[3]}", scope["query_string"].decode("latin-1"))
            refusal = refusal or unfit(request)
            if refusal is not None:
                seat.served.refuse(refusal.why)
                return refusal.response()
            return await _post(request, seat) if request.method == "POST" else _get(seat)
        except Gone:
            return Severed()
        except Exception as fault:  # noqa: BLE001 - a full disk, or our own fault: the run hears of it in `start`
            seat.served.broke(fault)
            return in_json(error(None, Failure(INTERNAL_ERROR, "the fixture broke", "broke")), 500)


async def _visit(request: Incoming, seat: Seat, path: str, query: str) -> ASGIApp:
    """A request over plain HTTP."""
    body = await request.body()
    if body is None:
        seat.served.refuse("too_large")
        return Refusal("too_large", 413).response()
    try:
        value = read(body) if body else None
    except NotStrict:
        value = body.decode("utf-8", "replace")
    page = seat.served.visit(Visit(request.method, path, dict(parse_qsl(query, keep_blank_values=True)), value))
    if page.fault is not None:
        return await _break(request, seat, Broken(page.fault, page.delay))
    if page.delay and not await pause(request.receive, seat.ended, page.delay):
        return Severed()
    return Whole((page.text or "").encode(), page.status or 200, page.kind)


async def _post(request: Incoming, seat: Seat) -> ASGIApp:
    served, header = seat.served, request.version
    modern = is_modern(header)
    body = await request.body()
    if body is None:
        served.refuse("too_large")
        return Refusal("too_large", 413).response()
    value = parse(body)
    if isinstance(value, list) and value and may_batch(header, served):
        return await _batch(request, seat, value)
    found = value if isinstance(value, Failure) else message(value)
    if isinstance(found, Notification):
        return NOTHING
    if isinstance(found, Failure):
        served.refuse("batch" if isinstance(value, list) else found.why)
        return in_json(error(found.id, found), status(found, modern=modern))
    if not isinstance(found, Call):
        return NOTHING
    revision = spoken(found, request.headers, served)
    if modern and request.twice:
        revision = Failure(HEADER_MISMATCH, "a routing header came twice", "header_mismatch", id=found.id)
    if isinstance(revision, Failure):
        served.refuse(revision.why)
        return in_json(error(found.id, revision), status(revision, modern=served.about.speaks != "handshake"))
    outcome = served.handle(found, revision, "http")
    if isinstance(outcome, Passing):
        outcome = await served.forward(outcome)
    return await _deliver(request, seat, found, outcome, modern=revision == MODERN)


async def _deliver(request: Incoming, seat: Seat, call: Call, outcome: Outcome, *, modern: bool) -> ASGIApp:
    match outcome:
        case Failure():
            return in_json(error(call.id, outcome), status(outcome, modern=modern))
        case Done(members, delay, untold):
            if delay and not await pause(request.receive, seat.ended, delay):
                return Severed()
            answer = result(call.id, members)
            if untold and not modern and request.accepts(STREAM):
                return stream(_in_order(notification(LIST_CHANGED), answer))
            return in_json(answer)
        case Broken():
            return await _break(request, seat, outcome)
        case Listening(honored):
            if not request.accepts(STREAM):
                seat.served.refuse("not_acceptable")
                return Refusal("not_acceptable", 406).response()
            return stream(_subscription(seat, call.id, honored))


async def _in_order(*messages: JsonValue) -> AsyncIterator[JsonValue]:
    for one in messages:
        yield one


async def _break(request: Incoming, seat: Seat, broken: Broken) -> ASGIApp:
    if broken.delay and not await pause(request.receive, seat.ended, broken.delay):
        return Severed()
    match broken.fault:
        case "hang":
            await pause(request.receive, seat.ended, None)
            return Severed()
        case "drop":
            return Severed()
        case "malformed":
            return Whole(b'{"jsonrpc": "2.0", "result": {"content": [', 200, b"application/json")
        case "server_error":
            return in_words("Internal Server Error", 500)


async def _batch(request: Incoming, seat: Seat, values: list[JsonValue]) -> ASGIApp:
    """Several messages at once: decided in their order, answered together. A fault of one is the fault of all."""
    answers: list[JsonValue] = []
    delay = 0.0
    for found in map(message, values):
        if isinstance(found, Call):
            outcome = await _in_batch(found, request, seat.served)
            if isinstance(outcome, Broken):
                return await _break(request, seat, outcome)
            if isinstance(outcome, Done):
                delay = max(delay, outcome.delay)
                answers.append(result(found.id, outcome.result))
            elif isinstance(outcome, Failure):
                answers.append(error(found.id, outcome))
        elif isinstance(found, Failure):
            seat.served.refuse(found.why)
            answers.append(error(found.id, found))
    if delay and not await pause(request.receive, seat.ended, delay):
        return Severed()
    return in_json(answers) if answers else NOTHING


async def _in_batch(call: Call, request: Incoming, served: ServedTrial) -> Outcome:
    revision = spoken(call, request.headers, served)
    if call.method == "initialize":
        revision = Failure(INVALID_REQUEST, "`initialize` comes alone", "batch", id=call.id)
    if isinstance(revision, Failure):
        served.refuse(revision.why)
        return revision
    outcome = served.handle(call, revision, "http")
    return await served.forward(outcome) if isinstance(outcome, Passing) else outcome


def _get(seat: Seat) -> ASGIApp:
    """The stream on which clients of the handshake hear what no request of theirs brought about."""
    if seat.served.about.speaks == MODERN:
        seat.served.refuse("method_not_allowed")
        return Refusal("method_not_allowed", 405, "POST").response()
    return stream(_changes(seat))


async def _changes(seat: Seat) -> AsyncIterator[JsonValue | None]:
    ear = Ear(seat.ended)
    seat.served.listeners.add(ear.hear)
    try:
        async for changed in ear.changes():
            yield notification(LIST_CHANGED) if changed else None
    finally:
        seat.served.listeners.discard(ear.hear)


async def _subscription(seat: Seat, id: Id, honored: dict[str, JsonValue]) -> AsyncIterator[JsonValue | None]:
    ours: dict[str, JsonValue] = {"_meta": {SUBSCRIPTION_KEY: id}}
    yield notification("notifications/subscriptions/acknowledged", {**ours, "notifications": honored})
    async for one in _changes(seat):
        if one is None:
            yield None
        elif honored:
            yield notification(LIST_CHANGED, ours)
    yield result(id, {**ours, "resultType": "complete"})
