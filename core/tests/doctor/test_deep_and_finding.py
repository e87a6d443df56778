"""The made-up home of the probes, and which hosts are passed over."""

from __future__ import annotations

import json
import subprocess
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skilltrial.doctor.deep import CANARY, CANARY_TEXT, PLAYED, SUITE, plant
from skilltrial.doctor.drift import BODY, DESCRIPTION, SKILL, Row, State
from skilltrial.doctor.examining import Diagnosis, verdict
from skilltrial.doctor.finding import Finding, required
from skilltrial.model.errors import Exit
from skilltrial.model.trial import Probe
from skilltrial.record.suitefile.document import read

SETTINGS = {".claude.json", ".claude/.claude.json", ".claude/settings.json", ".codex/config.toml"}


def test_the_users_own_programs_are_set_up_as_each_agent_wants_and_leave_a_trace(tmp_path: Path) -> None:
    started = tmp_path / "with a blank"
    started.mkdir()
    plant(tmp_path, started)
    codex = tomllib.loads((tmp_path / ".codex/config.toml").read_text("utf-8"))
    settings, state = (json.loads((tmp_path / ".claude" / n).read_bytes()) for n in ("settings.json", ".claude.json"))

    servers = [codex["mcp_servers"][CANARY], state["mcpServers"][CANARY]]
    hooks = [one["command"] for hooks in settings["hooks"].values() for entry in hooks for one in entry["hooks"]]
    for argv in (codex["notify"], *([one["command"], *one["args"]] for one in servers)):
        subprocess.run(argv, check=True)
    subprocess.run(hooks[0], shell=True, check=True)

    assert len({path.name for path in started.iterdir()}) == 4


def test_every_script_of_the_probes_is_played_and_nothing_else() -> None:
    suite: Any = read(SUITE.name, SUITE.read_bytes()).value

    assert tuple(one["id"] for case in suite["cases"] for one in case["rehearsals"]) == PLAYED


def test_the_canary_lies_wherever_a_program_could_look(tmp_path: Path) -> None:
    plant(tmp_path, tmp_path)

    planted = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} - SETTINGS
    assert {f"{place}/skills/{CANARY}/SKILL.md" for place in (".agents", ".claude", ".codex")} <= planted
    assert {".claude/CLAUDE.md", ".codex/AGENTS.md"} <= planted
    assert all(CANARY_TEXT in (tmp_path / path).read_text("utf-8") for path in planted)


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
