"""Changes of what a fixture put on record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise

from pydantic import JsonValue

from skilltrial.archive import layout
from skilltrial.model.evidence import WireCall
from skilltrial.model.wire import Answered, Called, Connected, ToolsListed, WireNote, wire_notes

from .editing import leaves, members, other, put, record_with
from .mutants import IGNORED, REDUNDANT, UNNAMED, Change, Mutant, Mutation, on_wire
from .specimen import Specimen
from .tape import Tape

Notes = Mapping[int, WireNote]
"""Line → the note that it holds."""


def drops(specimen: Specimen) -> Iterator[Mutant]:
    """A call, or only its arrival, or only its answer, is missing."""
    for fixture, tape in specimen.wires.items():
        notes = _notes(tape)
        for call in _calls(notes):
            lines = [at for at, note in notes.items() if isinstance(note, Called | Answered) and note.number == call]
            for what, gone in (("and its answer", lines), ("alone", lines[:1]), ("'s answer", lines[1:])):
                if gone:
                    yield Mutant(f"{_name(notes, call)} {what}", on_wire(fixture, tape.without(gone)))


def repeats(specimen: Specimen) -> Iterator[Mutant]:
    """A call arrived twice."""
    for fixture, tape in specimen.wires.items():
        notes = _notes(tape)
        for call in _calls(notes):
            lines = [at for at, note in notes.items() if isinstance(note, Called | Answered) and note.number == call]
            for how in ("with its id", "with another id", "without an id"):
                copies = [record_with(tape.records[at], raw=_again(notes[at], len(notes), how)) for at in lines]
                more = tape.with_inserted(lines[-1] + 1, copies)
                yield Mutant(f"{_name(notes, call)} {how}", on_wire(fixture, more))


def reorders(specimen: Specimen) -> Iterator[Mutant]:
    """Two calls that followed each other arrived in the other order."""
    for fixture, tape in specimen.wires.items():
        notes = _notes(tape)
        calls = _calls(notes)
        for first, second in pairwise(calls):
            a, b = _lines(notes, first), _lines(notes, second)
            if tape.records[a[0]].turn != tape.records[b[0]].turn or len(a) != 2 or len(b) != 2:
                continue
            swapped = _exchanged(tape, notes, a, b)
            free = specimen.ignored & {_tool(notes, first), _tool(notes, second)}
            same = _same(notes, first, second)
            yield Mutant(
                f"calls {first} and {second}",
                on_wire(fixture, swapped),
                equivalent=IGNORED if free else REDUNDANT if same else None,
            )


def alters(specimen: Specimen) -> Iterator[Mutant]:
    """A call arrived with another argument."""
    for fixture, tape in specimen.wires.items():
        notes = _notes(tape)
        for at, note in notes.items():
            if isinstance(note, Called):
                for what, changed in members(note.arguments):
                    yield Mutant(
                        f"call {note.number} ({note.tool}): {what}",
                        on_wire(fixture, _with(tape, at, note, arguments=changed)),
                    )


def renames(specimen: Specimen) -> Iterator[Mutant]:
    """A call of another tool arrived."""
    for fixture, tape in specimen.wires.items():
        for at, note in _notes(tape).items():
            if isinstance(note, Called):
                yield Mutant(
                    f"call {note.number} ({note.tool})",
                    on_wire(fixture, _with(tape, at, note, tool="list_everything")),
                )


def moves(specimen: Specimen) -> Iterator[Mutant]:
    """A call arrived in another turn: before the first, late, or while another prompt was answered."""
    for fixture, tape in specimen.wires.items():
        notes = _notes(tape)
        for call in _calls(notes):
            lines = _lines(notes, call)
            turn = tape.records[lines[0]].turn
            for other_turn in sorted({0, turn - 1, turn + 1}):
                moved = tape
                for at in lines:
                    moved = moved.with_record(at, record_with(tape.records[at], turn=other_turn))
                yield Mutant(f"{_name(notes, call)} to turn {other_turn}", on_wire(fixture, moved))


def flips(specimen: Specimen) -> Iterator[Mutant]:
    """A call failed that was answered, or the other way round."""
    for fixture, tape in specimen.wires.items():
        for at, note in _notes(tape).items():
            if isinstance(note, Answered):
                changed = _with(tape, at, note, is_error=not note.is_error)
                yield Mutant(f"answer to call {note.number}", on_wire(fixture, changed))


def answers_otherwise(specimen: Specimen) -> Iterator[Mutant]:
    """The fixture answered something else."""
    for fixture, tape in specimen.wires.items():
        notes = _notes(tape)
        for at, note in notes.items():
            if not isinstance(note, Answered):
                continue
            free = _tool(notes, note.number) in specimen.ignored
            for path, value in leaves(note.result):
                key = next((step for step in reversed(path) if isinstance(step, str)), "")
                why = IGNORED if free else None if key in specimen.named_results else UNNAMED
                for how, changed in other(value):
                    yield Mutant(
                        f"answer to call {note.number}: /{'/'.join(map(str, path))} {how}",
                        on_wire(fixture, _with(tape, at, note, result=put(note.result, path, changed))),
                        equivalent=why,
                    )


def unlists(specimen: Specimen) -> Iterator[Mutant]:
    """Nothing shows that the host got the tools: no list, an empty one, no contact, no record at all."""
    for fixture, tape in specimen.wires.items():
        notes = _notes(tape)
        listed = [at for at, note in notes.items() if isinstance(note, ToolsListed)]
        contact = [at for at, note in notes.items() if isinstance(note, Connected)]
        yield Mutant(f"{fixture}: no list", on_wire(fixture, tape.without(listed)))
        yield Mutant(f"{fixture}: no list and no contact", on_wire(fixture, tape.without([*listed, *contact])))
        empty = tape
        for at in listed:
            note = notes[at]
            empty = _with(empty, at, note, count=0)
        yield Mutant(f"{fixture}: an empty list", on_wire(fixture, empty))
        yield Mutant(f"{fixture}: an empty record", {layout.fixture_records(fixture): b""})
        yield Mutant(f"{fixture}: no record", {layout.fixture_records(fixture): None})
        yield Mutant(
            f"{fixture}: no line of the contact",
            on_wire(fixture, tape.without(contact)),
            equivalent="the list that was asked for shows the contact too" if contact else None,
        )


def lists_otherwise(specimen: Specimen) -> Iterator[Mutant]:
    """The host was offered other descriptions or schemas than in the other arm."""
    arms = {one.arm for one in specimen.others if (one.case, one.label) == (specimen.key.case, specimen.key.label)}
    if not arms - {specimen.key.arm}:
        return
    for fixture, tape in specimen.wires.items():
        for at, note in _notes(tape).items():
            if isinstance(note, ToolsListed) and note.sha256 is not None:
                listed = _with(tape, at, note, sha256=note.sha256[::-1])
                yield Mutant(f"{fixture} line {at + 1}", on_wire(fixture, listed))


def garbles(specimen: Specimen) -> Iterator[Mutant]:
    """A line of a fixture's record can't be read, or the record ends early."""
    for fixture, tape in specimen.wires.items():
        for at, record in enumerate(tape.records):
            half = record_with(record, raw=record.raw[: len(record.raw) // 2])
            yield Mutant(f"{fixture} line {at + 1} cut", on_wire(fixture, tape.with_record(at, half)))
            short = Tape(tape.records[:at])
            same = REDUNDANT if _told(short) == _told(tape) else None
            yield Mutant(f"{fixture} ends before line {at + 1}", on_wire(fixture, short), equivalent=same)


def _told(tape: Tape) -> list[dict[str, object]]:
    return [_bare(note) for note in _notes(tape).values() if isinstance(note, Called | Answered | ToolsListed)]


def with_arguments(specimen: Specimen, call: WireCall, arguments: JsonValue) -> Change:
    """The change by which a call arrived with other arguments."""
    tape = specimen.wires[call.server]
    for at, note in _notes(tape).items():
        if isinstance(note, Called) and tape.records[at].at == call.at and note.rpc_id == call.rpc_id:
            return on_wire(call.server, _with(tape, at, note, arguments=arguments))
    raise LookupError(call.tool)


def _notes(tape: Tape) -> dict[int, WireNote]:
    places = {id(record): at for at, record in enumerate(tape.records)}
    return {places[id(record)]: note for record, note in wire_notes(tape.records)}


def _calls(notes: Notes) -> list[int]:
    return [note.number for note in notes.values() if isinstance(note, Called)]


def _lines(notes: Notes, number: int) -> list[int]:
    return [at for at, note in notes.items() if isinstance(note, Called | Answered) and note.number == number]


def _tool(notes: Notes, number: int) -> str:
    return next(note.tool for note in notes.values() if isinstance(note, Called) and note.number == number)


def _same(notes: Notes, first: int, second: int) -> bool:
    a, b = ([_bare(notes[at]) for at in _lines(notes, number)] for number in (first, second))
    return a == b


def _bare(note: WireNote) -> dict[str, object]:
    value = note.model_dump(mode="json")
    return {key: one for key, one in value.items() if key not in ("number", "rpc_id", "joins")}


def _name(notes: Notes, number: int) -> str:
    return f"call {number} ({_tool(notes, number)})"


def _with(tape: Tape, at: int, note: WireNote, **fields: JsonValue) -> Tape:
    value = {**note.model_dump(mode="json"), **fields}
    return tape.with_raw({at: json.dumps(value)})


def _again(note: WireNote, number: int, how: str) -> str:
    value = {**note.model_dump(mode="json"), "number": number}
    if isinstance(note, Called) and how != "with its id":
        value["joins"] = None if how == "without an id" else f"{note.joins}x"
    return json.dumps(value)


def _exchanged(tape: Tape, notes: Notes, one: list[int], other: list[int]) -> Tape:
    """The tape with two calls in each other's place, number and time."""
    changed = tape
    for here, there in (*zip(one, other, strict=True), *zip(other, one, strict=True)):
        mine, theirs = notes[here], notes[there]
        if isinstance(mine, Called | Answered) and isinstance(theirs, Called | Answered):
            raw = json.dumps({**theirs.model_dump(mode="json"), "number": mine.number})
            changed = changed.with_record(here, record_with(tape.records[here], raw=raw))
    return changed


WIRE_SIDE = (
    Mutation("wire-drops-call", "a call is missing in the fixture's record", drops),
    Mutation("wire-repeats-call", "the fixture received a call twice", repeats),
    Mutation("wire-reorders-calls", "two calls arrived in the other order", reorders),
    Mutation("wire-alters-argument", "the fixture received another argument", alters),
    Mutation("wire-renames-tool", "the fixture received a call of another tool", renames),
    Mutation("wire-moves-call", "the fixture received a call in another turn", moves),
    Mutation("wire-flips-error", "the fixture answered with another success", flips),
    Mutation("wire-alters-answer", "the fixture answered something else", answers_otherwise),
    Mutation("wire-unlists-tools", "nothing shows that the tools were listed", unlists),
    Mutation("wire-alters-list", "the tools were offered with other words or schemas in one arm", lists_otherwise),
    Mutation("wire-garbles-record", "the fixture's record is damaged or ends early", garbles),
)
