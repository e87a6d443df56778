"""A transcript as it is written: what people or recorders noted of each case. The JSON Schemas come from these models.

There are two readings. `original` is the format as published; `strict` also takes a guide or source that was read
through `search` and recorded as an inspection, as the published recording rule asks for.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from .words import Profile

# The names of fields are the format's own, hence no snake_case in this module.
# ruff: noqa: N815

Text = Annotated[str, Field(min_length=1)]

_DAY = (
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))"
    r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
)
UTC = rf"^{_DAY}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z$"
"""A date that the calendar has, and a time in UTC with seconds."""

Instant = Annotated[
    str,
    # `$` stands before a last newline in some dialects of regular expressions; the second keyword settles it.
    Field(pattern=UTC, json_schema_extra={"not": {"pattern": "[^0-9TZ:.-]"}}),
]


def _whole(value: object) -> object:
    """JSON has one kind of number: 1, 1.0 and 1e0 are the same. A boolean is none."""
    if isinstance(value, bool):
        return None  # which no version is
    return int(value) if isinstance(value, float) and value.is_integer() else value


Version = Annotated[Literal[1], BeforeValidator(_whole)]


class Written(BaseModel):
    """A closed object; nothing is converted."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Exact(Written):
    """The search found something that does the job."""

    kind: Literal["exact-reusable"]
    entityId: Text


class NoExact(Written):
    """The search found nothing that does the job."""

    kind: Literal["no-exact-reusable"]


class _Event(Written):
    """What all events have. `input` is an object, `output` any JSON value; neither is looked into here."""

    callId: Text
    status: Literal["succeeded", "failed"]
    input: dict[str, Any]
    output: Any


class Search(_Event):
    """A search of what is saved."""

    action: Literal["search"]
    toolName: Literal["search"]
    match: Annotated[Exact | NoExact, Field(discriminator="kind")]


class Invocation(_Event):
    """A saved entry was run."""

    action: Literal["invoke-existing"]
    toolName: Literal["execute"]
    targetEntityId: Text


class Inspection(_Event):
    """Guidance or source was read before authoring."""

    action: Literal["inspect-authoring-guidance"]
    toolName: Literal["execute"]


class AnyInspection(_Event):
    """Guidance or source was read before authoring, by `execute` or through `search`."""

    action: Literal["inspect-authoring-guidance"]
    toolName: Literal["execute", "search"]


class Execution(_Event):
    """Code ran: once, to author, or for anything else."""

    action: Literal["execute-one-off", "author-package", "other-execute"]
    toolName: Literal["execute"]


OriginalEvent = Annotated[Search | Invocation | Inspection | Execution, Field(discriminator="action")]
StrictEvent = Annotated[Search | Invocation | AnyInspection | Execution, Field(discriminator="action")]
AnyEvent = Search | Invocation | Inspection | AnyInspection | Execution


class OriginalCompleted(Written):
    """A case that was run."""

    caseId: Text
    outcome: Literal["completed"]
    events: list[OriginalEvent]


class Completed(Written):
    """A case that was run."""

    caseId: Text
    outcome: Literal["completed"]
    events: list[StrictEvent]


class Skipped(Written):
    """A case that was not run: nothing saved fits it."""

    caseId: Text
    outcome: Literal["skipped-no-eligible-match"]
    note: Text


class Head(Written):
    """Who ran the cases, and when."""

    schemaVersion: Version
    evalName: Literal["package-discovery-routing"]
    host: Literal["warp", "cursor", "claude", "chatgpt"]
    model: Text
    runAt: Instant


class OriginalTranscript(Head):
    """The format as published."""

    results: Annotated[
        list[Annotated[OriginalCompleted | Skipped, Field(discriminator="outcome")]], Field(min_length=1)
    ]


class Transcript(Head):
    """The format as the recording rule reads it."""

    results: Annotated[list[Annotated[Completed | Skipped, Field(discriminator="outcome")]], Field(min_length=1)]


TRANSCRIPTS: dict[Profile, type[OriginalTranscript | Transcript]] = {
    Profile.ORIGINAL: OriginalTranscript,
    Profile.STRICT: Transcript,
}
"""The whole document, by reading."""

EVENTS: dict[Profile, TypeAdapter[AnyEvent]] = {
    Profile.ORIGINAL: TypeAdapter(OriginalEvent),
    Profile.STRICT: TypeAdapter(StrictEvent),
}
"""One event, by reading."""

SKIPPED: TypeAdapter[Skipped] = TypeAdapter(Skipped)
