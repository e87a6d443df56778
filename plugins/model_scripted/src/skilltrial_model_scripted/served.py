"""One trial at its endpoint: a request in, what is due out, everything on record."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from skilltrial.api import ACTS, Act, Recorder, Script, Source, Stall, Trial

from .conversation import NEUTRAL, Answer, Conversation, Reply, tokens
from .notes import ModelNote, NotPossible, PassedOver, ReplyNote, RequestNote
from .player import Fault, Move, due
from .sides import is_side
from .spelling import Dialect, DialectFailed, Spelling
from .wires.wire import BadRequest, Wire


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that was taken, and the answer that is due.

    `faults` come before the answer, each with its act's place; one that takes the answer's place is the last.
    """

    number: int
    turn: int
    step: int | None
    act: int | None
    kind: str
    asked: Conversation
    answer: Answer
    faults: tuple[tuple[int, Fault], ...] = ()


@dataclass(slots=True)
class ServedTrial:
    """The scripted side of one trial. Safe from any thread; once closed it records nothing more."""

    trial: Trial
    script: Script
    recorder: Recorder
    dialect: Dialect
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False
    _broken: Exception | None = None
    _requests: int = 0
    _met: dict[tuple[int, int], int] = field(default_factory=dict)
    """Turn and place of a fault → how many requests it has met. Nothing else is ever counted."""
    _noted: set[tuple[int, int]] = field(default_factory=set)
    """Turn and place of acts that are on record as passed over or not possible."""

    def take(self, wire: Wire, body: bytes) -> Exchange:
        """Put a request on record and find the answer. Raises BadRequest, recorded and answered as such."""
        turn = self.recorder.turn
        value: JsonValue = None
        try:
            value = _json(body)
            asked = wire.read(value)
        except BadRequest as error:
            self._refuse(wire, turn, value, error)
            raise
        prompt = self.trial.turns[turn - 1] if 1 <= turn <= len(self.trial.turns) else ""
        step = None if wire.side or is_side(asked, turn, prompt) else asked.step(prompt)
        number = self._arrived(wire, turn, step, asked, value)
        if step is None:
            place = f"side {hashlib.sha256(body).hexdigest()}"
            return Exchange(number, turn, None, None, "side", asked, self._answer(place, Reply(NEUTRAL), body))
        acts = self.script.turns[turn - 1] if turn <= len(self.script.turns) else ()
        move = due(acts, step, Spelling(self.dialect, self.trial, asked.tools, wire.freeform))
        self._note_unplayed(turn, acts, move)
        kind = "neutral" if move.act is None else act_kind(acts[move.act])
        answer = self._answer(f"{turn} {step}", move.reply, body)
        return Exchange(number, turn, step, move.act, kind, asked, answer, self._strike(turn, move.faults))

    def refuse(self, wire: Wire, problem: str) -> JsonValue:
        """Put a request on record that is too large to be read, and say what to answer."""
        body = wire.error(413, problem)
        turn = self.recorder.turn
        number = self._arrived(wire, turn, None, None, None, problem)
        self._replied(number, turn, None, (None, "invalid"), (413, body))
        return body

    def settle(self, exchange: Exchange, status: int, body: JsonValue) -> None:
        """Put the answer on record, before it is sent."""
        self._replied(exchange.number, exchange.turn, exchange.step, (exchange.act, exchange.kind), (status, body))

    def settle_fault(self, exchange: Exchange, place: int, status: int | None, body: JsonValue) -> None:
        """Put the fault of `exchange` at `place` on record, before it happens."""
        kind = act_kind(dict(exchange.faults)[place])
        self._replied(exchange.number, exchange.turn, exchange.step, (place, kind), (status, body))

    def note(self, note: ModelNote) -> None:
        """Put a note on record."""
        with self._lock:
            self._record(note)

    def broke(self, error: Exception) -> None:
        """Remember that something failed that is no fault of the program's (see `check`)."""
        self._broken = self._broken or error

    def close(self) -> None:
        """Record nothing from now on."""
        with self._lock:
            self._closed = True

    def check(self) -> None:
        """Raise what broke while the trial was served, if anything did."""
        if self._broken is not None:
            raise self._broken

    def _record(self, note: ModelNote) -> None:
        if not self._closed:
            self.recorder.record(Source.MODEL, note.raw())

    def _arrived(
        self, wire: Wire, turn: int, step: int | None, asked: Conversation | None, body: JsonValue, problem: str = ""
    ) -> int:
        with self._lock:
            self._requests += 1
            self._record(
                RequestNote(
                    number=self._requests,
                    protocol=wire.name,
                    path=wire.path,
                    turn=turn,
                    step=step,
                    model=asked.model if asked else "",
                    tools=tuple(tool.name for tool in asked.tools) if asked else (),
                    messages=len(asked.said) if asked else 0,
                    side=asked is not None and step is None,
                    body=body,
                    problem=problem or None,
                )
            )
            return self._requests

    def _refuse(self, wire: Wire, turn: int, body: JsonValue, why: BadRequest) -> None:
        number = self._arrived(wire, turn, None, None, body, str(why))
        self._replied(number, turn, None, (None, "invalid"), (400, wire.error(400, str(why))))

    def _replied(
        self,
        number: int,
        turn: int,
        step: int | None,
        what: tuple[int | None, str],
        sent: tuple[int | None, JsonValue],
    ) -> None:
        act, kind = what
        status, body = sent
        self.note(ReplyNote(number=number, turn=turn, step=step, act=act, kind=kind, status=status, body=body))

    def _note_unplayed(self, turn: int, acts: tuple[Act, ...], move: Move) -> None:
        with self._lock:
            for place in move.passed:
                if (turn, place) not in self._noted:
                    self._noted.add((turn, place))
                    self._record(PassedOver(turn=turn, act=place, kind=act_kind(acts[place])))
            if move.impossible is not None and (turn, move.impossible[0]) not in self._noted:
                place, why = move.impossible
                self._noted.add((turn, place))
                blame: Literal["dialect", "no_tool"] = "dialect" if isinstance(why, DialectFailed) else "no_tool"
                self._record(NotPossible(turn=turn, act=place, kind=act_kind(acts[place]), why=blame))

    def _strike(self, turn: int, faults: tuple[tuple[int, Fault], ...]) -> tuple[tuple[int, Fault], ...]:
        struck: list[tuple[int, Fault]] = []
        for place, fault in faults:
            if isinstance(fault, Stall):
                struck.append((place, fault))
                if fault.at == "stream":
                    break
                continue
            with self._lock:
                met = self._met.get((turn, place), 0)
                self._met[turn, place] = met + 1
            if fault.times == 0 or met < fault.times:
                return (*struck, (place, fault))
        return tuple(struck)

    def _answer(self, place: str, reply: Reply, request: bytes) -> Answer:
        id = hashlib.sha256(f"{self.trial.key} {place}".encode()).hexdigest()[:24]
        said = reply.text if reply.call is None else f"{reply.call.name}{reply.call.arguments}"
        return Answer(id, reply, input_tokens=tokens(len(request)), output_tokens=tokens(len(said)))


def act_kind(act: Act) -> str:
    """The act's name in a script."""
    return next(name for name, model in ACTS.items() if isinstance(act, model))


def _json(body: bytes) -> JsonValue:
    try:
        value: JsonValue = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("body: not valid JSON") from None
    return value
