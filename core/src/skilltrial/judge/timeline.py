"""One trial told in the order of its happening: what the host said beside what a fixture received. For the archive's
holder: prompts, answers and arguments stand in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from skilltrial.model import events as happened
from skilltrial.model import notes as told
from skilltrial.model.events import ABSENT, Event
from skilltrial.model.evidence import JoinedCall, WireCall
from skilltrial.model.records import Record
from skilltrial.model.trial import HostIdentity
from skilltrial.model.wire import Answered, Called, wire_calls, wire_notes
from skilltrial.plugins.facades import NormalizerFacade

from .reconcile import reconcile
from .tables import spaced
from .views import TrialView


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of a trial: seconds since it began, turn, record (`host.jsonl:12`), and what either side said."""

    at: float
    turn: int
    record: str
    host: str = ""
    wire: str = ""
    refused: bool = False


def timeline(
    trial: TrialView, normalizer: NormalizerFacade, identity: HostIdentity, fixtures: Iterable[str]
) -> tuple[Moment, ...]:
    """Every moment of a sealed trial, in order. Records that can't be read are said to be so."""
    records = trial.records()
    try:
        events = normalizer.normalize(records)
    except Exception as error:  # noqa: BLE001 - the verdict says what is wrong; notes and wire are still told
        events = ()
        broken = [Moment(0.0, 0, "host.jsonl", f"records that the normalizer can't read ({type(error).__name__})")]
    else:
        broken = []
    at = {record.seq: record.at for record in records}
    wire = trial.fixture_records()
    received = [call for name in fixtures for call in wire_calls(name, wire.get(name, ()))]
    joined = reconcile(events, received, tuple(fixtures), host_shows_calls=True).calls
    found = [
        *broken,
        *_notes(records),
        *_events(events, joined, at),
        *_alone(joined),
        *_fixtures(wire),
    ]
    return tuple(sorted(found, key=lambda one: (one.at, one.turn)))


def _notes(records: Sequence[Record]) -> Iterator[Moment]:
    for record, note in told.notes(records):
        if (text := _note(note)) is not None:
            yield Moment(record.at, record.turn, f"host.jsonl:{record.seq}", text)


def _note(note: object) -> str | None:  # noqa: PLR0911 - one line for each of a closed list
    match note:
        case told.SkillPlaced(skill=skill, path=path):
            return f"[runner] skill {skill} lies in {path}"
        case told.PluginPlaced(plugin=plugin, path=path):
            return f"[runner] plugin {plugin} lies in {path}"
        case told.Spawned(argv=argv):
            return f"[runner] starts {' '.join(argv)}"
        case told.Exited(code=code):
            return f"[runner] the program ended with {code}"
        case told.LimitHit(limit=limit, value=value):
            return f"[runner] limits.{limit} ({value}) ended the session"
        case told.Unavailable(why=why):
            return f"[runner] the program could not be started ({spaced(why)})"
        case told.Interrupted():
            return "[runner] interrupted"
        case told.Leftovers(ended=ended, unstopped=unstopped):
            return f"[runner] {ended} processes outlived their program and were ended, {unstopped} could not be"
        case told.Ambient(what=what):
            return f"[runner] the session could see: {what}"
        case told.Broke(why=why, owner=owner):
            return f"[runner] broke: {why} (owner {owner})"
        case told.NotBegun(why=why):
            return f"[runner] no session was opened ({spaced(why)})"
        case _:
            return None


def _events(events: Sequence[Event], joined: Iterable[JoinedCall], at: Mapping[int, float]) -> Iterator[Moment]:
    wires = {id(call.requested): call.wire for call in joined if call.requested and call.wire}
    for event in events:
        text = _event(event)
        if text is None:
            continue
        wire = wires.get(id(event))
        refused = isinstance(event, happened.ToolRejected) or (
            isinstance(event, happened.PermissionDecided) and event.decision == "denied"
        )
        who = f"[{event.agent}] " if event.agent else ""
        yield Moment(
            at.get(event.seq, 0.0),
            event.turn,
            f"host.jsonl:{event.seq}",
            who + text,
            _received(wire) if wire else "",
            refused,
        )


def _event(event: Event) -> str | None:  # noqa: PLR0911, PLR0912 - one line for each of a closed list
    match event:
        case happened.SessionStarted(model=model, version=version):
            return "session begins" + (f", {version}" if version else "") + (f", model {model}" if model else "")
        case happened.SessionEnded(ending=ending, cause=cause):
            return f"session ends: {spaced(ending)}" + (f" ({spaced(cause)})" if cause else "")
        case happened.TurnEnded(answer=answer):
            return f"answer: {answer}" if answer is not None else "turn ends (answer not shown)"
        case happened.Offered():
            return _offered(event)
        case happened.PluginFound():
            return _found(event)
        case happened.ToolRequested(tool=tool, server=server, input=given):
            name = f"{server}.{tool}" if server else tool
            return f"calls {name} {'' if given is ABSENT else _json(given)}".rstrip()
        case happened.ToolRejected(reason=reason):
            return f"REFUSED ({spaced(reason)})"
        case happened.ToolResult(content=content, is_error=is_error):
            return f"{'error' if is_error else 'result'}: {_json(content)}"
        case happened.ToolError(message=message):
            return f"the call broke down: {message}"
        case happened.PermissionDecided(tool=tool, decision="denied", by=by):
            return f"REFUSED: {tool}, by {by}"
        case happened.SkillStep(skill=skill, step=step):
            return f"skill {skill}: {spaced(step)}"
        case happened.Usage():
            return _usage(event)
        case happened.Retry(cause=cause):
            return f"asks its model again ({spaced(cause)})"
        case happened.Truncated(where=where):
            return f"a record was cut ({where})"
        case happened.Unrecognized(why=why):
            return f"a record that is not understood ({spaced(why)})"
        case _:
            return None


def _offered(event: happened.Offered) -> str:
    told_ = [
        f"{name} {', '.join(found) if len(found) <= 4 else len(found)}"
        for name, found in (("skills", event.skills), ("servers", event.servers), ("tools", event.tools))
        if found
    ]
    return f"has {'; '.join(told_) or 'nothing that it names'}"


def _found(event: happened.PluginFound) -> str:
    servers = (
        f"{one.name} ({'?' if one.tools is None else one.tools} tools)"
        for one in event.servers
        if one.connected is not False
    )
    told_ = [
        f"{name} {', '.join(found)}" for name, found in (("skills", event.skills), ("servers", tuple(servers))) if found
    ]
    state = "NOT installed" if event.enabled is False else "installed"
    faults = f"; {event.faults} faults" if event.faults else ""
    return f"plugin {event.plugin} {state}: {'; '.join(told_) or 'nothing in it'}{faults}"


def _usage(event: happened.Usage) -> str | None:
    parts = [
        f"{count} {name}"
        for name, count in (("in", event.input), ("out", event.output), ("cached", event.cached))
        if count is not None
    ]
    cost = [f"${Decimal(event.cost):.4f}"] if event.cost is not None else []
    return f"tokens {', '.join([*parts, *cost])}" if parts or cost else None


def _alone(joined: Iterable[JoinedCall]) -> Iterator[Moment]:
    """Calls that only a fixture saw."""
    for call in joined:
        if call.requested is None and call.wire is not None:
            wire = call.wire
            yield Moment(wire.at, wire.turn, f"fixture-{wire.server}.jsonl", "", _received(wire))


def _received(wire: WireCall) -> str:
    if not wire.answered:
        return f"{wire.server} received {wire.tool} {_json(wire.arguments)} and did not answer"
    kind = "error" if wire.is_error else "answer"
    because = f" ({spaced(wire.because)})" if wire.because else ""
    return f"{wire.server} received {wire.tool} {_json(wire.arguments)}; {kind}{because}: {_json(wire.result)}"


def _fixtures(wire: Mapping[str, Sequence[Record]]) -> Iterator[Moment]:
    """What a fixture noted beside calls: connections, lists, refusals."""
    for name, records in wire.items():
        for record, note in wire_notes(records):
            if not isinstance(note, Called | Answered):
                fields = note.model_dump(mode="json", exclude_none=True)
                word = spaced(str(fields.pop("wire", "noted")))
                more = ", ".join(f"{key} {_json(value)}" for key, value in fields.items())
                yield Moment(
                    record.at, record.turn, f"fixture-{name}.jsonl:{record.seq}", "", f"{name} {word} {more}".rstrip()
                )


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
