"""The contract of normalizers: give the normalizer, and records of sessions, at best recordings of the real program."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from skilltrial.model.events import Event, SessionEnded, SkillStep, Step, TurnStarted, Unrecognized
from skilltrial.model.notes import (
    Broke,
    Exited,
    Interrupted,
    LimitHit,
    SkillPlaced,
    Spawned,
    TurnSent,
    Unavailable,
    as_raw,
    ending_by_notes,
    notes,
)
from skilltrial.model.records import Record
from skilltrial.model.words import Ending, Owner, Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import NormalizerFacade
from skilltrial.plugins.kinds import NORMALIZER

from .contracts import Contract, demand, documented, watched
from .programs import PlacedSkill, Rendering, Script, Turn, render
from .recorders import MemoryRecorder

_NOISE = (
    "",
    " ",
    "{",
    "[]",
    "null",
    "0",
    '"text"',
    "{}",
    '{"type": null}',
    '{"type": []}',
    '{"type": {"type": "type"}}',
    "plain words",
    "\x00\x1b[31m",
    "\udcff\udcfe",
    '{"type": "\\ud800"}',
    "[" * 5000,
    '{"a":' * 2000,
    '{"type": 1e999}',
    "9" * 5000,
)
_UNKNOWN = '{"type": "kit.never.heard.of", "kit": {"deep": [1, 2, 3]}}'
_CUTS = 40
"""Places at which a recording is cut, at most."""


@dataclass(frozen=True)
class NormalizerSubject:
    """A normalizer, and the records of sessions by name: `completed` are those that ended well."""

    part: object
    completed: Mapping[str, Sequence[Record]]
    others: Mapping[str, Sequence[Record]]
    """Sessions that ended in another way."""


def played(rendering: Rendering, script: Script, *, skill: str | None = None) -> tuple[Record, ...]:
    """The records of a session as a fake program would tell it: a process per turn, its prompt on standard input.

    With `skill` the text of a SKILL.md that lies in `.kit/skills/kit-notes`.
    """
    recorder = MemoryRecorder()
    placed = (PlacedSkill("kit-notes", ".kit/skills/kit-notes", skill),) if skill is not None else ()
    for one in placed:
        digest = hashlib.sha256(one.body.encode()).hexdigest()
        recorder.note(SkillPlaced(skill=one.id, path=one.folder, sha256=digest, body_sha256=digest))
    turn = Turn(1, "00000000-0000-4000-8000-00000000c0de", Path("/place/project"), placed, (), "kit-model")
    for number, steps in enumerate(render(script, rendering, turn), 1):
        recorder.turn = number
        recorder.note(TurnSent(turn=number, prompt_sha256=hashlib.sha256(b"kit").hexdigest()))
        recorder.note(Spawned(argv=("kit-agent",)))
        code, log = 0, []
        for verb, *words in steps:
            match verb:
                case "out" | "err":
                    source = Source.STDOUT if verb == "out" else Source.STDERR
                    for line in words[0].splitlines():
                        recorder.record(source, line)
                case "append":
                    log += words[1].splitlines()
                case "exit":
                    code = int(words[0])
        recorder.note(Exited(code=code))
        for line in log:
            recorder.record(Source.SESSION_LOG, line)
    return tuple(recorder.records)


def renumbered(records: Sequence[Record]) -> tuple[Record, ...]:
    """Records after some were taken out or put in, numbered anew."""
    return tuple(replace(record, seq=number) for number, record in enumerate(records, 1))


class NormalizerContract(Contract):
    """What every normalizer must do. Give `subject`, a NormalizerSubject."""

    kind = NORMALIZER

    @pytest.fixture
    def every(self, subject: NormalizerSubject) -> dict[str, tuple[Record, ...]]:
        """All examples."""
        demand(subject.completed, "give at least one session that ended well")
        return {name: tuple(records) for name, records in {**subject.completed, **subject.others}.items()}

    @pytest.fixture
    def normalizer(self, subject: NormalizerSubject) -> NormalizerFacade:
        """The normalizer, held to its hook spec."""
        return bind(NormalizerFacade, "subject", subject.part)

    def test_fits_its_hook_spec(self, subject: NormalizerSubject) -> None:
        """One hook, `normalize`, with plain parameters; the class says what it reads."""
        bind(NormalizerFacade, "subject", subject.part)
        demand(documented(subject.part), "the class has no docstring; `skilltrial plugins` shows its first line")

    def test_a_good_session_is_completed(self, normalizer: NormalizerFacade, subject: NormalizerSubject) -> None:
        """The examples that ended well are `completed`."""
        for name, records in subject.completed.items():
            ended = _end(normalizer, records, name)
            demand(ended.ending is Ending.COMPLETED, f"{name} ended well; the ending is {ended.ending}")

    def test_another_end_is_not_completed(self, normalizer: NormalizerFacade, subject: NormalizerSubject) -> None:
        """The other examples are not."""
        for name, records in subject.others.items():
            demand(
                _end(normalizer, records, name).ending is not Ending.COMPLETED,
                f"{name} did not end well, and is taken for completed",
            )

    def test_is_pure(self, normalizer: NormalizerFacade, every: dict[str, tuple[Record, ...]]) -> None:
        """The same records give the same events; no file, program or socket is touched."""
        for name, records in every.items():
            first = tuple(normalizer.normalize(records))
            random.seed(name)
            with watched() as acts:
                second = tuple(normalizer.normalize(records))
            demand(first == second, f"{name} gave two trajectories")
            demand(not acts, f"normalize is pure; it did: {', '.join(acts[:3])}")

    def test_ends_once_and_last(self, normalizer: NormalizerFacade, every: dict[str, tuple[Record, ...]]) -> None:
        """Exactly one SessionEnded, after everything else."""
        for name, records in {**every, "no records at all": ()}.items():
            events = tuple(normalizer.normalize(records))
            ends = [at for at, event in enumerate(events) if isinstance(event, SessionEnded)]
            demand(ends == [len(events) - 1], f"{name}: SessionEnded must stand once, at the end")

    def test_events_lead_to_records(self, normalizer: NormalizerFacade, every: dict[str, tuple[Record, ...]]) -> None:
        """`seq` of each event is that of a record, and its turn is not before that record's."""
        for name, records in every.items():
            known = {record.seq: record for record in records}
            for event in normalizer.normalize(records):
                demand(event.seq in known, f"{name}: {type(event).__name__} has seq {event.seq}, which is no record")

    def test_each_prompt_begins_a_turn(
        self, normalizer: NormalizerFacade, every: dict[str, tuple[Record, ...]]
    ) -> None:
        """Each TurnSent of the runner is a TurnStarted with its turn and digest, and nothing else is."""
        for name, records in every.items():
            sent = [(note.turn, note.prompt_sha256) for _, note in notes(records) if isinstance(note, TurnSent)]
            told = [
                (event.turn, event.prompt_sha256)
                for event in normalizer.normalize(records)
                if isinstance(event, TurnStarted)
            ]
            demand(sent == told, f"{name}: the prompts sent were {sent}, the turns told {told}")

    def test_any_noise_gives_events(self, normalizer: NormalizerFacade, every: dict[str, tuple[Record, ...]]) -> None:
        """Lines of no meaning, from any source and anywhere: never an exception."""
        draw = random.Random(5)  # noqa: S311 - where noise stands
        for name, records in list(every.items())[:12]:
            noisy = list(records)
            for line in _NOISE:
                for source in Source:
                    noisy.insert(draw.randint(0, len(noisy)), Record(0, 0.0, source, 1, line))
            _total(normalizer, renumbered(noisy), f"{name} with noise")

    def test_any_cut_gives_events(self, normalizer: NormalizerFacade, every: dict[str, tuple[Record, ...]]) -> None:
        """Records that stop, begin late, lack some, are doubled or cut in the middle of a line."""
        draw = random.Random(6)  # noqa: S311 - where they are cut
        for name, records in list(every.items())[:12]:
            places = range(len(records)) if len(records) <= _CUTS else draw.sample(range(len(records)), _CUTS)
            for at in places:
                half = replace(records[at], raw=records[at].raw[: len(records[at].raw) // 2])
                for what, cut in (
                    ("stops", records[:at]),
                    ("begins late", records[at:]),
                    ("lacks one", records[:at] + records[at + 1 :]),
                    ("has one twice", records[:at] + records[at : at + 1] * 2 + records[at + 1 :]),
                    ("has half a line", (*records[:at], half, *records[at + 1 :])),
                ):
                    _total(normalizer, renumbered(cut), f"{name} that {what} at record {at + 1}")

    def test_the_unknown_is_unrecognized(self, normalizer: NormalizerFacade, subject: NormalizerSubject) -> None:
        """A line of a kind never heard of is an `Unrecognized` that leads to it: never dropped."""
        for name, records in subject.completed.items():
            at = next((n for n, one in enumerate(records) if one.source is Source.STDOUT), len(records) - 1)
            turn = records[at].turn
            told = renumbered([*records[: at + 1], Record(0, 0.0, Source.STDOUT, turn, _UNKNOWN), *records[at + 1 :]])
            events = normalizer.normalize(told)
            demand(
                any(isinstance(event, Unrecognized) and event.seq == at + 2 for event in events),
                f"{name}: a line of an unknown kind was dropped; it must be Unrecognized",
            )

    def test_the_runners_facts_win(self, normalizer: NormalizerFacade, subject: NormalizerSubject) -> None:
        """A limit, an interrupt, a program that can't be started and our own breakage beat what was printed."""
        facts = (
            LimitHit(limit="seconds", value=60),
            LimitHit(limit="stdout", value=60),
            Unavailable(why="missing"),
            Interrupted(),
            Broke(why="OSError", owner=Owner.OPERATOR),
        )
        for name, records in list(subject.completed.items())[:4]:
            for fact in facts:
                told = renumbered([*records, Record(0, 0.0, Source.RUNNER, 1, as_raw(fact))])
                wanted = ending_by_notes(told)
                ended = _end(normalizer, told, name)
                demand(
                    wanted is not None and ended.ending is wanted[0],
                    f"{name} with {type(fact).__name__}: the ending is {ended.ending}, the fact says {wanted}",
                )

    def test_a_bad_exit_is_no_success(self, normalizer: NormalizerFacade, subject: NormalizerSubject) -> None:
        """A program that exited with another code than 0 did not complete its session, whatever it printed."""
        for name, records in subject.completed.items():
            told = tuple(
                replace(record, raw=as_raw(Exited(code=3))) if isinstance(note, Exited) else record
                for record, note in _with_notes(records)
            )
            demand(
                told == tuple(records) or _end(normalizer, told, name).ending is not Ending.COMPLETED,
                f"{name}: the program exited with 3, and the session is taken for completed",
            )

    def test_a_missing_end_is_no_success(self, normalizer: NormalizerFacade, subject: NormalizerSubject) -> None:
        """Records that stop before the program's end are not completed."""
        for name, records in subject.completed.items():
            last = max((n for n, (_, note) in enumerate(_with_notes(records)) if isinstance(note, Exited)), default=0)
            ended = _end(normalizer, records[:last], name)
            demand(
                ended.ending is not Ending.COMPLETED,
                f"{name}: nothing tells how the program ended, and the session is taken for completed",
            )

    def test_a_skill_is_known_by_its_bytes(self, normalizer: NormalizerFacade, subject: NormalizerSubject) -> None:
        """A skill of another place and content was not read, whatever its name."""
        for name, records in subject.completed.items():
            told = tuple(
                replace(record, raw=as_raw(note.model_copy(update={"path": "kit/elsewhere", "body_sha256": "f" * 64})))
                if isinstance(note, SkillPlaced)
                else record
                for record, note in _with_notes(records)
            )
            read = [one for one in normalizer.normalize(told) if isinstance(one, SkillStep) and one.step is Step.READ]
            demand(not read, f"{name}: a skill that was never looked at is told to be read")


def _with_notes(records: Sequence[Record]) -> list[tuple[Record, object]]:
    known = {record.seq: note for record, note in notes(records)}
    return [(record, known.get(record.seq)) for record in records]


def _total(normalizer: NormalizerFacade, records: Sequence[Record], what: str) -> tuple[Event, ...]:
    try:
        events = tuple(normalizer.normalize(tuple(records)))
    except Exception as error:
        raise AssertionError(f"{what} raised {type(error).__name__}: {error}; normalize is total") from error
    demand(sum(isinstance(event, SessionEnded) for event in events) == 1, f"{what} has not one SessionEnded")
    return events


def _end(normalizer: NormalizerFacade, records: Sequence[Record], what: str) -> SessionEnded:
    events = _total(normalizer, records, what)
    return next(event for event in events if isinstance(event, SessionEnded))
