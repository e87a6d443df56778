"""Changes of what an arm is: the other arm's evidence, another case's, the skill unread or read where it is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skilltrial.archive import layout
from skilltrial.archive.records import read_records
from skilltrial.archive.trees import sha256
from skilltrial.model.facts import TrialFacts
from skilltrial.model.part import compact
from skilltrial.model.records import Record
from skilltrial.model.words import Source

from .editing import record_with
from .mutants import Change, Mutant, Mutation, on_host
from .specimen import Specimen
from .tape import Tape

DISTINCT = 40
"""So many characters of a line make it known as the skill's own."""


def swaps(specimen: Specimen) -> Iterator[Mutant]:
    """The evidence is that of another arm, or of another case, under this trial's name."""
    arms: set[str] = set()
    for key, files in specimen.others.items():
        if key.case == specimen.key.case and key.arm != specimen.key.arm and key.arm not in arms:
            arms.add(key.arm)
            yield Mutant(f"that of {key.arm}", _as_own(specimen, files))
    cases: set[str] = set()
    for key, files in specimen.others.items():
        if key.arm == specimen.key.arm and key.case != specimen.key.case and key.case not in cases:
            cases.add(key.case)
            yield Mutant(f"that of {key.case}", _as_own(specimen, files))


def unreads(specimen: Specimen) -> Iterator[Mutant]:
    """What was read is not the skill: other words in its body, another path, or nothing."""
    if not specimen.reads or not _asks_for_reading(specimen):
        return
    for skill, text in specimen.scene.skills.items():
        lines = [line.strip() for line in text.splitlines() if len(line.strip()) >= DISTINCT]
        if lines:
            longest, digest = max(lines, key=len), sha256(text.encode())
            # A program may tell the digest of what it read: it read other words.
            other = {longest: longest[::-1], digest: digest[::-1]}
            yield Mutant(f"{skill} with other words", on_host(_reworded(specimen, other)))
        moved = {f"skills/{skill}": f"elsewhere/{skill}"}
        yield Mutant(f"{skill} from elsewhere", on_host(_reworded(specimen, moved)))
    reading = [at for at in specimen.host.told if specimen.host.records[at].seq in {one.seq for one in specimen.reads}]
    yield Mutant("without the lines that show it", on_host(specimen.host.without(reading)), loss=True)


def contaminates(specimen: Specimen) -> Iterator[Mutant]:
    """The body of a skill that the arm does not have stands in what the agent was shown."""
    for key, files in specimen.others.items():
        if key.case != specimen.key.case or set(_skills(files)) <= set(_skills(specimen.files)):
            continue
        for record in read_records(files.get(layout.HOST_RECORDS, b"")):
            if record.source is not Source.RUNNER and _shows_body(record, specimen.scene.absent):
                at = specimen.host.told[len(specimen.host.told) // 2] if specimen.host.told else 0
                told = record_with(record, turn=specimen.host.records[at].turn)
                yield Mutant(
                    f"line {record.seq} of {key.arm} ({key.label})", on_host(specimen.host.with_inserted(at, [told]))
                )


def _skills(files: Mapping[str, bytes]) -> list[str]:
    return [
        record.raw
        for record in read_records(files.get(layout.HOST_RECORDS, b""))
        if record.source is Source.RUNNER and '"skill_placed"' in record.raw
    ]


def _shows_body(record: Record, bodies: Mapping[str, str]) -> bool:
    return any(
        sum(line.strip() in record.raw for line in text.splitlines() if len(line.strip()) >= DISTINCT) >= 3
        for text in bodies.values()
    )


def _reworded(specimen: Specimen, words: Mapping[str, str]) -> Tape:
    raws = {}
    for at in specimen.host.told:
        raw = specimen.host.records[at].raw
        for old, new in words.items():
            raw = raw.replace(old, new)
        raws[at] = raw
    return specimen.host.with_raw(raws)


def _asks_for_reading(specimen: Specimen) -> bool:
    return any(
        "reads_skill" in check.options and (check.arms is None or specimen.key.arm in check.arms)
        for check in specimen.scene.case.checks
    )


def _as_own(specimen: Specimen, files: Mapping[str, bytes]) -> Change:
    """Another trial's files, whose facts name this trial."""
    facts = TrialFacts.read(files[layout.FACTS]).model_copy(update={"key": specimen.key})
    own: dict[str, bytes | None] = dict.fromkeys(specimen.files)
    return {**own, **files, layout.FACTS: compact(facts.model_dump(mode="json"))}


ARMS = (
    Mutation("evidence-is-anothers", "the evidence is another trial's", swaps),
    Mutation("skill-is-unread", "the skill's body was not what was read", unreads),
    Mutation("skill-is-elsewhere", "a skill was read in an arm that does not have it", contaminates),
)
