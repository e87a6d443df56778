"""The stdio side: programs that bridge a host's pipes to the run's server, a JSON-RPC message a line."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING

from skilltrial.replies.strictjson import compact

from .app import LIST_CHANGED, Desk, Seat
from .delivery import Ear
from .eras import spoken
from .requests import BODY_LIMIT
from .revisions import INTERNAL_ERROR, MODERN, SUBSCRIPTION_KEY
from .rpc import Failure, Id, Notification, Reply, Request, error, message, notification, parse, result
from .served import Broken, Done, Listening, Outcome, Passing

if TYPE_CHECKING:
    from pydantic import JsonValue

TOKEN_LIMIT = 200


@dataclass(slots=True)
class LineServer:
    """Serves bridges. The first line of each names its trial; nothing else is ever said to one that names none."""

    desk: Desk

    async def welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one bridge to its end."""
        try:
            token = (await reader.readline()).decode("ascii", "replace").strip()
            seat = self.desk.seats.get(token)
            if seat is not None and len(token) < TOKEN_LIMIT:
                await _Pipe(seat, reader, writer).serve()
        except (OSError, ValueError):
            pass  # the bridge is gone, or what it sends has no lines
        finally:
            writer.close()


class _Pipe:
    """One bridge: its requests are decided in their order, their answers may overtake each other."""

    def __init__(self, seat: Seat, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.seat = seat
        self.reader = reader
        self.writer = writer
        self.subscriptions: dict[Id, dict[str, JsonValue]] = {}
        self.tasks: set[asyncio.Task[None]] = set()

    async def serve(self) -> None:
        """Read and answer until the bridge or the trial ends."""
        ear = Ear(self.seat.ended)
        self.seat.served.listeners.add(ear.hear)
        reading = asyncio.ensure_future(self._read())
        telling = asyncio.ensure_future(self._tell(ear))
        try:
            await asyncio.wait({reading, telling}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.seat.served.listeners.discard(ear.hear)
            for task in (reading, telling, *self.tasks):
                task.cancel()
            await asyncio.gather(reading, telling, *self.tasks, return_exceptions=True)

    async def _read(self) -> None:
        while line := await self._line():
            if not line.strip():
                continue
            try:
                self._take(line)
            except Exception as fault:  # noqa: BLE001 - a full disk, or our own fault: the run hears of it in `start`
                self.seat.served.broke(fault)
                self._send(error(None, Failure(INTERNAL_ERROR, "the fixture broke", "broke")))

    async def _line(self) -> bytes:
        try:
            return await self.reader.readline()
        except ValueError:
            self.seat.served.refuse("too_large")
            return b""

    def _take(self, line: bytes) -> None:
        served = self.seat.served
        value = parse(line)
        found = value if isinstance(value, Failure) else message(value)
        if isinstance(found, Notification):
            if found.method == "notifications/cancelled":
                self._cancelled(found.params.get("requestId"))
            return
        if isinstance(found, Reply):
            return
        if isinstance(found, Failure):
            served.refuse("batch" if isinstance(value, list) else found.why)
            self._send(error(found.id, found))
            return
        revision = spoken(found, None, served)
        if isinstance(revision, Failure):
            served.refuse(revision.why)
            self._send(error(found.id, revision))
            return
        match served.handle(found, revision, "stdio"):
            case Failure() as failure:
                self._send(error(found.id, failure))
            case Done(members, delay):
                self._later(delay, result(found.id, members))
            case Broken() as broken:
                self._break(found, broken)
            case Listening(honored):
                self._listen(found.id, honored)
            case Passing() as passing:
                self._start(self._forward(passing))

    async def _forward(self, passing: Passing) -> None:
        try:
            outcome = await self.seat.served.forward(passing)
        except Exception as fault:  # noqa: BLE001 - as in `_read`
            self.seat.served.broke(fault)
            outcome = Failure(INTERNAL_ERROR, "the fixture broke", "broke")
        id = passing.request.id
        self._send(result(id, outcome.result) if isinstance(outcome, Done) else error(id, _failure(outcome)))

    def _break(self, request: Request, broken: Broken) -> None:
        match broken.fault:
            case "hang":
                pass
            case "drop":
                self._start(self._after(broken.delay, None))
            case "malformed":
                self._later(broken.delay, None)
            case "server_error":
                failure = Failure(INTERNAL_ERROR, "Internal error", "fault")
                self._later(broken.delay, error(request.id, failure))

    def _listen(self, id: Id, honored: dict[str, JsonValue]) -> None:
        meta: dict[str, JsonValue] = {"_meta": {SUBSCRIPTION_KEY: id}}
        self.subscriptions[id] = honored
        self._send(notification("notifications/subscriptions/acknowledged", {**meta, "notifications": honored}))

    def _cancelled(self, id: JsonValue) -> None:
        if isinstance(id, int | str):
            self.subscriptions.pop(id, None)

    async def _tell(self, ear: Ear) -> None:
        async for changed in ear.changes():
            if not changed:
                continue
            for id, honored in self.subscriptions.items():
                if honored:
                    self._send(notification(LIST_CHANGED, {"_meta": {SUBSCRIPTION_KEY: id}}))
            if self.seat.served.about.speaks != MODERN and not self.subscriptions:
                self._send(notification(LIST_CHANGED))

    def _later(self, delay: float, body: JsonValue | None) -> None:
        """Send after some seconds; None is a line that is no JSON."""
        line = '{"jsonrpc": "2.0", "result": {"content": [' if body is None else compact(body)
        if delay:
            self._start(self._after(delay, line))
        else:
            self.writer.write(line.encode() + b"\n")

    async def _after(self, delay: float, line: str | None) -> None:
        """Write a line after some seconds; None hangs up."""
        await asyncio.sleep(delay)
        if line is None:
            self.writer.close()
        else:
            self.writer.write(line.encode() + b"\n")

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def _send(self, body: JsonValue) -> None:
        self._later(0, body)


def _failure(outcome: Outcome) -> Failure:
    return outcome if isinstance(outcome, Failure) else Failure(INTERNAL_ERROR, "the fixture broke", "broke")


LINE_LIMIT = BODY_LIMIT
