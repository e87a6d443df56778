"""What a fixture puts on record (`source: wire`), in one form for all fixtures: the second witness.

The raw text of such a record is one JSON object with the key `wire`. A call and its answer are written before the
answer is sent; the call by itself, and at once, where anything can come between the two.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from .evidence import WireCall
from .part import Part, Sha256
from .records import Record
from .words import Source


class Connected(Part):
    """A client opened a connection; `era` is the protocol revision that was used, `client` its name and version."""

    wire: Literal["connected"] = "connected"
    era: str
    client: str | None = None
    transport: Literal["http", "stdio"] = "http"


class ToolsListed(Part):
    """The client asked for the tools and got so many; `sha256` is of the list as it was sent, as canonical JSON.

    None in archives of before it was kept.
    """

    wire: Literal["tools_listed"] = "tools_listed"
    count: int
    sha256: Sha256 | None = None


class Placed(Part):
    """Programs were put where the trial's commands find them first. Their calls have this one witness: a host shows
    the commands of its model, not what they start."""

    wire: Literal["placed"] = "placed"
    programs: tuple[str, ...]


class Called(Part):
    """A tool was called. `number` counts the calls of the trial from 1, `joins` is the host's own id of it."""

    wire: Literal["called"] = "called"
    number: int
    rpc_id: JsonValue = None
    tool: str
    arguments: JsonValue = None
    joins: str | None = None


class Forwarded(Part):
    """What a real server was asked in call `number`, and what it said; `failed` is a word where it did not answer."""

    wire: Literal["forwarded"] = "forwarded"
    number: int
    sent: JsonValue
    got: JsonValue = None
    failed: str | None = None


class Answered(Part):
    """What call `number` was answered. `because` says what decided: a rule, an answerer, that none was for it, or that
    something real answered in the fixture's place (`forwarded`).

    `unscripted`: nobody can tell what the server under study would have answered.
    """

    wire: Literal["answered"] = "answered"
    number: int
    result: JsonValue = None
    is_error: bool = False
    because: Literal[
        "rule", "answerer", "invalid_arguments", "unknown_tool", "unexpected", "unscripted", "fault", "forwarded"
    ] = "rule"
    state: JsonValue = None
    """The fixture's state after it."""
    marks: JsonValue = None
    """What an answerer noted of it, for graders; the agent did not get it."""


class Presupposed(Part):
    """Whether what the trial presupposes was there before its session; `why` is a word, `found` what was looked at.

    `asked` is what a real server was asked for it, and said: `tool`, `arguments`, `result`, `is_error` of each call.
    """

    wire: Literal["presupposed"] = "presupposed"
    holds: bool
    why: str
    found: JsonValue = None
    asked: JsonValue = None


class Left(Part):
    """Call `number` left something on a real server: `what` names it, for whoever cleans up.

    Before the call is passed on its notes tell what it may leave; those after its answer take their place.
    """

    wire: Literal["left"] = "left"
    number: int
    what: str


class Refused(Part):
    """A request that is no call and was not served; `why` is a word."""

    wire: Literal["refused"] = "refused"
    why: str


WireNote = Annotated[
    Connected | ToolsListed | Placed | Called | Forwarded | Answered | Presupposed | Left | Refused,
    Field(discriminator="wire"),
]
_NOTES: TypeAdapter[WireNote] = TypeAdapter(WireNote)
_NAMES = frozenset(
    {"connected", "tools_listed", "placed", "called", "forwarded", "answered", "presupposed", "left", "refused"}
)


def wire_notes(records: Iterable[Record]) -> Iterator[tuple[Record, WireNote]]:
    """The notes among a fixture's records, in order. Notes of a later release are passed over."""
    for record in records:
        note = _note(record.raw)
        if note is not None:
            yield record, note


def left_behind(records: Iterable[Record]) -> tuple[str, ...]:
    """What the calls among a fixture's records left on a real server; of a call without an answer, what it may have."""
    before: dict[int, list[str]] = {}
    after: dict[int, list[str]] = {}
    for _, note in wire_notes(records):
        match note:
            case Left(number=number, what=what):
                after.get(number, before.setdefault(number, [])).append(what)
            case Answered(number=number):
                after[number] = []
    return tuple(what for number, told in before.items() for what in after.get(number, told))


def wire_damaged(records: Iterable[Record]) -> bool:
    """Whether a fixture put something on record that can't be read: a call may stand there, or its answer.

    A note of a name that this release does not know is none of a call; where a credential was replaced, the name may
    have been.
    """
    return any(
        record.source is Source.WIRE and _note(record.raw) is None and (record.redacted or not _later(record.raw))
        for record in records
    )


def _note(raw: str) -> WireNote | None:
    try:
        return _NOTES.validate_json(raw)
    except ValidationError:
        value = _value(raw)  # pydantic's own reader refuses the halves of characters that a model may well send
    try:
        return _NOTES.validate_python(value)
    except ValidationError:
        return None


def _later(raw: str) -> bool:
    match _value(raw):
        case {"wire": str(name)}:
            return name not in _NAMES
        case _:
            return False


def _value(raw: str) -> object:
    try:
        value: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value


def wire_calls(server: str, records: Iterable[Record]) -> tuple[WireCall, ...]:
    """The calls that a fixture received, in the order of their arrival; one that was never answered has no result."""
    calls: dict[int, tuple[Record, Called]] = {}
    answers: dict[int, Answered] = {}
    for record, note in wire_notes(records):
        if isinstance(note, Called):
            calls[note.number] = (record, note)
        elif isinstance(note, Answered):
            answers[note.number] = note
    return tuple(
        WireCall(
            server=server,
            turn=record.turn,
            rpc_id=note.rpc_id,
            tool=note.tool,
            arguments=note.arguments,
            result=answers[number].result if number in answers else None,
            is_error=answers[number].is_error if number in answers else False,
            at=record.at,
            joins=note.joins,
            answered=number in answers,
            because=answers[number].because if number in answers else None,
            marks=answers[number].marks if number in answers else None,
        )
        for number, (record, note) in sorted(calls.items())
    )
