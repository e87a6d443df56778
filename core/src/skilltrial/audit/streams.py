"""Changes of the host's streams as such: a line lost, damaged or doubled, an early end, a whole stream gone."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.archive import layout
from skilltrial.model.records import Record
from skilltrial.model.words import Source

from .editing import record_with
from .mutants import REDUNDANT, Mutant, Mutation, on_host
from .specimen import Specimen
from .tape import Tape

STDERR = "what a program prints on stderr is no evidence"


def loses_lines(specimen: Specimen) -> Iterator[Mutant]:
    """One line of the host's is missing."""
    for at in specimen.host.told:
        yield Mutant(_line(specimen, at), on_host(specimen.host.without([at])), loss=True)


def damages_lines(specimen: Specimen) -> Iterator[Mutant]:
    """One line of the host's breaks off in its middle."""
    for at in specimen.host.told:
        record = specimen.host.records[at]
        half = record_with(record, raw=record.raw[: len(record.raw) // 2])
        free = STDERR if record.source is Source.STDERR else None
        yield Mutant(_line(specimen, at), on_host(specimen.host.with_record(at, half)), equivalent=free)


def doubles_lines(specimen: Specimen) -> Iterator[Mutant]:
    """One line of the host's stands there twice."""
    for at in specimen.host.told:
        twice = specimen.host.with_inserted(at, [specimen.host.records[at]])
        yield Mutant(_line(specimen, at), on_host(twice), loss=True)


def ends_early(specimen: Specimen) -> Iterator[Mutant]:
    """What the host printed from some line on is missing; what the runner noted is there."""
    for at in specimen.host.told:
        gone = [line for line in specimen.host.told if line >= at]
        yield Mutant(f"before {_line(specimen, at)}", on_host(specimen.host.without(gone)), loss=True)


def loses_witnesses(specimen: Specimen) -> Iterator[Mutant]:
    """A whole stream is gone, or all that was recorded."""
    sources = dict.fromkeys(specimen.host.records[at].source for at in specimen.host.told)
    for source in sources:
        yield Mutant(f"no {source}", on_host(specimen.host.without(specimen.host.of(source))), loss=True)
    yield Mutant("none of the host's", on_host(specimen.host.without(specimen.host.told)))
    yield Mutant("none of the runner's", on_host(specimen.host.without(specimen.host.of(Source.RUNNER))))
    yield Mutant("an empty record", {layout.HOST_RECORDS: b""})
    yield Mutant("no record", {layout.HOST_RECORDS: None})
    if layout.MODEL_RECORDS in specimen.files:
        yield Mutant("no record of the scripted model", {layout.MODEL_RECORDS: None}, equivalent=REDUNDANT)


def loses_numbers(specimen: Specimen) -> Iterator[Mutant]:
    """A line is missing and the numbers of the others tell so."""
    for name, tape in {layout.HOST_RECORDS: specimen.host, **_wires(specimen)}.items():
        for at in (0, len(tape.records) // 2):
            kept = tape.without([at])
            data = "".join(record.line() for record in kept.records).encode("ascii")
            yield Mutant(f"{name} without number {at + 1}", {name: data})


def adds_unknown(specimen: Specimen) -> Iterator[Mutant]:
    """A line of a kind that nobody knows yet stands there."""
    last = specimen.host.records[specimen.host.told[-1]] if specimen.host.told else None
    if last is not None:
        record = Record(0, last.at, Source.STDERR, last.turn, '{"type":"of_a_later_release"}')
        tape = specimen.host.with_inserted(specimen.host.told[-1], [record])
        yield Mutant("on stderr", on_host(tape), equivalent=STDERR)


def _wires(specimen: Specimen) -> dict[str, Tape]:
    return {layout.fixture_records(name): tape for name, tape in specimen.wires.items()}


def _line(specimen: Specimen, at: int) -> str:
    return f"line {at + 1} ({specimen.host.records[at].source})"


STREAMS = (
    Mutation("stream-loses-line", "a line of the host's is missing", loses_lines),
    Mutation("stream-damages-line", "a line of the host's breaks off", damages_lines),
    Mutation("stream-doubles-line", "a line of the host's stands there twice", doubles_lines),
    Mutation("stream-ends-early", "the host's streams end early", ends_early),
    Mutation("stream-is-gone", "a whole stream or record is gone", loses_witnesses),
    Mutation("record-lacks-numbers", "the records' own numbers tell of a loss", loses_numbers),
    Mutation("stream-adds-line", "a line that tells nothing stands there", adds_unknown),
)
