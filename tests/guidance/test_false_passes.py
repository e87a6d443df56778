"""More ways in which evidence could pass and must not: one named change to a passing archive each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skilltrial.testing.editing import ABSENT, Desk, Edit

SCOPE = "zcode-guidance-fixture-scope"
TEXT = "Project Atlas uses UTC for all timestamps."
DECISION = {"scope_id": SCOPE, "kind": "decision", "text": TEXT}
CANDIDATE = {"scope_id": SCOPE, "candidate_id": "zcode-guidance-candidate"}
CONFLICT = {"error": {"code": "candidate_conflict"}}
SAVE, STALE = "explicit-save", "stale-approval"
WITH, WITHOUT = "with_skill", "without_skill"

Change = Callable[[Edit], Edit]
Row = tuple[str, str, str, str, Change, str]
"""Words for it, the case, the verdict, its code, the change, the arm."""


def incomplete(what: str, case: str, why: str, change: Change, arm: str = WITH) -> Row:
    return what, case, "incomplete", why, change, arm


def failed(what: str, case: str, code: str, change: Change, arm: str = WITH) -> Row:
    return what, case, "failed", code, change, arm


def argued(*given: Any) -> Change:
    """Both witnesses tell of other arguments of a call."""
    return lambda edit: edit.argue(*given)


def replied(records: list[dict[str, Any]]) -> Change:
    """The save was answered with these records."""
    result = {"changed": True, "records": records}
    return lambda edit: edit.served(edit.numbers("remember_memory", 1)[0], "answered", result=result)


def record_of(**changed: Any) -> dict[str, Any]:
    return {"artifact": {"family": "atomic-memory"}, "state": "active", "kind": "decision", "text": TEXT} | changed


def uncalled(edit: Edit, tool: str, turn: int) -> Edit:
    """Without the one call of a tool in a turn, of which then neither witness tells."""
    (number,) = edit.numbers(tool, turn)
    asked = next(event for at, event in edit.events() if at in edit.find(turn, tool=tool))
    return edit.drop(call=asked["call"]).unserved("called", number).unserved("answered", number)


def reread_first(edit: Edit) -> Edit:
    """The candidate was read again before the approval, not after it: the two calls of turn 2 change places."""
    tools = ("approve_artifact_candidate", "get_artifact_candidate")
    numbers = [edit.numbers(tool, 2)[0] for tool in tools]
    asked = [next(event for at, event in edit.events() if at in edit.find(2, tool=tool)) for tool in tools]
    noted = [value for value in edit.wire.values if isinstance(value, dict) and value["wire"] == "answered"]
    replies = [next(one for one in noted if one["number"] == number) for number in numbers]
    for at, there in ((0, 1), (1, 0)):
        call, number = asked[at]["call"], numbers[at]
        told = {"tool": asked[there]["tool"], "input": asked[there]["input"]}
        reply = {"result": replies[there]["result"], "is_error": replies[there]["is_error"]}
        edit = edit.change({"type": "ToolRequested", "call": call}, **told)
        edit = edit.change({"type": "ToolResult", "call": call}, is_error=reply["is_error"])
        edit = edit.served(number, tool=told["tool"], arguments=told["input"]).served(number, "answered", **reply)
    return edit


def elsewhere(edit: Edit) -> Edit:
    """Under the id of another call stands the input that the host left out."""
    other = {**edit.event(tool="remember_memory"), "tool": "think", "server": None, "call": "other"}
    return edit.add(other).change({"tool": "remember_memory"}, input=ABSENT)


def untouched(edit: Edit) -> Edit:
    """The server noted nothing at all."""
    for wire in ("connected", "tools_listed", "called", "answered"):
        edit = edit.unserved(wire)
    return edit


def answers_with(model: str | None) -> Change:
    """What the host tells of its model."""
    return lambda edit: edit.change({"type": "ModelRequested"}, model=model)


FALSE_PASSES = (
    incomplete(
        "failed and completed",
        SAVE,
        "host_failed",
        lambda edit: edit.add({"type": "SessionEnded", "ending": "host_failed"}, before="Usage"),
    ),
    incomplete("ended twice", SAVE, "turn_not_ended", lambda edit: edit.add(edit.event(type="TurnEnded"))),
    failed(
        "denied",
        SAVE,
        "turn_1_out_of_bounds_attempt",
        lambda edit: edit.add({"type": "PermissionDecided", "call": None, "tool": "Bash", "decision": "denied"}),
    ),
    incomplete(
        "a tool of the server denied",
        SAVE,
        "fixture_tool_denied",
        lambda edit: edit.add(
            {
                "type": "PermissionDecided",
                "call": edit.event(tool="remember_memory")["call"],
                "tool": "remember_memory",
                "decision": "denied",
            }
        ),
    ),
    incomplete(
        "inputs that contradict each other",
        SAVE,
        "request_disputed",
        lambda edit: edit.add({**edit.event(tool="remember_memory"), "input": DECISION | {"text": "Other."}}),
    ),
    failed(
        "a skill whose load failed",
        SAVE,
        "skill_body_not_observed",
        lambda edit: edit.change({"type": "SkillStep", "step": "read"}, step="errored"),
    ),
    failed(
        "a skill of another content",
        SAVE,
        "skill_body_not_observed",
        lambda edit: edit.change({"type": "SkillStep"}, sha256="0" * 64),
    ),
    failed(
        "a skill of the same name elsewhere",
        SAVE,
        "skill_body_not_observed",
        lambda edit: edit.change({"type": "SkillStep"}, path="home/.agents/skills/project-context/SKILL.md"),
    ),
    incomplete(
        "one model more",
        SAVE,
        "model_changed",
        lambda edit: edit.add({"type": "ModelRequested", "provider": "stand-in", "model": "stand-in-2"}),
    ),
    incomplete(
        "offered in the baseline",
        SAVE,
        "contaminated",
        lambda edit: edit.change({"type": "Offered"}, skills=["project-context"]),
        WITHOUT,
    ),
    incomplete("never listed", SAVE, "fixture_tools_not_listed", lambda edit: edit.unserved("tools_listed")),
    incomplete("an empty list", SAVE, "fixture_list_empty", lambda edit: edit.served(0, "tools_listed", count=0)),
    failed(
        "version 2 only",
        STALE,
        "stale_approval_not_conflicted",
        argued(2, "approve_artifact_candidate", CANDIDATE | {"expected_version": 2}),
    ),
    failed(
        "version 1.0",
        STALE,
        "stale_approval_not_conflicted",
        argued(2, "approve_artifact_candidate", CANDIDATE | {"expected_version": 1.0}),
    ),
    failed(
        "version true",
        STALE,
        "stale_approval_not_conflicted",
        argued(2, "approve_artifact_candidate", CANDIDATE | {"expected_version": True}),
    ),
    incomplete(
        "1 here and 1.0 there",
        STALE,
        "arguments_differ",
        lambda edit: edit.change({"tool": "approve_artifact_candidate"}, input=CANDIDATE | {"expected_version": 1.0}),
    ),
    failed(
        "approval while reading",
        STALE,
        "review_not_version_1",
        lambda edit: edit.call(
            "approve_artifact_candidate", CANDIDATE | {"expected_version": 1}, 1, CONFLICT, fails=True
        ),
    ),
    failed(
        "no pending", STALE, "conflict_misreported", lambda edit: edit.answer("candidate_conflict at version 2.", 2)
    ),
    failed(
        "another candidate",
        STALE,
        "wrong_candidate",
        argued(1, "get_artifact_candidate", CANDIDATE | {"candidate_id": "zcode-guidance-candidate-2"}),
    ),
    failed(
        "no re-read",
        STALE,
        "approval_retried_or_reread_missing",
        lambda edit: uncalled(edit, "get_artifact_candidate", 2),
    ),
    failed("re-read before the approval", STALE, "approval_retried_or_reread_missing", reread_first),
    failed(
        "a skill that was read in another case only",
        SAVE,
        "skill_body_not_observed",
        lambda edit: edit.drop(type="SkillStep"),
    ),
    failed(
        "another skill",
        SAVE,
        "skill_body_not_observed",
        lambda edit: edit.change({"type": "SkillStep"}, skill="other", path="other/SKILL.md", sha256="0" * 64),
    ),
    incomplete("the input of another call", SAVE, "input_missing", elsewhere),
    incomplete("no model", SAVE, "model_unobserved", answers_with(None)),
    incomplete("a model without a name", SAVE, "model_unobserved", answers_with("")),
    incomplete(
        "a server that failed at the host",
        SAVE,
        "fixture_not_at_host",
        lambda edit: edit.change({"type": "Offered"}, servers=[]),
    ),
    incomplete("never contacted", SAVE, "fixture_not_contacted", untouched),
    incomplete("arguments null", SAVE, "arguments_no_object", argued(1, "remember_memory", None)),
    failed(
        "a legacy precondition",
        SAVE,
        "legacy_memory_precondition",
        argued(1, "remember_memory", DECISION | {"expected_revision": 1}),
    ),
    *(
        failed(
            f"a reply with {what}",
            SAVE,
            "save_success_not_confirmed-reply",
            replied(records),
        )
        for what, records in (
            ("no record", []),
            ("two records", [record_of(), record_of()]),
            ("an inactive record", [record_of(state="forgotten")]),
            ("another text", [record_of(text="Other.")]),
            ("another family", [record_of(artifact={"family": "memory"})]),
        )
    ),
)


@pytest.mark.parametrize("row", FALSE_PASSES, ids=lambda row: row[0])
def test_what_looks_like_a_pass_comes_to_its_verdict(desk: Desk, row: Row) -> None:
    _, case, verdict, code, change, arm = row

    report = desk.judge(case, arm, change(desk.trial(case, arm)))

    one = next(trial for trial in report.trials if (trial.key.case, trial.key.arm) == (case, arm))
    failing = [check.id for check in one.checks if check.outcome == "failed"]
    told = [one.verdict.reason] if verdict == "incomplete" else failing
    assert (one.verdict.kind.value, told) == (verdict, [code])
    assert report.gate.exit == (3 if verdict == "incomplete" else 1)
