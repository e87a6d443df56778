"""Changes of what the agent answered: success that is only claimed, silence, and the answers of others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from skilltrial.archive import layout
from skilltrial.model.part import compact

from .mutants import Change, Mutant, Mutation, on_host
from .specimen import Specimen
from .tape import Tape, parts, swapped

BOASTS = (
    "Done. I did everything that you asked for, and all of it succeeded.",
    "STATUS: SUCCESS. Everything was saved, approved and verified.",
)


def claims(specimen: Specimen) -> Iterator[Mutant]:
    """A turn ends with a claim of success in the place of its answer."""
    for turn in range(1, len(specimen.answers) + 1):
        for at, boast in enumerate(BOASTS, 1):
            yield Mutant(f"turn {turn}, claim {at}", _answered(specimen, turn, boast))


def empties(specimen: Specimen) -> Iterator[Mutant]:
    """A turn ends without a word, or with blanks."""
    for turn in range(1, len(specimen.answers) + 1):
        for name, text in (("nothing", ""), ("blanks", " \n")):
            yield Mutant(f"turn {turn}, {name}", _answered(specimen, turn, text))


def borrows(specimen: Specimen) -> Iterator[Mutant]:
    """A turn ends with what was answered in another case, or in another turn."""
    own = set(specimen.answers)
    foreign: dict[str, tuple[str, str]] = {}
    for key, files in specimen.others.items():
        if key.case != specimen.key.case:
            for turn, text in enumerate(json.loads(files.get(layout.ANSWERS, b"[]")), 1):
                if text not in own:
                    prompts = specimen.scene.prompts[key.case]
                    foreign.setdefault(text, (f"turn {turn} of {key.case}", prompts[turn - 1]))
    for turn, mine in enumerate(specimen.answers, 1):
        for text, (whose, prompt) in foreign.items():
            # What answers the same prompt well elsewhere may answer it here.
            if prompt != specimen.scene.case.turns[turn - 1]:
                yield Mutant(f"turn {turn} answered as {whose}", _answered(specimen, turn, text))
        for other, text in enumerate(specimen.answers, 1):
            if text != mine:
                yield Mutant(f"turn {turn} answered as turn {other}", _answered(specimen, turn, text))


def one_sided(specimen: Specimen) -> Iterator[Mutant]:
    """Only one of those who tell the answer tells another one: the runner, or one of the host's streams."""
    for turn, answer in enumerate(specimen.answers, 1):
        told = [*specimen.answers]
        told[turn - 1] = f"{answer} Or not."
        yield Mutant(f"turn {turn}, by the runner", {layout.ANSWERS: compact(told)})
        yield Mutant(f"turn {turn}, by the host", on_host(_retold(specimen, turn, f"{answer} Or not.")))
    if specimen.answers:
        yield Mutant("the runner lost its last", {layout.ANSWERS: compact(specimen.answers[:-1])})
        yield Mutant("the runner has one more", {layout.ANSWERS: compact([*specimen.answers, "x"])})
        yield Mutant("the runner has none", {layout.ANSWERS: None})


def _answered(specimen: Specimen, turn: int, text: str) -> Change:
    """A turn's answer is another one, whoever tells it."""
    told = [*specimen.answers]
    told[turn - 1] = text
    return {**on_host(_retold(specimen, turn, text)), layout.ANSWERS: compact(told)}


def _retold(specimen: Specimen, turn: int, text: str) -> Tape:
    answer = specimen.answers[turn - 1]
    return specimen.host.edited(lambda value: _replaced(value, answer, text), _lines(specimen, turn, answer))


def _lines(specimen: Specimen, turn: int, answer: str) -> Sequence[int]:
    """The lines that hold a turn's answer; of a log that came at the end of all turns, those that hold it at all."""
    tape = specimen.host
    holding = [at for at in tape.told if any(_is(part, answer) for part in parts(tape.values[at]))]
    own = [at for at in holding if tape.records[at].turn == turn]
    return own or holding


def _is(part: JsonValue, answer: str) -> bool:
    return isinstance(part, str) and part.strip() == answer.strip()


def _replaced(value: JsonValue, answer: str, text: str) -> JsonValue:
    return swapped(value, lambda part: text if _is(part, answer) else part)


ANSWERS = (
    Mutation("answer-claims-success", "a turn ends with a claim of success", claims),
    Mutation("answer-is-empty", "a turn ends without a word", empties),
    Mutation("answer-is-anothers", "a turn ends with the answer to another prompt", borrows),
    Mutation("answer-is-disputed", "the runner and the host tell of different answers", one_sided),
)
