"""The suite of the probes, and which hosts are passed over."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skilltrial.doctor.deep import PLAYED, SUITE
from skilltrial.doctor.drift import BODY, DESCRIPTION, SKILL, Row, State
from skilltrial.doctor.examining import Diagnosis, verdict
from skilltrial.doctor.finding import Finding, required
from skilltrial.model.errors import Exit
from skilltrial.model.trial import Probe
from skilltrial.record.suitefile.document import read


def test_every_script_of_the_probes_is_played_and_nothing_else() -> None:
    suite: Any = read(SUITE.name, SUITE.read_bytes()).value

    assert tuple(one["id"] for case in suite["cases"] for one in case["rehearsals"]) == PLAYED


def test_the_probes_skill_holds_what_is_looked_for() -> None:
    text = (SUITE.parent / "skills" / SKILL / "SKILL.md").read_text("utf-8")
    head, _, body = text.removeprefix("---").partition("---")

    assert DESCRIPTION in head
    assert BODY in body
    assert BODY not in head


@dataclass
class Plain:
    binary: str = "x"
    _kept: list[str] = field(default_factory=list, init=False)


@dataclass
class Needy:
    command: tuple[str, ...]
    other: int = 1


def test_a_host_that_can_not_be_made_without_options_says_which() -> None:
    assert required(Needy) == ("command",)
    assert required(Plain) == ()
    assert required(object) == ()


def diagnosis(*states: State, undecided: str | None = None) -> Diagnosis:
    finding = Finding("h", "d 1", probe=Probe(Path("/bin/true"), "1"))
    return Diagnosis(finding, tuple(Row("thing", state, "why") for state in states), undecided)


@pytest.mark.parametrize(
    ("diagnoses", "deep", "expected"),
    [
        ([diagnosis()], False, Exit.PASSED),
        ([], False, Exit.PASSED),
        ([diagnosis(State.HOLDS)], True, Exit.PASSED),
        ([diagnosis(State.HOLDS, State.UNDECIDED)], True, Exit.INCOMPLETE),
        ([diagnosis(State.UNDECIDED, State.DRIFTED)], True, Exit.FAILED),
        ([diagnosis(State.HOLDS), diagnosis(State.DRIFTED)], True, Exit.FAILED),
        ([diagnosis(State.HOLDS), diagnosis(undecided="it broke")], True, Exit.INCOMPLETE),
        ([diagnosis()], True, Exit.INCOMPLETE),
        ([], True, Exit.INCOMPLETE),
    ],
)
def test_the_exit_code_says_what_the_probes_decided(diagnoses: list[Diagnosis], deep: bool, expected: Exit) -> None:
    assert verdict(diagnoses, deep=deep) is expected
