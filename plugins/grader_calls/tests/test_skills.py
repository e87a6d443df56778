"""Skills that were read or left alone, and calls that the program rejected."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.api import PermissionDecided, Sees, SkillStep, Step

SKILL = "project-context"


def steps(*names: Step, skill: str = SKILL) -> tuple[SkillStep, ...]:
    return tuple(SkillStep(seq=n, turn=1, skill=skill, step=step) for n, step in enumerate(names, 1))


@pytest.mark.parametrize(
    ("seen", "read_", "left_alone"),
    [
        ((), "failed:skill_not_read", "passed"),
        ((Step.OFFERED,), "failed:skill_not_read", "passed"),
        ((Step.OFFERED, Step.MENTIONED), "failed:skill_not_read", "passed"),
        ((Step.REQUESTED,), "failed:skill_not_read", "failed:skill_opened"),
        ((Step.REQUESTED, Step.ERRORED), "failed:skill_not_read", "failed:skill_opened"),
        ((Step.REQUESTED, Step.READ), "passed", "failed:skill_opened"),
        ((Step.SCRIPT_RUN,), "passed", "failed:skill_opened"),
    ],
)
def test_how_far_a_skill_came(saw: Any, judge: Any, seen: Any, read_: str, left_alone: str) -> None:
    evidence = saw(events=steps(*seen))

    assert judge(evidence, reads_skill=SKILL) == read_
    assert judge(evidence, opens_skill="never") == left_alone
    assert judge(evidence, opens_skill="never", skill=SKILL) == left_alone


def test_another_skill_is_another_skill(saw: Any, judge: Any) -> None:
    evidence = saw(events=steps(Step.READ, skill="other"))

    assert judge(evidence, reads_skill=SKILL) == "failed:skill_not_read"
    assert judge(evidence, opens_skill="never", skill=SKILL) == "passed"
    assert judge(evidence, opens_skill="never") == "failed:skill_opened"


@pytest.mark.parametrize("options", [{"reads_skill": SKILL}, {"opens_skill": "never"}])
def test_where_skills_are_not_seen_nothing_is_known(saw: Any, judge: Any, options: Any) -> None:
    evidence = saw(events=steps(Step.READ), sees=frozenset({Sees.TOOL_CALLS}))

    assert judge(evidence, **options) == "unverified:not_observable"


@pytest.mark.parametrize("why", ["schema", "unknown_tool", "permission", "hook", "policy"])
def test_a_rejected_call_is_seen_by_its_reason(did: Any, saw: Any, judge: Any, why: str) -> None:
    evidence = saw(did("save", rejected=why))

    assert judge(evidence, rejections="never") == "failed:call_rejected"
    assert judge(evidence, rejections="never", reasons=[why]) == "failed:call_rejected"
    assert judge(evidence, rejections="never", server="memory") == "failed:call_rejected"
    assert judge(evidence, rejections="never", server="other") == "passed"
    others = [one for one in ("schema", "policy", "hook") if one != why]
    assert judge(evidence, rejections="never", reasons=others) == "passed"
    assert judge(saw(did("save")), rejections="never") == "passed"
    assert judge(saw(sees=frozenset()), rejections="never") == "unverified:not_observable"


@pytest.mark.parametrize("call", [None, "call-1"])
def test_a_denied_permission_is_a_rejection(did: Any, saw: Any, judge: Any, call: str | None) -> None:
    denied = PermissionDecided(seq=9, turn=1, call=call, tool="save", decision="denied")

    assert judge(saw(did("save"), events=(denied,)), rejections="never", server="memory") == "failed:call_rejected"
    allowed = PermissionDecided(seq=9, turn=1, call=call, tool="save", decision="allowed")
    assert judge(saw(did("save"), events=(allowed,)), rejections="never") == "passed"


def test_checks_say_what_they_demand(read: Any) -> None:
    assert read(reads_skill=SKILL).sentence() == "the skill project-context is read"
    assert read(opens_skill="never").sentence() == "no skill is opened"
    assert read(opens_skill="never", skill="a").sentence() == "the skill a is not opened"
    assert read(rejections="never", reasons=["schema", "hook"]).sentence() == "no call is rejected for schema or hook"
