"""What a scripted model puts on record (`source: model`): one JSON object per line, told apart by its key `note`.

Judging reads these notes years later, so their names and keys stay as they are. `turn` counts from 1, `step` (replies
since the prompt) and `act` (place in the turn's script) from 0; `kind` is the act's name in a script. `number` joins a
reply to its request. Headers and query strings are never kept, so neither are keys.
"""

from __future__ import annotations

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue


class ModelNote(BaseModel):
    """The base of the notes: frozen, closed, strict."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def raw(self) -> str:
        """The note as the text of a record. Text that is no valid Unicode stays as escapes."""
        return json.dumps(self.model_dump(), ensure_ascii=True, separators=(",", ":"))


class RequestNote(ModelNote):
    """A request arrived; written before it is answered.

    `side` is true where the program asks for itself (a title, a token count), not for the turn. `problem` says why
    the request can't be read; `turn`, `step`, `model`, `tools` and `messages` are then empty.
    """

    note: Literal["request"] = "request"
    number: int
    protocol: str
    path: str
    turn: int
    step: int | None
    model: str
    tools: tuple[str, ...]
    messages: int
    side: bool
    body: JsonValue
    problem: str | None = None


class ReplyNote(ModelNote):
    """What was answered; written before it is sent.

    `kind` is the act that was played, `neutral` for the neutral word, `side`, `count` or `invalid`. `body` is the
    whole answer as plain JSON, also where it is sent as a stream. A fault is an answer too: `error`, `cut`, `stall`;
    what a cut lets through is a piece of `body`.
    """

    note: Literal["reply"] = "reply"
    number: int
    turn: int
    step: int | None
    act: int | None
    kind: str
    status: int | None
    body: JsonValue


class PassedOver(ModelNote):
    """An act names what is not there in this arm; the next act was taken. Written once per act."""

    note: Literal["passed_over"] = "passed_over"
    turn: int
    act: int
    kind: str
    why: Literal["absent"] = "absent"


class NotPossible(ModelNote):
    """The program has no tool for an act, so the rehearsal is not possible here. Written once per act.

    `why` is `no_tool`, or `dialect` where the dialect itself failed.
    """

    note: Literal["not_possible"] = "not_possible"
    turn: int
    act: int
    kind: str
    why: Literal["no_tool", "dialect"]


class Gone(ModelNote):
    """The program hung up before request `number` was answered."""

    note: Literal["gone"] = "gone"
    number: int
    turn: int


class Unserved(ModelNote):
    """The program asked for what a model does not have: telemetry, feature flags. It got `status`."""

    note: Literal["unserved"] = "unserved"
    method: str
    path: str
    turn: int
    status: int
