"""Evidence that contradicts itself, or is not this trial's: the trial is incomplete, whatever its checks would say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skilltrial.model.capabilities import Sees
from skilltrial.model.notes import Exited, SkillPlaced, Spawned, TurnSent
from skilltrial.model.wire import Answered, Called, Connected, ToolsListed
from skilltrial.model.words import Owner, VerdictKind

NOBODY = "f" * 64
BODY = """---
name: notes
description: Notes.
---
Whatever is worth remembering goes into the notebook.
The notebook has a page for every week of the year.
A page begins with the day, the hour and the weather.
Never tear a page out of it, not even an empty one.
"""
LINES = BODY.splitlines()[4:]


@pytest.fixture
def doubt(world: Any, w: Any) -> Any:
    """`doubt(*happened)`: why a trial of these records shows nothing, with its owner; None where it passes."""

    def found(*happened: Any, arm: str = "with_skill", **changes: Any) -> tuple[str, Owner] | None:
        one = w.replace(w.trial(*happened) if happened else w.trial(), **changes)
        verdict = world.verdict(w.check("told"), happened=one, arm=arm).verdict
        if verdict.kind is VerdictKind.PASSED:
            return None
        assert verdict.kind is VerdictKind.INCOMPLETE
        return verdict.reason, verdict.owner

    return found


# --- Is it this trial's?


def test_a_trial_of_one_piece_is_judged(doubt: Any) -> None:
    assert doubt() is None
    assert doubt(arm="without_skill") is None


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        (TurnSent(turn=1, prompt_sha256=NOBODY), "prompt_not_as_planned"),
        (TurnSent(turn=2, prompt_sha256=NOBODY), "prompt_not_as_planned"),
        (SkillPlaced(skill="notes", path="skills/notes", sha256=NOBODY, body_sha256="0" * 64), "skill_not_placed"),
        (SkillPlaced(skill="notes", path="skills/notes", sha256="0" * 64, body_sha256=NOBODY), "skill_not_placed"),
        (SkillPlaced(skill="other", path="skills/other", sha256="0" * 64, body_sha256="0" * 64), "skill_not_placed"),
        (Spawned(argv=("agent",)), "program_without_end"),
        (Exited(code=0), "program_without_end"),
    ],
)
def test_what_the_runner_noted_must_be_what_was_planned(doubt: Any, w: Any, note: Any, reason: str) -> None:
    assert doubt(w.ANSWER, note, w.COMPLETED) == (reason, Owner.OPERATOR)


def test_a_skill_that_the_arm_does_not_have_was_not_to_be_placed(doubt: Any, w: Any) -> None:
    placed = SkillPlaced(skill="notes", path="skills/notes", sha256="0" * 64, body_sha256="0" * 64)

    assert doubt(w.ANSWER, placed, w.COMPLETED, arm="without_skill") == ("skill_not_placed", Owner.OPERATOR)


def test_a_number_that_is_missing_tells_of_a_lost_record(doubt: Any, w: Any) -> None:
    first, last = w.trial().host

    assert doubt(host=(first, w.replace(last, seq=3))) == ("record_lost", Owner.OPERATOR)


def test_facts_of_another_trial_are_not_this_ones(world: Any, w: Any) -> None:
    world.trials = {w.key(): w.trial()}
    archive = world.archive()
    (one,) = archive.trials.values()
    other = w.replace(one, facts=one.facts.model_copy(update={"key": w.key(label="2")}))

    report = world.judge_of(w.replace(archive, trials={w.key(): other})).report

    assert report.trials[0].verdict.reason == "evidence_of_another_trial"


# --- Do those who tell of the same agree?


@pytest.mark.parametrize("told", [("done.",), (), ("done", "done"), ("",)])
def test_35_the_answer_that_the_runner_got_is_the_one_on_record(doubt: Any, told: tuple[str, ...]) -> None:
    assert doubt(told=told) == ("answer_disputed", Owner.HOST)


@pytest.fixture
def calls(world: Any, doubt: Any, w: Any) -> Any:
    """`calls(*events)`: the doubt where a host tells these events of one call that a fixture answered."""

    def found(*events: dict[str, Any], answered: Any = None, turn: int = 1, sees: Any = None) -> Any:
        world.fixtures = ("memory",)
        world.sees = frozenset(Sees) - {Sees.MODEL_IDS} if sees is None else sees
        memory = w.wire(
            Connected(era="2025-06-18"),
            ToolsListed(count=2),
            Called(number=1, tool="remember", arguments={"text": "x"}, joins="c1"),
            answered or Answered(number=1, result="stored"),
            turns=(1, 1, turn, turn),
        )
        return doubt(*events, w.ANSWER, w.COMPLETED, fixtures={"memory": memory})

    return found


def asked(**more: Any) -> dict[str, Any]:
    told = {"call": "c1", "tool": "remember", "server": "memory", "input": {"text": "x"}}
    return {"event": "ToolRequested", "turn": 1, **told, **more}


def came(event: str = "ToolResult", **more: Any) -> dict[str, Any]:
    return {"event": event, "turn": 1, "call": "c1", **more}


def test_a_call_of_which_both_witnesses_tell_the_same_is_judged(calls: Any) -> None:
    assert calls(asked(), came()) is None
    assert calls(asked(), came(is_error=True), answered=Answered(number=1, result="no", is_error=True)) is None


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([asked(input={"text": "y"}), came()], "arguments_differ"),
        ([asked(input={"text": "x", "more": 1}), came()], "arguments_differ"),
        ([asked(input=["text", "x"]), came()], "arguments_differ"),
        ([asked(turn=2), came(turn=2)], "call_in_another_turn"),
        ([asked(), came(is_error=True)], "result_differs"),
        ([asked(), came("ToolError", message="gone")], "result_differs"),
        ([asked()], "result_missing"),
        ([asked(), asked(input={"text": "y"}), came()], "request_disputed"),
        ([asked(), asked(tool="forget"), came()], "request_disputed"),
        ([asked(), came(), came(is_error=True)], "result_disputed"),
    ],
)
def test_37_witnesses_of_one_call_that_differ_show_nothing(calls: Any, events: Any, reason: str) -> None:
    assert calls(*events) == (reason, Owner.HOST)


@pytest.mark.parametrize("turn", [0, 2])
def test_a_late_call_belongs_to_no_turn(calls: Any, turn: int) -> None:
    assert calls(asked(), came(), turn=turn) == ("call_in_another_turn", Owner.HOST)


def test_a_fault_that_was_played_may_be_a_breakdown_to_the_host(calls: Any) -> None:
    played = Answered(number=1, because="fault")

    assert calls(asked(), came("ToolError", message="gone"), answered=played) is None


@pytest.mark.parametrize("event", ["ToolStarted", "ToolResult", "ToolError"])
def test_56_what_was_rejected_was_not_carried_out(calls: Any, event: str) -> None:
    rejected = came("ToolRejected", reason="schema", call="c2")

    found = calls(asked(), came(), asked(call="c2", server=None), rejected, came(event, call="c2"))

    assert found == ("rejection_disputed", Owner.HOST)


# --- Which model was it?


def model(turn: int = 1, name: str = "m", provider: str = "p", **more: Any) -> dict[str, Any]:
    return {"event": "ModelRequested", "turn": turn, "model": name, "provider": provider, **more}


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([model()], None),
        ([model(), model()], None),
        ([model(), model(name="helper", agent="a1")], None),
        ([], ("model_unobserved", Owner.HOST)),
        ([model(agent="a1")], ("model_unobserved", Owner.HOST)),
        ([{"event": "ModelRequested", "turn": 1}], ("model_unobserved", Owner.HOST)),
        ([model(), model(name="other")], ("model_changed", Owner.MODEL)),
        ([model(), model(provider="other")], ("model_changed", Owner.MODEL)),
    ],
)
def test_28_a_turn_shows_which_model_answered_and_it_is_one(calls: Any, events: Any, reason: Any) -> None:
    assert calls(asked(), *events, came(), sees=frozenset(Sees)) == reason


# --- Was the arm shown a skill that it does not have?


@pytest.fixture
def shown(world: Any, doubt: Any, w: Any) -> Any:
    """`shown(text)`: the doubt where a tool of the arm without the skill returned this text."""

    def found(text: str, arm: str = "without_skill", body: str = BODY) -> Any:
        world.bodies = {"notes": body}
        result = w.event("ToolResult", turn=1, call="c1", content=text)
        return doubt(json.loads(json.dumps(result)), w.ANSWER, w.COMPLETED, arm=arm)

    return found


def test_r14_the_text_of_a_skill_in_the_arm_without_it_contaminates_under_any_name(shown: Any) -> None:
    assert shown(BODY) == ("contaminated", Owner.OPERATOR)
    assert shown("     5\t" + "\n     6\t".join(LINES)) == ("contaminated", Owner.OPERATOR)
    assert shown("\n".join(LINES[:3])) == ("contaminated", Owner.OPERATOR)


def test_r14_what_only_speaks_of_a_skill_or_of_its_arm_does_not(shown: Any) -> None:
    assert shown("The skill notes lies in skills/notes/SKILL.md.") is None
    assert shown(LINES[0]) is None
    assert shown(BODY, arm="with_skill") is None
    assert shown(BODY, body="") is None
