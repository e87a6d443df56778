"""What the records of a probe show: of the program itself, and of what its model was asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from pydantic import JsonValue

from skilltrial.archive.reading import SealedArchive, SealedTrial
from skilltrial.model.endings import Ended, ended
from skilltrial.model.events import Event
from skilltrial.model.notes import notes
from skilltrial.model.trial import HostIdentity, TrialKey
from skilltrial.model.wire import Called, wire_notes
from skilltrial.model.words import Ending
from skilltrial.plugins.facades import NormalizerFacade

E = TypeVar("E", bound=Event)
_CALLS = frozenset({"read_skill", "read_file", "write_file", "edit_file", "run", "call"})
"""Acts that are calls of a tool."""


@dataclass(frozen=True)
class Seen:
    """One trial of the probe suite."""

    trial: SealedTrial
    events: tuple[Event, ...]
    end: Ended

    @property
    def completed(self) -> bool:
        """Whether the session came to its end."""
        return self.end.ending is Ending.COMPLETED

    def of(self, kind: type[E]) -> tuple[E, ...]:
        """The events of one kind."""
        return tuple(event for event in self.events if isinstance(event, kind))

    @cached_property
    def notes(self) -> tuple[tuple[dict[str, Any], str], ...]:
        """What the scripted model put on record: each note, and its text."""
        return tuple((json.loads(record.raw), record.raw) for record in self.trial.model_records())

    def asked(self, turn: int | None = None) -> str:
        """All that the model was asked, of one turn or of all, as text."""
        return "\n".join(
            raw for note, raw in self.notes if note["note"] == "request" and turn in (None, note.get("turn"))
        )

    @property
    def models(self) -> set[str]:
        """The models that were asked, requests beside the turns left out."""
        return {str(note["model"]) for note, _ in self.notes if note["note"] == "request" and not note.get("side")}

    @cached_property
    def replies(self) -> tuple[dict[str, Any], ...]:
        """Each reply of the script once, however often it was asked for."""
        found = {
            (note["turn"], note["step"]): note
            for note, _ in self.notes
            if note["note"] == "reply" and note["step"] is not None and note["status"] == 200
        }
        return tuple(found.values())

    @property
    def received(self) -> list[JsonValue]:
        """The arguments of every call that a server of the suite received."""
        servers = self.trial.fixture_records().values()
        return [note.arguments for one in servers for _, note in wire_notes(one) if isinstance(note, Called)]

    @property
    def calls(self) -> int:
        """How many calls the model asked for."""
        return sum(note["kind"] in _CALLS for note in self.replies)

    def said_tokens(self, turn: int) -> int | None:
        """The tokens that the model said it had put out in a turn; None where a reply tells none."""
        counts = [_tokens(note["body"]) for note in self.replies if note["turn"] == turn]
        return sum(count for count in counts if count is not None) if counts and None not in counts else None


def look(archive: SealedArchive, normalizer: NormalizerFacade) -> Mapping[TrialKey, Seen]:
    """Every sealed trial of the probes."""
    return dict(_each(archive, normalizer, archive.plan.host))


def _each(
    archive: SealedArchive, normalizer: NormalizerFacade, identity: HostIdentity
) -> Iterator[tuple[TrialKey, Seen]]:
    for key in archive.sealed():
        trial = archive.trial(key)
        if trial is not None:
            records = trial.records()
            events = normalizer.normalize(records)
            noted = [note for _, note in notes(records)]
            turns = len(archive.suite.case(key.case).turns)
            yield key, Seen(trial, events, ended(noted, records, events, turns=turns, sees=identity.sees))


def _tokens(body: object) -> int | None:
    """The output tokens of a reply, in any of the protocols that agent programs speak."""
    usage = body.get("usage") if isinstance(body, dict) else None
    if not isinstance(usage, dict):
        return None
    found = usage.get("output_tokens", usage.get("completion_tokens"))
    return found if isinstance(found, int) else None
