"""The records of a Codex trial → its trajectory.

The stream of `codex exec --json` is joined with the session log, call by call: what the stream hides (commands that
the sandbox denied, rejected and unknown calls, skills that a prompt mentioned) comes from the log, in the place
where it happened. Without a log only what the stream shows is there, and `Truncated(where="session_log")` says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skilltrial.api import (
    Event,
    Notice,
    Offered,
    PluginPlaced,
    Record,
    SessionStarted,
    SkillPlaced,
    SkillStep,
    Source,
    Truncated,
    TurnEnded,
    TurnStarted,
    note_of,
)

from .calls import log_calls, stream_calls
from .endings import Heard, session_ended
from .joining import join
from .lines import Lines, Object
from .offers import offers
from .plugin import found
from .rollout import Threads
from .shelf import Shelf
from .skills import Skills
from .stream import StreamTurn, Turns, digest
from .thread import Asked, Thread
from .tokens import usage
from .trail import Trail
from .versions import is_recorded

_STDOUT, _STDERR, _LOG, _RUNNER = Source.STDOUT, Source.STDERR, Source.SESSION_LOG, Source.RUNNER
"""Looked up once: in Python 3.11 a member of an enumeration costs as much as a call."""


@dataclass(frozen=True)
class CodexNormalizer:
    """Reads what `codex exec --json` prints and what it writes to its session log."""

    def normalize(self, records: Sequence[Record]) -> Iterator[Event]:
        """See NormalizerSpec. Goes through the records once, and asks again for what was too much to hold."""
        return events_of(Shelf(records))


def events_of(shelf: Shelf) -> Iterator[Event]:
    """The trajectory of the records that the shelf was made for."""
    heard = Heard()
    stream, log = Turns(shelf), Threads(shelf)
    _read(shelf.records, heard, Lines(stream.tell), Lines(log.tell))
    turns, logs = stream.found, log.found
    main = _main(logs, turns)
    # By its word: whether a note is of a class is asked of pydantic, which takes its time.
    placed = tuple(note for _, note in heard.notes if note.note == "skill_placed")
    trail = Trail(many=shelf.full)
    for record, note in heard.notes:
        if note.note == "turn_sent":
            trail.add(TurnStarted(seq=record.seq, turn=note.turn, prompt_sha256=note.prompt_sha256), record.seq)
    _opened(trail, turns, main, Skills(placed, main.cwd if main else None))
    for turn in turns.values():
        for event in turn.events:
            trail.add(event, event.seq)
    plugin = next((note for _, note in heard.notes if isinstance(note, PluginPlaced)), None)
    for event in found(main, plugin) if main is not None and plugin is not None else ():
        trail.add(event, event.seq)
    _called(trail, turns, logs, main, placed)
    _ended(trail, turns, main)
    trail.add(session_ended(heard, turns, main.done if main else ()), None)
    return trail.events()


def _read(records: Sequence[Record], heard: Heard, stream: Lines, log: Lines) -> None:
    turn = 0
    record: Record | None = None
    for place, record in enumerate(records):
        if record.turn != turn:
            turn = record.turn
            heard.goes_on(turn)
        source = record.source
        if source is _LOG:
            log.take(place, record)
        elif source is _STDOUT:
            stream.take(place, record)
        elif source is _STDERR:
            heard.complaint(record)
        elif source is _RUNNER and (note := note_of(record)) is not None:
            heard.notes.append((record, note))
    heard.seq = record.seq if record is not None else 0
    stream.over()
    log.over()


def _main(logs: Sequence[Thread], turns: dict[int, StreamTurn]) -> Thread | None:
    """The log of the conversation that the stream shows; the others are its subagents'."""
    shown = {turn.thread for turn in turns.values()} - {None}
    return next((log for log in logs if log.id in shown), next((log for log in logs if log.parent is None), None))


def _opened(trail: Trail, turns: dict[int, StreamTurn], main: Thread | None, skills: Skills) -> None:
    first = next((turn for turn in turns.values() if turn.opened is not None), None)
    if first is None and main is None:
        return
    seq = first.opened if first is not None and first.opened is not None else main.seq if main else 0
    turn = first.turn if first is not None else 0
    session = first.thread if first is not None else main.id if main else None
    started = SessionStarted(
        seq=seq, turn=turn, session=session, version=main.version if main else None, model=main.model if main else None
    )
    trail.add(started, seq)
    if main is None:
        trail.add(Truncated(seq=seq, turn=turn, where=Source.SESSION_LOG.value), seq)
        return
    if main.version is not None and not is_recorded(main.version):
        trail.add(Notice(seq=main.seq, turn=turn, text_sha256=digest(f"codex {main.version} is not recorded")), seq)
    for event in offers(main, skills):
        trail.add(event, seq if isinstance(event, Offered | SkillStep) and event.turn == turn else event.seq)


def _called(
    trail: Trail,
    turns: dict[int, StreamTurn],
    logs: Sequence[Thread],
    main: Thread | None,
    placed: tuple[SkillPlaced, ...],
) -> None:
    if main is not None:
        join(main, tuple(turns.values()), many=trail.many)
    for turn in turns.values():
        if turn.items:
            for steps in stream_calls(turn, Skills(placed, main.cwd if main is not None else None)):
                trail.follow(steps)
    if main is None:
        return
    for log in logs:
        for event in log.events:
            trail.add(event, event.seq)
        agent = None if log is main else log.id or "?"
        trail.follow(log_calls(log, turns, Skills(placed, log.cwd or main.cwd), agent))


def _ended(trail: Trail, turns: dict[int, StreamTurn], main: Thread | None) -> None:
    before: Object | None = {}
    logged = {done.turn for done in main.done} if main else set()
    for turn in sorted(turns.values(), key=lambda each: each.turn):
        asked = [step for step in main.steps if isinstance(step, Asked) and step.turn == turn.turn] if main else []
        if asked:
            trail.add(usage(asked[-1].seq, turn.turn, asked[-1].whole, {}), turn.last)
        elif turn.usage and before is not None and turn.completed is not None:
            # The stream counts over the whole conversation; what earlier turns used is taken away.
            trail.add(usage(turn.completed, turn.turn, turn.usage, before), turn.last)
        before = turn.usage or None
        if turn.completed is None:
            continue
        native = main.turn_ids.get(turn.turn) if main else None
        ended = TurnEnded(seq=turn.completed, turn=turn.turn, answer=turn.answer, native_turn=native or None)
        trail.add(ended, turn.last)
        if main is not None and turn.turn not in logged:
            trail.add(Truncated(seq=turn.completed, turn=turn.turn, where=Source.SESSION_LOG.value), turn.last)
