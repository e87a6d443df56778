"""The suite as data, and its scripts played without any program: the fixture decides, the graders judge."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from ruamel.yaml import YAML

from skilltrial.api import (
    ACTS,
    Ending,
    Event,
    Evidence,
    Files,
    HostIdentity,
    JoinedCall,
    Sees,
    SkillStep,
    Step,
    ToolRejected,
    ToolRequested,
    ToolResult,
    TrialKey,
    WireCall,
)
from skilltrial.testing import GraderFacade, bind, choose, of_turn
from skilltrial.testing.editing import Desk
from skilltrial_fixture_mcp.casting import cast
from skilltrial_fixture_mcp.playing import decide
from skilltrial_fixture_mcp.preparing import Prepared, prepare
from skilltrial_grader_answers.grader import AnswersGrader
from skilltrial_grader_calls.grader import CallsGrader

SERVER = "powercontext"
SEES = frozenset({Sees.ANSWERS, Sees.TOOL_CALLS, Sees.TOOL_RESULTS, Sees.SKILL_READS, Sees.PERMISSIONS})

Case = dict[str, Any]
Script = Sequence[dict[str, Any]]

Rejection = Literal["schema", "unknown_tool", "permission", "hook", "policy"]


@pytest.fixture(scope="session")
def folder() -> Path:
    """The folder of the installed suite."""
    spec = importlib.util.find_spec("skilltrial_suite_guidance")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0])


@pytest.fixture(scope="session")
def suite(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe", pure=True).load((folder / "suite.yaml").read_text("utf-8"))
    return loaded


@pytest.fixture(scope="session")
def cases(suite: dict[str, Any]) -> dict[str, Case]:
    return {case["id"]: case for case in suite["cases"]}


@pytest.fixture(scope="session")
def skill(folder: Path) -> str:
    return (folder / "skills/project-context/SKILL.md").read_text("utf-8")


@pytest.fixture(scope="session")
def served(folder: Path) -> Prepared:
    """Catalog and replies, as the fixture plays them."""
    names = ("catalog.json", "replies.yaml")
    prepared, faults = prepare(*names, {name: (folder / name).read_bytes() for name in names})
    assert faults == []
    assert prepared is not None
    return prepared


def turns_of(script: Script) -> Iterator[list[dict[str, Any]]]:
    """The acts of each turn. Raises where an act is not well-formed."""
    turn: list[dict[str, Any]] = []
    for act in script:
        ACTS[next(iter(act))].model_validate(act)
        turn.append(act)
        if "say" in act:
            yield turn
            turn = []
    assert not turn, "a script ends with a word"


@pytest.fixture(scope="session")
def played(served: Prepared) -> Callable[..., Evidence]:
    """`played(case, script, arm)`: what a program that shows everything and the fixture would have on record."""

    def play(
        case: Case,
        script: Script,
        arm: str = "with_skill",
        rejects: Rejection | None = None,
    ) -> Evidence:
        """With `rejects` the program refuses every call of the server for this reason."""
        cast_as, scene = cast(served, case["fixtures"][SERVER])
        events: list[Event] = []
        calls: list[JoinedCall] = []
        answers = {}
        for turn, acts in enumerate(turns_of(script), 1):
            for act in acts:
                at, id = len(events) + 1, f"call-{len(events)}"
                name, given = next(iter(act.items()))
                if name == "say":
                    answers[turn] = given
                    continue
                if name != "call":
                    asked = ToolRequested(seq=at, turn=turn, call=id, tool=name, server=None, input={})
                    events.append(asked)
                    calls.append(JoinedCall(asked, None, None))
                    if name == "read_skill" and arm == "with_skill":
                        events.append(SkillStep(seq=at + 1, turn=turn, skill=given, step=Step.READ))
                    continue
                arguments = given.get("arguments", {})
                asked = ToolRequested(
                    seq=at, turn=turn, call=id, tool=given["tool"], server=given["server"], input=arguments
                )
                events.append(asked)
                if rejects is not None:
                    events.append(ToolRejected(seq=at + 1, turn=turn, call=id, reason=rejects))
                    calls.append(JoinedCall(asked, None, None))
                    continue
                decision = decide(served.catalog, cast_as, scene, given["tool"], arguments)
                scene = decision.scene
                assert decision.answer is not None
                body, flag = decision.answer.recorded, decision.answer.is_error
                came = ToolResult(seq=at + 1, turn=turn, call=id, content=body, is_error=flag)
                wire = WireCall(SERVER, turn, at, given["tool"], arguments, body, flag, float(at))
                events.append(came)
                calls.append(JoinedCall(asked, came, wire))
        return Evidence(
            key=TrialKey(case=case["id"], arm=arm, label="1"),
            identity=HostIdentity(name="portable", records="portable"),
            sees=SEES,
            ending=Ending.COMPLETED,
            events=tuple(events),
            files=Files(before={}, after={}, changes=()),
            answers=answers,
            wire=tuple(call.wire for call in calls if call.wire is not None),
            calls=tuple(calls),
            turns=len(case["turns"]),
        )

    return play


HOST = Path(__file__).parent / "standin/stand_in_host.py"
Turns = list[list[dict[str, Any]]]


@dataclass(frozen=True)
class Recorded:
    """An archive that the stand-in host recorded, and how its run ended."""

    root: Path
    code: int
    out: str

    def grade(self) -> dict[str, Any]:
        """The report of judging it."""
        ran = _skilltrial("grade", self.root, "--no-write", "--format", "json")
        assert ran.stdout, ran.stderr
        report: dict[str, Any] = json.loads(ran.stdout)
        return report


def _skilltrial(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "skilltrial", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture(scope="session")
def scripts(cases: dict[str, Case]) -> Callable[..., dict[str, Turns]]:
    """`scripts(changed)`: for each trial of a run the acts of its turns, honest but where `CASE/ARM` is changed."""

    def make(changed: Mapping[str, Script] | None = None) -> dict[str, Turns]:
        found = {}
        for id, case in cases.items():
            for arm in ("with_skill", "without_skill"):
                honest = case["rehearsals"][0]["script"]
                found[f"{id}/{arm}/1"] = list(turns_of((changed or {}).get(f"{id}/{arm}", honest)))
        return found

    return make


@pytest.fixture
def stand_in() -> str:
    """What `--host` calls the stand-in host by."""
    return f"{HOST}:StandIn"


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory, scripts: Any) -> Callable[..., Recorded]:
    """`record(changed, suite)`: run the guidance suite on the stand-in host, and seal what came."""

    def run(changed: Mapping[str, Script] | None = None, suite: str | Path = "guidance", *more: str) -> Recorded:
        folder = tmp_path_factory.mktemp("guidance")
        (folder / "script.json").write_text(json.dumps(scripts(changed)), "utf-8")
        flags = ("--host", f"{HOST}:StandIn", "--host-option", f"script={folder / 'script.json'}", "--quiet")
        done = _skilltrial("run", suite, *flags, "--out", folder / "run", *more)
        assert (folder / "run" / "manifest.json").exists(), done.stderr
        return Recorded(folder / "run", done.returncode, done.stdout + done.stderr)

    return run


@pytest.fixture(scope="session")
def passing(record: Callable[..., Recorded]) -> Recorded:
    """Both arms passed all five cases."""
    return record()


@pytest.fixture(scope="session")
def desk(passing: Recorded, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """The passing archive, of which a trial is changed and everything is judged again."""
    return Desk(passing.root, tmp_path_factory.mktemp("desk"))


@pytest.fixture(scope="session")
def outcomes() -> Callable[[Case, Evidence], dict[str, str]]:
    """Check id → outcome, for the checks that are asked in the evidence's arm."""
    graders = {
        "calls": bind(GraderFacade, "calls", CallsGrader()),
        "answers": bind(GraderFacade, "answers", AnswersGrader()),
    }
    own = {"id", "grader", "arms", "turn", "advisory"}

    def judge(case: Case, evidence: Evidence) -> dict[str, str]:
        found = {}
        for check in case["checks"]:
            if evidence.key.arm not in check.get("arms", [evidence.key.arm]):
                continue
            options = {key: value for key, value in check.items() if key not in own}
            grader = graders[check["grader"]]
            read = choose(grader.check_models(), options).model_validate_json(json.dumps(options))
            seen = of_turn(evidence, check["turn"]) if "turn" in check else evidence
            found[check["id"]] = grader.grade(read, seen).outcome.value
        return found

    return judge
