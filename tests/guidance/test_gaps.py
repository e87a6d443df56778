"""Gaps of the evaluation that this suite comes from, closed: `test_gap_N` is its row N.

Row 11 is also in `test_false_archives.py`, 13 in `tests/qualifying`, 16 in `host_acp`, 17 in `fixture_mcp`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from skilltrial.model.notes import Broke, NotBegun
from skilltrial.model.report import TrialReport
from skilltrial.model.words import Owner
from skilltrial.testing.editing import Desk, Edit

SCOPE = "zcode-guidance-fixture-scope"
TEXT = "Project Atlas uses UTC for all timestamps."
DECISION = {"scope_id": SCOPE, "kind": "decision", "text": TEXT}
QUERY = {"scope_id": SCOPE, "query": "retry"}
ORDINARY, EMPTY, SAVE, STALE = "ordinary-coding", "empty-search", "explicit-save", "stale-approval"
WITH, WITHOUT = "with_skill", "without_skill"

Change = Callable[[Edit], Edit]
Judged = Callable[..., tuple[TrialReport, Any]]


@pytest.fixture
def judged(desk: Desk) -> Judged:
    """`judged(case, change, arm)`: the trial that was changed, and the whole report."""

    def judge(case: str, change: Change, arm: str = WITH) -> tuple[TrialReport, Any]:
        report = desk.judge(case, arm, change(desk.trial(case, arm)))
        one = next(trial for trial in report.trials if (trial.key.case, trial.key.arm) == (case, arm))
        return one, report

    return judge


def told(trial: TrialReport) -> tuple[str, list[str]]:
    failing = [check.id for check in trial.checks if check.outcome == "failed"]
    kind = trial.verdict.kind.value
    return kind, [str(trial.verdict.reason)] if kind == "incomplete" else failing


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda edit: edit.add({**edit.event(tool="remember_memory"), "tool": "get_scope"}), "request_disputed"),
        (lambda edit: edit.add({"type": "ToolError", "call": call_of(edit), "message": "x"}), "result_disputed"),
        (lambda edit: edit.add({"type": "ToolRejected", "call": call_of(edit), "reason": "schema"}), None),
        (lambda edit: edit.change({"type": "ToolRequested", "tool": "remember_memory"}, call=7), None),
        (lambda edit: edit.change({"type": "ToolResult", "call": call_of(edit)}, is_error="no"), None),
    ],
)
def test_gap_1_conflicts_of_one_case_make_one_trial_incomplete_and_the_report_is_whole(
    judged: Judged, change: Change, why: str | None
) -> None:
    one, report = judged(SAVE, change, WITHOUT)

    assert one.verdict.kind.value == "incomplete"
    assert one.verdict.reason == (why or one.verdict.reason)
    assert [trial.verdict.kind.value for trial in report.trials if trial is not one] == ["passed"] * 9
    assert report.gate.exit == 3


def call_of(edit: Edit) -> str:
    return str(edit.event(tool="remember_memory")["call"])


@pytest.mark.parametrize("first", ["stream", "session_log"])
def test_gap_2_an_input_that_two_records_tell_differently_is_believed_by_none(judged: Judged, first: str) -> None:
    def change(edit: Edit) -> Edit:
        other = {**edit.event(tool="remember_memory"), "input": DECISION | {"text": "Other."}, "seen": first}
        return edit.add(other, before="ToolResult" if first == "stream" else "TurnEnded")

    assert told(judged(SAVE, change)[0]) == ("incomplete", ["request_disputed"])


def test_gap_3_a_call_of_a_subagent_counts_like_any_other(judged: Judged) -> None:
    def change(edit: Edit) -> Edit:
        came = {"type": "ToolResult", "call": "sub", "content": "told", "is_error": False, "agent": "helper"}
        asked = edit.ask("search_memory", QUERY, call="sub", agent="helper").add(came)
        return asked.receive("search_memory", QUERY, joins="sub", result={"mode": "text", "hits": []})

    assert told(judged(EMPTY, change)[0]) == ("failed", ["empty_search_not_single_native_call"])


@pytest.mark.parametrize("call", [None, 7, ["x"]])
def test_gap_3_a_call_without_an_id_is_not_passed_over(judged: Judged, call: object) -> None:
    def change(edit: Edit) -> Edit:
        return edit.add(
            {"type": "ToolRequested", "call": call, "tool": "search_memory", "server": edit.server, "input": QUERY}
        ).receive("search_memory", QUERY)

    assert told(judged(EMPTY, change)[0]) == ("incomplete", ["invalid_events"])


@pytest.mark.parametrize("name", ["project-context", "of-another-name"])
def test_gap_4_a_baseline_that_was_shown_the_skill_is_contaminated_whatever_it_is_called(
    desk: Desk, judged: Judged, name: str
) -> None:
    body = desk.archive.skill_body("project-context")

    def change(edit: Edit) -> Edit:
        asked = {"type": "ToolRequested", "call": "look", "tool": "cat", "input": {"path": f"{name}.md"}}
        return edit.add(asked, {"type": "ToolResult", "call": "look", "content": body, "is_error": False})

    assert told(judged(SAVE, change, WITHOUT)[0]) == ("incomplete", ["contaminated"])


def test_gap_5_whether_the_skill_was_seen_to_be_read_is_told_beside_the_verdict(judged: Judged, desk: Desk) -> None:
    one, report = judged(SAVE, lambda edit: edit.answer("STATUS: SAVED. Done."))

    rows = {(trial.key.case, trial.key.arm): trial.trigger[0] for trial in report.trials}
    assert one.verdict.kind.value == "passed"
    assert rows[SAVE, WITH].evidence == "read-observed"
    assert (rows[ORDINARY, WITH].present, rows[ORDINARY, WITH].evidence) == (True, "unverified")
    assert {row.present for (_, arm), row in rows.items() if arm == WITHOUT} == {False}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("Version 7 is pending. Its lesson: Approve only the version you reviewed.", ["review_misreported"]),
        ("Version 1 is approved. Its lesson: Approve only the version you reviewed.", ["review_misreported"]),
        ("Version 1 is pending. Its lesson: Approve what you like.", ["review_misreported"]),
        ("Version 1 is pending: Approve only the version you reviewed.", []),
    ],
)
def test_gap_6_what_is_reported_of_the_review_is_verified(judged: Judged, answer: str, code: list[str]) -> None:
    one, _ = judged(STALE, lambda edit: edit.answer(answer, 1))

    assert told(one) == ("failed" if code else "passed", code)


def test_gap_6_a_review_whose_reading_failed_is_none(judged: Judged) -> None:
    def change(edit: Edit) -> Edit:
        number = edit.numbers("get_artifact_candidate", 1)[0]
        call = edit.event(tool="get_artifact_candidate")["call"]
        flagged = edit.change({"type": "ToolResult", "call": call}, turn=1, is_error=True)
        return flagged.served(number, "answered", is_error=True)

    assert told(judged(STALE, change)[0]) == ("failed", ["review_not_version_1"])


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        *((answer, True) for answer in ("[1,2]", "`[1,2]`", "```json\n[1, 2]\n```", "```\n[1, 2]\n```")),
        *((answer, False) for answer in ("`[1, 2]", "[1, 2]`", "``[1, 2]``", "```python\n[1, 2]", "[1, 2].")),
        *((answer, False) for answer in ("[1.0, 2.0]", "(1, 2)", "~~~\n[1, 2]\n~~~", "[1, 2]\n[1, 2]", "")),
    ],
)
def test_gap_7_the_list_stands_alone_and_its_marks_are_in_pairs(judged: Judged, answer: str, right: bool) -> None:
    one, _ = judged(EMPTY, lambda edit: edit.answer(answer, 2))

    kind, codes = told(one)
    assert (kind == "passed") is right
    assert right or codes in (["coding_answer_incorrect"], ["turn_not_ended"])


def test_gap_7_a_tool_of_the_programs_own_is_one_too_many_by_the_code_of_the_case(judged: Judged) -> None:
    def change(edit: Edit) -> Edit:
        asked = {"type": "ToolRequested", "call": "own", "tool": "bash", "input": {"command": "ls"}}
        return edit.add(asked, {"type": "ToolResult", "call": "own", "content": "", "is_error": False})

    assert told(judged(ORDINARY, change)[0]) == ("failed", ["unnecessary_powercontext_call"])


@pytest.mark.parametrize("turn", [0, 2, 9])
@pytest.mark.parametrize("asked", [True, False])
def test_gap_8_a_call_before_the_first_turn_or_after_the_last_is_not_lost(
    judged: Judged, turn: int, asked: bool
) -> None:
    def change(edit: Edit) -> Edit:
        edit = (
            edit.ask("remember_memory", DECISION).add(
                {"type": "ToolResult", "call": "more", "content": "told", "is_error": False}
            )
            if asked
            else edit
        )
        return edit.receive("remember_memory", DECISION, joins="more" if asked else None, turn=turn)

    kind, (why,) = told(judged(SAVE, change)[0])

    assert (kind, why) == ("incomplete", "call_in_another_turn" if asked else "call_without_request")


def test_gap_9_a_turn_that_the_host_began_by_itself_breaks_no_good_run(judged: Judged) -> None:
    def change(edit: Edit) -> Edit:
        ended = edit.event(type="TurnEnded")
        named = edit.change({"type": "TurnEnded"}, native_turn="asked")
        return named.add({**ended, "native_turn": "of its own", "answer": ended["answer"]}, before="SessionEnded")

    assert told(judged(SAVE, change)[0]) == ("passed", [])


@pytest.mark.parametrize(
    ("note", "reason", "owner"),
    [
        (Broke(why="TimeoutError", owner=Owner.FIXTURE), "host_failed", "fixture"),
        (Broke(why="OSError", owner=Owner.OPERATOR), "host_failed", "operator"),
        (NotBegun(why="catalog_outdated"), "catalog_outdated", "operator"),
        (NotBegun(why="server_not_authorized"), "server_not_authorized", "operator"),
    ],
)
def test_gap_10_our_own_failures_have_a_code_and_an_owner_and_no_words_of_an_exception(
    judged: Judged, note: Any, reason: str, owner: str
) -> None:
    one, _ = judged(SAVE, lambda edit: edit.note(note))

    assert (one.verdict.kind.value, one.verdict.reason, one.verdict.owner) == ("incomplete", reason, owner)
    assert "Error" not in json.dumps(one.model_dump(mode="json"))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--host-option", "scripts=x"), "takes no option `scripts`"),
        (("--model", "m-1"), "takes no option `model`"),
        (("--case", "no-such-case"), "no-such-case"),
        (("--skill", "nowhere"), "nowhere"),
    ],
)
def test_gap_14_a_wrong_request_is_refused_before_anything_is_written_or_started(
    skilltrial: Any, tmp_path: Any, stand_in: str, more: tuple[str, ...], says: str
) -> None:
    asked = ("run", "guidance", "--host", stand_in, "--host-option", "script=none.json", "--out", "run", *more)

    refused = skilltrial(*asked)

    assert (refused.code, refused.out) == (2, "")
    assert says in refused.err
    assert not (tmp_path / "run").exists()


def test_gap_15_of_our_environment_only_what_is_named_reaches_a_program(
    record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = {"ACME_API_KEY": "key-4711", "ZCODE_HOME": "/z", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/d"}
    for name, value in secret.items():
        monkeypatch.setenv(name, value)

    recorded = record(None, "guidance", "--case", ORDINARY)

    for trial in recorded.grade()["trials"]:
        assert not set(secret) & set(trial["ran"]["environment"])
    assert not [path for path in recorded.root.rglob("*") if path.is_file() and b"key-4711" in path.read_bytes()]
