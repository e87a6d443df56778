"""How a session ended: the runner's facts, then what stream and log say of each turn, then exit codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from skilltrial.api import Cause, Ending, Note, Owner, Record, SessionEnded, ending_by

from .causes import cause_of, owner_of, owner_of_stderr
from .lines import text
from .stream import StreamTurn
from .thread import Done

Verdict = tuple[Ending, Cause | None, Owner | None]
_STDERR = 20_000
_EPHEMERAL = "--ephemeral"
"""Started so, it keeps no log."""


@dataclass
class Heard:
    """What the records say beside stream and log, as they are gone through."""

    notes: list[tuple[Record, Note]] = field(default_factory=list)
    begun: set[int] = field(default_factory=set)
    """Turns of which anything is on record: each has to end."""
    seq: int = 0
    """Of the last record."""
    turn: int = 0
    """The highest one."""
    complaints: dict[int, str] = field(default_factory=dict)
    """The beginning of what the program complained about, by turn."""

    def goes_on(self, turn: int) -> None:
        """Something of this turn is on record."""
        if turn > 0:
            self.begun.add(turn)
            self.turn = max(self.turn, turn)

    def complaint(self, record: Record) -> None:
        """A line of standard error."""
        said = self.complaints.get(record.turn)
        if said is None:
            self.complaints[record.turn] = record.raw
        elif len(said) < _STDERR:
            self.complaints[record.turn] = f"{said}\n{record.raw}"


def session_ended(heard: Heard, turns: Mapping[int, StreamTurn], done: Sequence[Done]) -> SessionEnded:
    """The one `SessionEnded` of a trajectory; `done` is what the session log tells of each turn."""
    ending, cause, owner = ending_by(note for _, note in heard.notes) or _by_turns(heard, turns, done)
    return SessionEnded(seq=heard.seq, turn=heard.turn, ending=ending, cause=cause, owner=owner)


def _by_turns(heard: Heard, turns: Mapping[int, StreamTurn], done: Sequence[Done]) -> Verdict:
    exits = {record.turn: note.code for record, note in heard.notes if note.note == "exited"}
    errors = {each.turn: each for each in done if each.error}
    for turn in sorted(heard.begun | turns.keys()):
        bad = _of_turn(turns.get(turn), errors.get(turn), exits.get(turn), heard.complaints.get(turn, ""))
        if bad is not None:
            return bad
    if not turns:
        return Ending.INVALID_EVENTS, None, Owner.HOST
    kept = {record.turn for record, note in heard.notes if note.note == "spawned" and _EPHEMERAL not in note.argv}
    if kept & turns.keys() - {each.turn for each in done}:
        # It goes on where it can't write its state, and what only the log shows is missing.
        return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR
    return Ending.COMPLETED, None, None


def _of_turn(turn: StreamTurn | None, error: Done | None, code: int | None, complaint: str) -> Verdict | None:
    """What went wrong in a turn; None where nothing did."""
    stopped = turn is not None and (turn.failed is not None or (turn.error is not None and turn.completed is None))
    if stopped or error is not None:
        logged = error.error if error is not None else {}
        message = text(logged, "message") or (turn.message if turn is not None else "")
        info = logged.get("codex_error_info")
        cause = cause_of(message, info)
        return Ending.HOST_FAILED, cause, owner_of(cause, message, info)
    if turn is not None and turn.completed is not None:
        return _of_completed(turn, code)
    if code in {0, None}:
        return Ending.INVALID_EVENTS, None, Owner.HOST
    if turn is not None and turn.began is not None:
        return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
    if cause_of(complaint, None) is Cause.AUTH:
        return Ending.HOST_FAILED, Cause.AUTH, Owner.OPERATOR
    return Ending.HOST_FAILED, Cause.UNCLASSIFIED, owner_of_stderr(complaint)


def _of_completed(turn: StreamTurn, code: int | None) -> Verdict | None:
    if code is None:
        # How the program ended is not on record: what is missing is never a success.
        return Ending.INVALID_EVENTS, None, Owner.HOST
    if code != 0:
        return Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST
    if not (turn.answer or "").strip():
        return Ending.HOST_FAILED, Cause.EMPTY, owner_of(Cause.EMPTY, "", None)
    return None
