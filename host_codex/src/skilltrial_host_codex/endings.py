"""How a session ended: the runner's facts, then what stream and log say of each turn, then exit codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from skilltrial.api import Cause, Ending, Exited, Note, Owner, Record, SessionEnded, Source, ending_by_notes

from .causes import cause_of, owner_of, owner_of_stderr
from .lines import text
from .stream import StreamTurn
from .thread import Done

Verdict = tuple[Ending, Cause | None, Owner | None]
_STDERR = 20_000


def session_ended(
    records: Sequence[Record],
    noted: Sequence[tuple[Record, Note]],
    turns: Mapping[int, StreamTurn],
    done: Sequence[Done],
) -> SessionEnded:
    """The one `SessionEnded` of a trajectory; `noted` are the notes among its records."""
    exits = {record.turn: note.code for record, note in noted if isinstance(note, Exited)}
    ending, cause, owner = ending_by_notes(record for record, _ in noted) or _by_turns(records, exits, turns, done)
    last = max((record.turn for record in records), default=0)
    seq = records[-1].seq if records else 0
    return SessionEnded(seq=seq, turn=last, ending=ending, cause=cause, owner=owner)


def _by_turns(
    records: Sequence[Record], exits: Mapping[int, int], turns: Mapping[int, StreamTurn], done: Sequence[Done]
) -> Verdict:
    # A turn of which anything is on record was begun, and has to end.
    begun = {record.turn for record in records if record.turn > 0}
    errors = {each.turn: each for each in done if each.error}
    for turn in sorted(begun | turns.keys()):
        bad = _of_turn(turns.get(turn), errors.get(turn), exits.get(turn), partial(_stderr, records, turn))
        if bad is not None:
            return bad
    if not turns:
        return Ending.INVALID_EVENTS, None, Owner.HOST
    return Ending.COMPLETED, None, None


def _of_turn(
    turn: StreamTurn | None, error: Done | None, code: int | None, stderr: Callable[[], str]
) -> Verdict | None:
    """What went wrong in a turn; None where nothing did."""
    stopped = turn is not None and (turn.failed is not None or (turn.error is not None and turn.completed is None))
    if stopped or error is not None:
        logged = error.error if error is not None else {}
        message = text(logged, "message") or (turn.message if turn is not None else "")
        cause = cause_of(message, logged.get("codex_error_info"))
        return Ending.HOST_FAILED, cause, owner_of(cause, message)
    if turn is not None and turn.completed is not None:
        if code not in {0, None}:
            return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
        if not (turn.answer or "").strip():
            return Ending.HOST_FAILED, Cause.EMPTY, owner_of(Cause.EMPTY, "")
        return None
    if code in {0, None}:
        return Ending.INVALID_EVENTS, None, Owner.HOST
    if turn is not None and turn.began is not None:
        return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
    complaint = stderr()
    if cause_of(complaint, None) is Cause.AUTH:
        return Ending.HOST_FAILED, Cause.AUTH, Owner.OPERATOR
    return Ending.HOST_FAILED, Cause.UNCLASSIFIED, owner_of_stderr(complaint)


def _stderr(records: Sequence[Record], turn: int) -> str:
    """The beginning of what the program complained about in a turn."""
    found, size = [], 0
    for record in records:
        if record.source is Source.STDERR and record.turn == turn and size < _STDERR:
            found.append(record.raw)
            size += len(record.raw)
    return "\n".join(found)
