"""What the runner itself puts on record (`source: runner`): facts that a normalizer may decide an ending from.

The raw text of such a record is one JSON object with the key `note`. Nothing a host prints can become one: the
source is set by the recorder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from .part import Part, Sha256, Slug
from .records import Record
from .words import Cause, Ending, Owner, Source


class SkillPlaced(Part):
    """A skill lies in the place. `path` is POSIX, relative to the project; `body_sha256` is of its SKILL.md.

    `text_sha256` is of what stands there behind the front matter, as UTF-8 with plain line ends and without white
    space at its ends: what a program gives to its model. None where a program may put other words into it.
    """

    note: Literal["skill_placed"] = "skill_placed"
    skill: Slug
    path: str
    sha256: Sha256
    body_sha256: Sha256
    text_sha256: Sha256 | None = None


class PluginPlaced(Part):
    """A plugin lies in the place, as it was read back when it was laid there. `sha256` is of the whole folder.

    `path` is POSIX, relative to the project; `files` are path → digest, a manifest's without its list of skills;
    `servers` are the suite's fixtures that its MCP entries stand for.
    """

    note: Literal["plugin_placed"] = "plugin_placed"
    plugin: str
    path: str
    sha256: Sha256
    files: dict[str, str]
    servers: tuple[str, ...] = ()


class TurnSent(Part):
    """A prompt was given to the program."""

    note: Literal["turn_sent"] = "turn_sent"
    turn: int
    prompt_sha256: Sha256


class Spawned(Part):
    """A program was started. Paths of the place are written as `{project}`, `{home}`, `{tmp}`.

    `environment` are the names of its variables, sorted; None in archives of before they were kept.
    """

    note: Literal["spawned"] = "spawned"
    argv: tuple[str, ...]
    environment: tuple[str, ...] | None = None


class Furnished(Part):
    """What the host laid into the home of the place: path → digest, without secrets, place, ports and ids.

    Not `whole` where there was too much to read.
    """

    note: Literal["furnished"] = "furnished"
    files: dict[str, str]
    whole: bool = True


class Exited(Part):
    """A program ended by itself. `code` is negative for a signal."""

    note: Literal["exited"] = "exited"
    code: int


class LimitHit(Part):
    """A limit of the suite ended the program; `limit` is the setting's name, `value` what it was set to."""

    note: Literal["limit_hit"] = "limit_hit"
    limit: Literal["seconds", "stdout", "stderr"]
    value: int


class Unavailable(Part):
    """The program could not be started."""

    note: Literal["unavailable"] = "unavailable"
    why: Literal["missing", "not_executable", "not_a_program", "place_gone", "system"]


class Interrupted(Part):
    """The user stopped the run while the program ran."""

    note: Literal["interrupted"] = "interrupted"


class Leftovers(Part):
    """Processes that outlived their program and were ended; `unstopped` could not be."""

    note: Literal["leftovers"] = "leftovers"
    ended: int
    unstopped: int = 0
    attributed: bool = True


class Ambient(Part):
    """State of the operator's that this trial could see (a home of their own, say)."""

    note: Literal["ambient"] = "ambient"
    what: str


class Declared(Part):
    """What a host says of its records, for its normalizer: a profile that tells what a program's lines mean."""

    note: Literal["declared"] = "declared"
    name: Slug
    value: JsonValue


class Broke(Part):
    """Our own side failed during the trial: the place vanished, the disk was full."""

    note: Literal["broke"] = "broke"
    why: str
    owner: Owner


class NotBegun(Part):
    """No session was opened: what the trial presupposes was not there. `why` is a word."""

    note: Literal["not_begun"] = "not_begun"
    why: str
    skips: bool = False


Note = Annotated[
    SkillPlaced
    | PluginPlaced
    | TurnSent
    | Spawned
    | Furnished
    | Exited
    | LimitHit
    | Unavailable
    | Interrupted
    | Leftovers
    | Ambient
    | Declared
    | Broke
    | NotBegun,
    Field(discriminator="note"),
]
_NOTES: TypeAdapter[Note] = TypeAdapter(Note)
_read: Callable[[str], Note] = _NOTES.validator.validate_json


def notes(records: Iterable[Record]) -> Iterator[tuple[Record, Note]]:
    """The runner's notes among `records`, in order. Notes of a later release are passed over."""
    for record in records:
        if record.source is Source.RUNNER and (note := note_of(record)) is not None:
            yield record, note


def note_of(record: Record) -> Note | None:
    """The note of a record of the runner's; None for one of a later release. Only its source makes a line a note."""
    try:
        return _read(record.raw)
    except ValidationError:
        return None


def as_raw(note: Part) -> str:
    """The raw text of a note's record."""
    return json.dumps(note.model_dump(mode="json"), sort_keys=True)


def ending_by_notes(records: Iterable[Record]) -> tuple[Ending, Cause | None, Owner | None] | None:
    """The ending that the runner's own facts force: `ending_by` of the notes among `records`."""
    return ending_by(note for _, note in notes(records))


_FORCING = frozenset({"limit_hit", "unavailable", "interrupted", "leftovers", "broke", "not_begun"})


def ending_by(notes: Iterable[Note]) -> tuple[Ending, Cause | None, Owner | None] | None:
    """The ending that the runner's own facts force, whatever the program said; None where they force none.

    A limit, an interrupt, a program that can't be started and our own breakage beat everything. A program that
    was killed by a signal of somebody else, or exited with a code other than 0, is left to the normalizer, which
    may know a cause.
    """
    for note in notes:
        if note.note not in _FORCING:
            continue
        match note:
            case LimitHit(limit="seconds"):
                return Ending.TIME_LIMIT, None, Owner.AGENT
            case LimitHit():
                return Ending.OUTPUT_LIMIT, None, Owner.AGENT
            case Unavailable():
                return Ending.HOST_UNAVAILABLE, None, Owner.OPERATOR
            case Interrupted():
                return Ending.INTERRUPTED, None, Owner.OPERATOR
            case Leftovers(unstopped=count) if count:
                return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
            case Broke(owner=owner):
                return Ending.HOST_FAILED, Cause.UNCLASSIFIED, owner
            case NotBegun():
                return Ending.NOT_BEGUN, None, Owner.OPERATOR
            case _:
                pass
    return None


def exit_codes(records: Iterable[Record]) -> tuple[int, ...]:
    """The exit codes of the programs of a trial, in order."""
    return tuple(note.code for _, note in notes(records) if isinstance(note, Exited))
