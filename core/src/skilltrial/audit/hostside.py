"""Changes of what the host told of its calls: by ids, tools and inputs that the normalizer named, whatever the form."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from functools import partial

from pydantic import JsonValue

from skilltrial.judge.reconcile import strictly_equal
from skilltrial.model.records import Record

from .editing import altered, members, record_with
from .mutants import IGNORED, OWN, RENDERING, UNNAMED, Mutant, Mutation, on_host
from .specimen import Asked, Specimen
from .tape import GONE, Tape, cut, parts, swapped
from .wireside import with_arguments

_FLAGS = frozenset({"is_error", "isError"})


def drops(specimen: Specimen) -> Iterator[Mutant]:
    """A call and all that came of it is missing: everywhere, or in one of the host's streams."""
    for at, asked in enumerate(specimen.asked, 1):
        for where, lines in _places(specimen, asked):
            name = f"{_name(at, asked)}, {where}"
            yield Mutant(name, on_host(_dropped(specimen.host, asked, lines)), loss=True)


def repeats(specimen: Specimen) -> Iterator[Mutant]:
    """A call is told twice, the second time under new ids.

    Where a host numbers its events and a number comes twice, it is no second call that is told: such an own call of the
    program's must be caught like any other.
    """
    for at, asked in enumerate(specimen.asked, 1):
        for where, lines in _places(specimen, asked):
            copies = [_renamed(specimen.host, line, asked.ids) for line in lines]
            tape = specimen.host.with_inserted(max(lines) + 1, copies)
            own = asked.request.server is None and not specimen.counts_own_tools(asked.request.turn)
            free = own and specimen.tells_the_same(tape.data())
            yield Mutant(f"{_name(at, asked)}, {where}", on_host(tape), equivalent=OWN if free else None)


def renames(specimen: Specimen) -> Iterator[Mutant]:
    """A call is of another tool."""
    for at, asked in enumerate(specimen.asked, 1):
        if asked.request.server is None:
            continue
        for where, lines in _places(specimen, asked):
            tape = specimen.host.edited(partial(_retooled, asked=asked), lines)
            yield Mutant(f"{_name(at, asked)}, {where}", on_host(tape))


def alters(specimen: Specimen) -> Iterator[Mutant]:
    """An argument of a call is another one."""
    for at, asked in enumerate(specimen.asked, 1):
        if asked.request.server is None:
            continue
        for where, lines in _places(specimen, asked):
            for what, changed in members(asked.input):
                tape = specimen.host.edited(partial(_reargued, old=asked.input, new=changed), lines)
                yield Mutant(f"{_name(at, asked)}: {what}, {where}", on_host(tape))


def flips(specimen: Specimen) -> Iterator[Mutant]:
    """The host says that a call failed which it told as done, or the other way round."""
    for at, asked in enumerate(specimen.asked, 1):
        if asked.request.server is None:
            continue
        for where, lines in _places(specimen, asked):
            tape = specimen.host.edited(partial(_flipped, ids=asked.ids), lines)
            if tape.data() != specimen.host.data():
                yield Mutant(f"{_name(at, asked)}, {where}", on_host(tape))


def unresolves(specimen: Specimen) -> Iterator[Mutant]:
    """A call is asked for and nothing is told of what came of it."""
    for at, asked in enumerate(specimen.asked, 1):
        lines = [line for _, found in _places(specimen, asked)[:1] for line in found]
        results = [line for line in lines if not _holds_input(specimen.host.values[line], asked.input)]
        if asked.request.server is not None and results:
            yield Mutant(_name(at, asked), on_host(_dropped(specimen.host, asked, results)), loss=True)


def moves(specimen: Specimen) -> Iterator[Mutant]:
    """A call stands in another turn than it was made in."""
    for at, asked in enumerate(specimen.asked, 1):
        if asked.request.server is None:
            continue
        for turn in {asked.request.turn - 1, asked.request.turn + 1}:
            tape = specimen.host
            for line in _places(specimen, asked)[0][1]:
                tape = tape.with_record(line, record_with(tape.records[line], turn=turn))
            yield Mutant(f"{_name(at, asked)} to turn {turn}", on_host(tape))


def rewords_results(specimen: Specimen) -> Iterator[Mutant]:
    """What the host shows of a result is worded otherwise."""
    for at, call in enumerate(specimen.calls, 1):
        if call.wire is None or call.requested is None or not isinstance(call.wire.result, dict):
            continue
        asked = json.dumps([one.input for one in specimen.asked])
        texts = [one for one in parts(call.wire.result) if isinstance(one, str) and len(one) > 12]
        free = [one for one in texts if one not in asked and not any(one in answer for answer in specimen.answers)]
        text = next(iter(free), None)
        if text is None:
            continue
        ids = next((one.ids for one in specimen.asked if one.request.call == call.requested.call), frozenset())
        lines = [
            line
            for line in _mentions(specimen.host, ids)
            if not _holds_input(specimen.host.values[line], call.wire.arguments)
        ]
        tape = specimen.host.with_raw(
            {line: specimen.host.records[line].raw.replace(text, "something else") for line in lines}
        )
        if lines and tape.data() != specimen.host.data():
            yield Mutant(f"call {at}", on_host(tape), equivalent=RENDERING)


def both_alter(specimen: Specimen) -> Iterator[Mutant]:
    """Both witnesses tell of another argument: the agent called otherwise."""
    for at, asked in enumerate(specimen.asked, 1):
        wire = next((one for one in specimen.calls if one.requested is asked.request and one.wire), None)
        if wire is None or wire.wire is None or asked.request.server not in specimen.wires:
            continue
        for key, what, changed in altered(asked.input):
            if what.endswith("left out") and isinstance(asked.input, dict) and asked.input[key] is None:
                continue  # to leave a null out is no other behaviour
            tape = specimen.host.edited(
                partial(_reargued, old=asked.input, new=changed), _mentions(specimen.host, asked.ids)
            )
            change = {**on_host(tape), **with_arguments(specimen, wire.wire, changed)}
            free = asked.request.tool in specimen.ignored
            yield Mutant(
                f"{_name(at, asked)}: {what}",
                change,
                equivalent=IGNORED if free else None if key in specimen.named_arguments else UNNAMED,
            )


def _places(specimen: Specimen, asked: Asked) -> list[tuple[str, list[int]]]:
    """Where a call is told: everywhere, and in each stream of several."""
    lines = _mentions(specimen.host, asked.ids)
    sources = dict.fromkeys(specimen.host.records[line].source for line in lines)
    places = [("everywhere", lines)] if lines else []
    if len(sources) > 1:
        places += [
            (f"in {source}", [line for line in lines if specimen.host.records[line].source is source])
            for source in sources
        ]
    return places


def _mentions(tape: Tape, ids: Collection[str]) -> list[int]:
    return [at for at in tape.told if any(isinstance(part, str) and part in ids for part in parts(tape.values[at]))]


def _dropped(tape: Tape, asked: Asked, lines: Iterable[int]) -> Tape:
    gone = {line for line in lines if cut(tape.values[line], asked.ids) is GONE}
    rest = set(lines) - gone
    return tape.edited(lambda value: _cut(value, asked.ids), rest).without(gone)


def _cut(value: JsonValue, ids: Collection[str]) -> JsonValue:
    left = cut(value, ids)
    return value if left is GONE else left  # type: ignore[return-value]


def _renamed(tape: Tape, line: int, ids: Collection[str]) -> Record:
    raw = tape.records[line].raw
    for one in ids:
        raw = raw.replace(one, f"{one}x")
    return record_with(tape.records[line], raw=raw)


def _retooled(value: JsonValue, asked: Asked) -> JsonValue:
    tool = asked.request.tool
    return swapped(
        value,
        lambda part: (
            part[: -len(tool)] + "list_everything"
            if isinstance(part, str) and (part == tool or part.endswith(f"__{tool}"))
            else part
        ),
    )


def _reargued(value: JsonValue, old: JsonValue, new: JsonValue) -> JsonValue:
    return swapped(value, lambda part: new if part is not None and strictly_equal(part, old) else part)


def _holds_input(value: JsonValue, given: JsonValue) -> bool:
    return any(strictly_equal(part, given) for part in parts(value))


def _flipped(value: JsonValue, ids: Collection[str]) -> JsonValue:
    def flip(part: JsonValue) -> JsonValue:
        if not isinstance(part, dict):
            return part
        if not any(isinstance(one, str) and one in ids for one in part.values()):
            return part
        if "call_id" in part and "name" in part:
            return part  # what the model wrote, and not what came of it
        if part.get("type") == "tool_result":
            return {**part, "is_error": not part.get("is_error")}
        return {key: _reverse(key, one) for key, one in part.items()}

    return swapped(value, flip)


def _reverse(key: str, value: JsonValue) -> JsonValue:
    if key in _FLAGS and isinstance(value, bool):
        return not value
    if key == "status" and value in ("completed", "failed"):
        return "failed" if value == "completed" else "completed"
    if isinstance(value, dict):
        return {inner: _reverse(inner, one) for inner, one in value.items()}
    return value


def _name(at: int, asked: Asked) -> str:
    return f"call {at} ({asked.request.tool})"


HOST_SIDE = (
    Mutation("host-drops-call", "a call is missing in the host's records", drops),
    Mutation("host-repeats-call", "the host tells a call twice", repeats),
    Mutation("host-renames-tool", "the host tells of another tool", renames),
    Mutation("host-alters-argument", "the host tells of another argument", alters),
    Mutation("host-flips-error", "the host tells of another success", flips),
    Mutation("host-loses-result", "the host tells of no result", unresolves),
    Mutation("host-moves-call", "the host tells of a call in another turn", moves),
    Mutation("host-rewords-result", "the host words a result otherwise", rewords_results),
    Mutation("both-alter-argument", "both witnesses tell of another argument", both_alter),
)
