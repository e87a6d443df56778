"""One trial at its endpoint: a request in, what is due out, everything on record."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass, field

from pydantic import JsonValue

from skilltrial.api import Act, ActAbsent, ActNotPossible, Cut, HttpError, Recorder, Script, Source, ToolCall, Trial

from . import notes
from .conversation import NEUTRAL, Answer, Conversation, Reply, tokens
from .player import Fault, Move, due
from .sides import is_side
from .speller import DialectFailed, Speller
from .wires.wire import BadRequest, Wire


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that was taken: what was asked, the answer that is due, and the faults that come before it.

    `faults` ends with the first one that takes the answer's place. `key` says where in the script this is.
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
    speller: Speller
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False
    _requests: int = 0
    _struck: dict[tuple[int, int], int] = field(default_factory=dict)
    """Place of a fault (turn, act) → how many requests it has met."""
    _noted: set[tuple[int, int]] = field(default_factory=set)
    """Acts that are on record as passed over or not possible."""
