"""A recording read by a profile, line by line, in words for the author of the profile."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields

from pydantic import JsonValue

from skilltrial.api import (
    ABSENT,
    Declared,
    Ending,
    Event,
    Exited,
    Part,
    Record,
    SessionEnded,
    SkillPlaced,
    Source,
    Spawned,
    TurnSent,
    Unrecognized,
    as_raw,
)

from .mapping import NotALine, meaning_of, read_line
from .normalizer import PROFILE, ProfileNormalizer
from .profile import Profile

_UNTOLD = frozenset({"seq", "turn", "agent", "seen"})
_DIGEST = "0" * 64


@dataclass
class Trying:
    """What a profile makes of a recording. `lines` prints it; then `sound` says whether all of it was understood."""

    profile: Profile
    recording: bytes
    skills: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    sound: bool = field(default=False, init=False)

    def lines(self) -> Iterator[str]:
        """The output: a block for each line of the recording, then the ending, and what the profile shows."""
        given = self.recording.decode("utf-8", "surrogateescape").splitlines()
        before = self._before()
        notes = [Record(seq, 0.0, Source.RUNNER, 1, as_raw(note)) for seq, note in enumerate(before, 1)]
        printed = [Record(len(before) + n, 0.0, Source.STDOUT, 1, raw) for n, raw in enumerate(given, 1)]
        exited = Record(len(before) + len(given) + 1, 0.0, Source.RUNNER, 1, as_raw(Exited(code=0)))
        events = tuple(ProfileNormalizer().normalize([*notes, *printed, exited]))
        by_line: dict[int, list[Event]] = {}
        for event in events:
            by_line.setdefault(event.seq - len(before), []).append(event)
        unknown = 0
        for number, raw in enumerate(given, 1):
            told = by_line.get(number, [])
            unknown += any(isinstance(event, Unrecognized) for event in told)
            yield from _block(f"{number:>5}  {_kind(raw)}", (*self._marks(raw), *map(_said, told)))
        ending = next(event.ending for event in events if isinstance(event, SessionEnded))
        after = (event for event in by_line.get(len(given) + 1, []) if not isinstance(event, SessionEnded))
        yield from _block("  end", map(_said, after))
        yield ""
        yield f"{len(given)} lines, {unknown} not understood; the session ended: {ending}"
        yield f"shows: {', '.join(sorted(self.profile.shows())) or 'nothing but files'}"
        self.sound = ending is Ending.COMPLETED and not unknown

    def _before(self) -> list[Part]:
        """The notes that a trial would have had before the first line."""
        told: dict[str, JsonValue] = {"profile": self.profile.model_dump(mode="json"), "servers": list(self.servers)}
        placed = [
            SkillPlaced(skill=one, path=f"{self.profile.skill_dir}/{one}", sha256=_DIGEST, body_sha256=_DIGEST)
            for one in self.skills
        ]
        begun = [TurnSent(turn=1, prompt_sha256=_DIGEST), Spawned(argv=self.profile.command)]
        return [Declared(name=PROFILE, value=told), *placed, *begun]

    def _marks(self, raw: str) -> Iterator[str]:
        """What a line says that becomes an event only when the turn is over."""
        try:
            value = read_line(raw)
        except NotALine:
            return
        meaning = meaning_of(value, self.profile)
        if meaning.answer:
            yield f"part of the answer: {_short(''.join(meaning.answer))}"
        if meaning.tokens:
            yield "tokens"
        if meaning.failure:
            yield f"the turn failed: {meaning.failure.cause}"
        if meaning.ends:
            yield "the turn ended"
        for pointer in meaning.missing:
            yield f"nothing stands at {pointer}"


def _block(head: str, told: Iterable[str]) -> Iterator[str]:
    said = list(told)
    yield f"{head:<32}{said[0] if said else '-'}"
    for one in said[1:]:
        yield f"{'':<32}{one}"


def _kind(raw: str) -> str:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return "(no JSON)"
    return str(value.get("type", "(no type)"))[:24] if isinstance(value, dict) else "(no object)"


def _said(event: Event) -> str:
    told = ((one.name, getattr(event, one.name)) for one in fields(event) if one.name not in _UNTOLD)
    return " ".join(
        (
            type(event).__name__,
            *(f"{name}={_short(value)}" for name, value in told if value is not None and value is not ABSENT),
        )
    )


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 40 else f"{text[:37]}..."
