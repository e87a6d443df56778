"""Whether the fixtures' side of a trial can be believed, and what they received."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from skilltrial.model.capabilities import Sees
from skilltrial.model.events import Event, Offered, PermissionDecided, ToolRejected, ToolRequested
from skilltrial.model.evidence import JoinedCall, WireCall
from skilltrial.model.records import Record
from skilltrial.model.wire import Forwarded, Placed, ToolsListed, WireNote, wire_calls, wire_damaged, wire_notes
from skilltrial.model.words import Owner

from .reconcile import reconcile


@dataclass(frozen=True, slots=True)
class Witnessed:
    """Both sides of a trial's calls. `doubt` is why the trial shows nothing, with its owner; None where it does."""

    wire: tuple[WireCall, ...] = ()
    calls: tuple[JoinedCall, ...] = ()
    alone: frozenset[str] = frozenset()
    """Fixtures whose calls no host can show: programs that its commands start."""
    doubt: tuple[str, Owner] | None = None


def witnessed(
    fixtures: Sequence[str],
    records: Mapping[str, Sequence[Record]],
    events: Sequence[Event],
    sees: frozenset[Sees],
    started: frozenset[int] = frozenset(),
) -> Witnessed:
    """Read what the suite's `fixtures` put on record, and join it with the trajectory.

    A session whose program never listed a fixture's tools, or got none, shows nothing about the agent: it could not
    have called them. That goes for each turn in which the program was `started` anew. One that listed them and whose
    agent called none is judged like any other. Programs are listed by nobody; that they were placed is what can be
    known.
    """
    notes = {name: [note for _, note in wire_notes(records.get(name, ()))] for name in fixtures}
    alone = frozenset(name for name, own in notes.items() if any(isinstance(note, Placed) for note in own))
    wire = tuple(
        sorted(
            (call for name in fixtures for call in wire_calls(name, records.get(name, ()))), key=lambda call: call.at
        )
    )
    joined = frozenset(fixtures) - alone
    found = reconcile(events, wire, joined, host_shows_calls=Sees.TOOL_CALLS in sees)
    doubt = (
        _unreadable(fixtures, records)
        or _not_ready([notes[name] for name in fixtures if name not in alone])
        or _not_listed_again([records.get(name, ()) for name in fixtures if name not in alone], started)
        or _not_at_host([name for name in fixtures if name not in alone], events)
        or _failed_behind(notes.values())
        or _unanswered(wire)
        or _unscripted(wire)
        or _denied(fixtures, events)
        or (None if found.contradiction is None else (found.contradiction, Owner.HOST))
    )
    return Witnessed(wire, found.calls, alone, doubt)


def _unreadable(fixtures: Sequence[str], records: Mapping[str, Sequence[Record]]) -> tuple[str, Owner] | None:
    damaged = any(wire_damaged(records.get(name, ())) for name in fixtures)
    return ("fixture_record_unreadable", Owner.FIXTURE) if damaged else None


def _not_ready(fixtures: Sequence[Sequence[WireNote]]) -> tuple[str, Owner] | None:
    for notes in fixtures:
        listed = [note.count for note in notes if isinstance(note, ToolsListed)]
        if not notes:
            return "fixture_not_contacted", Owner.HOST
        if not listed:
            return "fixture_tools_not_listed", Owner.HOST
        if max(listed) == 0:
            return "fixture_list_empty", Owner.HOST
    return None


def _not_listed_again(fixtures: Iterable[Sequence[Record]], started: frozenset[int]) -> tuple[str, Owner] | None:
    for records in fixtures:
        if started - {record.turn for record, note in wire_notes(records) if isinstance(note, ToolsListed)}:
            return "fixture_tools_not_listed", Owner.HOST
    return None


def _not_at_host(fixtures: Sequence[str], events: Sequence[Event]) -> tuple[str, Owner] | None:
    """The program listed the tools on the wire, and says that its model was given none of that server's.

    A server that a plugin brought may have the plugin's name before its own.
    """
    said = [event.servers for event in events if isinstance(event, Offered) and event.agent is None]
    missing = any(
        not any(one == name or one.endswith(f":{name}") for one in servers)
        for servers in said
        if servers is not None
        for name in fixtures
    )
    return ("fixture_not_at_host", Owner.HOST) if missing else None


def _failed_behind(fixtures: Iterable[Sequence[WireNote]]) -> tuple[str, Owner] | None:
    """A real server behind a fixture that did not answer: what the agent did then says nothing."""
    for notes in fixtures:
        why = next((note.failed for note in notes if isinstance(note, Forwarded) and note.failed is not None), None)
        if why is not None:
            return f"server_{why}", Owner.OPERATOR if why == "not_authorized" else Owner.FIXTURE
    return None


def _unanswered(wire: Sequence[WireCall]) -> tuple[str, Owner] | None:
    return ("fixture_did_not_answer", Owner.FIXTURE) if any(not call.answered for call in wire) else None


def _unscripted(wire: Sequence[WireCall]) -> tuple[str, Owner] | None:
    """What the agent was told then is not what the server under study would have told it."""
    return ("fixture_unscripted", Owner.FIXTURE) if any(call.because == "unscripted" for call in wire) else None


def _denied(fixtures: Sequence[str], events: Sequence[Event]) -> tuple[str, Owner] | None:
    """A fixture's tools are allowed beforehand, alike in all arms: a host that refuses one breaks the comparison."""
    ours = {event.call for event in events if isinstance(event, ToolRequested) and event.server in fixtures}
    refused = {
        event.call
        for event in events
        if (isinstance(event, ToolRejected) and event.reason in ("permission", "policy"))
        or (isinstance(event, PermissionDecided) and event.decision == "denied")
    }
    return ("fixture_tool_denied", Owner.HOST) if ours & refused else None
