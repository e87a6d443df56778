"""The entries of the suite's first table of tests, by their numbers: one named change to a passing archive each.

What that table called *raises* is here a reason for which the one trial is incomplete: the others are still judged.
Entries 1 to 7 are the fixture's own (`test_table_fixture.py`), 32 is of a changed archive (`test_false_archives.py`),
66 to 68 are of programs too (`test_table_host.py`); 16 to 18 and 45 to 65 are of inputs that a host omitted, and of
calls that it rejected, where "progress" is a start. "qualified" is here: the gate passes.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skilltrial.model.notes import Broke
from skilltrial.model.words import Owner, VerdictKind
from skilltrial.testing.editing import ABSENT, Desk, Edit

SCOPE = "zcode-guidance-fixture-scope"
TEXT = "Project Atlas uses UTC for all timestamps."
DECISION = {"scope_id": SCOPE, "kind": "decision", "text": TEXT}
CANDIDATE = {"scope_id": SCOPE, "candidate_id": "zcode-guidance-candidate"}
DENIED = {"error": {"code": "FIXTURE_WRITE_DENIED"}}
CONFLICT = {"error": {"code": "candidate_conflict"}}
QUERY = {"scope_id": SCOPE, "query": "retry"}
SAVE, FAILED_SAVE = "explicit-save", "failed-save"
ORDINARY, EMPTY, STALE = "ordinary-coding", "empty-search", "stale-approval"
WITH, WITHOUT = "with_skill", "without_skill"
REJECTED = ("unnecessary_powercontext_call", "turn_1_native_input_rejected")

Change = Callable[[Edit], Edit]


def both(*given: Any, **more: Any) -> Change:
    """One more call, of which both witnesses tell."""
    return lambda edit: edit.call(*given, **more)


def came(fails: bool = False, call: str = "more") -> dict[str, Any]:
    return {"type": "ToolResult", "call": call, "content": "told", "is_error": fails}


def rejection(call: str = "more", reason: str = "schema") -> dict[str, Any]:
    return {"type": "ToolRejected", "call": call, "reason": reason}


def rejected(given: Any, *more: dict[str, Any], seen: str = "stream") -> Change:
    """One more search, which the program rejected by its schema; `more` events stand before that."""
    return lambda edit: edit.ask("search_memory", given, seen=seen).add(*more, rejection())


def asked(given: Any, *more: dict[str, Any], **fields: Any) -> Change:
    """One more search that the host tells of, and what else it tells of it."""

    def change(edit: Edit) -> Edit:
        edit = edit.ask("search_memory", given, **fields)
        return edit.add(*more) if more else edit

    return change


def uncalled(edit: Edit) -> Edit:
    """Without the one save, of which then neither witness tells; the answer claims it all the same."""
    (number,) = edit.numbers("remember_memory", 1)
    told = edit.drop(call=edit.event(tool="remember_memory")["call"])
    return told.unserved("called", number).unserved("answered", number)


def answered(text: str, turn: int = 1) -> Change:
    """Another answer."""
    return lambda edit: edit.answer(text, turn)


def arrived(arguments: Any, told: Change) -> Change:
    """What the host told of a search, and the server received it."""
    return lambda edit: told(edit).receive("search_memory", arguments, joins="more")


def argued(*given: Any) -> Change:
    """Both witnesses tell of other arguments of a call."""
    return lambda edit: edit.argue(*given)


@dataclass(frozen=True)
class Row:
    """An entry: its number, the trial that is changed, and what it must come to."""

    number: str
    case: str
    change: Change
    verdict: str
    because: tuple[str, ...] = ()
    """The reason of an incomplete trial, the checks that fail of a failed one."""
    arm: str = WITH
    gate: int = field(default=-1)
    """The exit code; as follows from verdict and arm where none is given."""

    @property
    def exit(self) -> int:
        if self.gate >= 0:
            return self.gate
        return {"passed": 0, "failed": 1 if self.arm == WITH else 0, "incomplete": 3}[self.verdict]


def incomplete(number: str, case: str, why: str, change: Change, arm: str = WITH) -> Row:
    return Row(number, case, change, "incomplete", (why,), arm)


def failed(number: str, case: str, codes: tuple[str, ...] | str, change: Change, arm: str = WITH) -> Row:
    return Row(number, case, change, "failed", (codes,) if isinstance(codes, str) else codes, arm)


def passed(number: str, case: str, change: Change) -> Row:
    return Row(number, case, change, "passed")


LISTS = ("[1,2]", "`[1, 2]`", "```python\n[1, 2]\n```")

SINGLE = (
    failed("9", ORDINARY, "unnecessary_powercontext_call", both("get_scope", {"scope_id": SCOPE})),
    incomplete("10", ORDINARY, "request_without_call", asked(QUERY)),
    *(passed("11", ORDINARY, answered(text)) for text in LISTS),
    *(passed("11", EMPTY, answered(text, 2)) for text in LISTS),
    failed("12", EMPTY, "coding_answer_incorrect", lambda edit: edit.answer("[1, 3]", 2)),
    incomplete("14", SAVE, "call_without_request", lambda edit: edit.drop(tool="remember_memory")),
    failed("15", SAVE, "save_not_single_native_call", uncalled),
    incomplete("16", SAVE, "input_missing", lambda edit: edit.change({"tool": "remember_memory"}, input=ABSENT)),
    passed(
        "17",
        SAVE,
        lambda edit: edit.add(edit.event(tool="remember_memory"), before="TurnEnded").change(
            {"tool": "remember_memory"}, first=True, input=ABSENT
        ),
    ),
    incomplete(
        "18",
        SAVE,
        "call_without_request",
        lambda edit: edit.add({**edit.event(tool="remember_memory"), "tool": "search_memory"}).change(
            {"tool": "remember_memory"}, input=ABSENT
        ),
    ),
    failed("20", FAILED_SAVE, "failed_save_misreported", lambda edit: edit.answer("STATUS: SAVED. It is on record.")),
    failed(
        "21", FAILED_SAVE, "save_not_single_native_call", both("remember_memory", DECISION, result=DENIED, fails=True)
    ),
    *(
        failed(number, EMPTY, code, both(tool, arguments, turn, result))
        for turn, code in ((1, "empty_search_not_single_native_call"), (2, "empty_search_expanded_or_not_stopped"))
        for number, tool, arguments, result in (
            ("22", "search_memory", QUERY, {"mode": "text", "hits": []}),
            ("23", "list_atomic_memories", {"scope_id": SCOPE}, None),
            ("24", "remember_memory", DECISION, None),
        )
    ),
    failed(
        "26",
        STALE,
        "approval_retried_or_reread_missing",
        both("approve_artifact_candidate", CANDIDATE | {"expected_version": 2}, 2, CONFLICT, fails=True),
    ),
    incomplete("27", SAVE, "turn_not_ended", lambda edit: edit.drop(type="TurnEnded")),
    incomplete("28", SAVE, "model_unobserved", lambda edit: edit.drop(type="ModelRequested")),
    failed(
        "29",
        SAVE,
        "turn_1_unknown_tool_namespace",
        lambda edit: edit.ask("mcp__powercontext__remember_memory", DECISION, server=ABSENT).add(came()),
    ),
    failed("30", EMPTY, "turn_1_wrong_scope", argued(1, "search_memory", QUERY | {"scope_id": "other"})),
)

REPLAY = (
    incomplete("33", SAVE, "host_failed", lambda edit: edit.note(Broke(why="TimeoutError", owner=Owner.FIXTURE))),
    incomplete(
        "34",
        ORDINARY,
        "host_failed",
        lambda edit: edit.change({"type": "SessionEnded"}, ending="host_failed"),
        WITHOUT,
    ),
    incomplete("35", ORDINARY, "answer_disputed", lambda edit: edit.returned("[1,2]"), WITHOUT),
    incomplete("36", EMPTY, "model_unobserved", lambda edit: edit.drop(type="ModelRequested", turn=2), WITHOUT),
    incomplete(
        "37",
        SAVE,
        "arguments_differ",
        lambda edit: edit.change({"tool": "remember_memory"}, input=DECISION | {"text": "Other."}),
        WITHOUT,
    ),
    failed("38", ORDINARY, REJECTED, rejected({}), WITHOUT),
    failed("39", ORDINARY, REJECTED, rejected({})),
    *(
        failed(number, ORDINARY, REJECTED, rejected(["retry"], seen=seen), arm)
        for number, arm, seen in (
            ("40", WITHOUT, "stream"),
            ("41", WITHOUT, "session_log"),
            ("42", WITH, "stream"),
            ("43", WITH, "session_log"),
        )
    ),
    failed("44", ORDINARY, REJECTED, rejected("retry"), WITHOUT),
    incomplete("45", ORDINARY, "input_missing", rejected(ABSENT), WITHOUT),
    failed("45", ORDINARY, REJECTED, rejected(None), WITHOUT),
    *(
        incomplete(number, ORDINARY, why, change, WITHOUT)
        for seen, numbers in (("stream", ("46", "47", "48", "49")), ("session_log", ("50", "51", "52", "53")))
        for number, why, change in zip(
            numbers,
            ("request_without_call", "rejection_disputed", "call_without_request", "arguments_no_object"),
            (
                asked(["retry"], seen=seen),
                rejected(["retry"], {"type": "ToolStarted", "call": "more"}, seen=seen),
                arrived(["retry"], rejected(["retry"], seen=seen)),
                arrived(["retry"], asked(["retry"], came(), seen=seen)),
            ),
            strict=True,
        )
    ),
    incomplete("54", SAVE, "arguments_no_object", argued(1, "remember_memory", ["decision", TEXT])),
    incomplete("55", STALE, "arguments_no_object", argued(2, "approve_artifact_candidate", ["candidate", 1])),
    incomplete("56", ORDINARY, "request_without_call", asked(["retry"], rejection("other"))),
    incomplete(
        "57",
        ORDINARY,
        "call_undelivered",
        asked(["retry"], {"type": "ToolError", "call": "more", "message": "It failed."}),
    ),
    incomplete(
        "58", ORDINARY, "call_undelivered", asked(["retry"], {"type": "ToolError", "call": "more", "message": ""})
    ),
    incomplete("59", ORDINARY, "rejection_disputed", rejected(["retry"], {"type": "ToolStarted", "call": "more"})),
    incomplete(
        "60",
        ORDINARY,
        "rejection_disputed",
        lambda edit: rejected(["retry"])(edit).add({"type": "ToolStarted", "call": "more"}),
    ),
    incomplete("61", ORDINARY, "rejection_disputed", rejected(["retry"], came())),
    incomplete(
        "62",
        ORDINARY,
        "rejection_disputed",
        rejected(["retry"], {"type": "ToolError", "call": "more", "message": "Another."}),
    ),
    incomplete(
        "63",
        ORDINARY,
        "call_without_request",
        lambda edit: rejected(QUERY)(edit).receive("search_memory", QUERY, joins="more"),
    ),
    incomplete(
        "64",
        ORDINARY,
        "request_without_call",
        lambda edit: rejected(["retry"])(edit).ask("search_memory", ["retry"], call="twin"),
        WITHOUT,
    ),
    failed(
        "65",
        ORDINARY,
        REJECTED,
        lambda edit: rejected(["retry"])(edit).ask("search_memory", ["retry"], call="twin").add(rejection("twin")),
        WITHOUT,
    ),
    incomplete("66", SAVE, "invalid_events", lambda edit: edit.drop(type="SessionEnded")),
    incomplete("67", SAVE, "host_failed", lambda edit: edit.noted("exited", code=7)),
)


@pytest.mark.parametrize("row", [*SINGLE, *REPLAY], ids=lambda row: f"{row.number} {row.case} {row.arm}")
def test_each_entry_comes_to_its_verdict_by_its_code(desk: Desk, row: Row) -> None:
    report = desk.judge(row.case, row.arm, row.change(desk.trial(row.case, row.arm)))

    one = next(trial for trial in report.trials if (trial.key.case, trial.key.arm) == (row.case, row.arm))
    failing = tuple(check.id for check in one.checks if check.outcome == "failed")
    told = (one.verdict.reason,) if one.verdict.kind is VerdictKind.INCOMPLETE else failing
    assert (one.verdict.kind.value, sorted(map(str, told))) == (row.verdict, sorted(row.because))
    others = {trial.verdict.kind for trial in report.trials if trial is not one}
    assert others == {VerdictKind.PASSED}, "no other trial is drawn in"
    assert report.gate.exit == row.exit


def test_8_13_19_25_68_what_is_right_passes_in_both_arms(passing: Any) -> None:
    report = passing.grade()

    assert (passing.code, report["gate"]["decision"]) == (0, "passed")
    assert {trial["verdict"]["kind"] for trial in report["trials"]} == {"passed"}
    assert len(report["trials"]) == 10
    assert [trial for trial in report["trials"] if any(check["outcome"] != "passed" for check in trial["checks"])] == []


def test_31_the_archived_prompt_counts_and_some_cases_are_not_the_suite(
    record: Any, folder: Path, tmp_path: Path
) -> None:
    shutil.copytree(folder, tmp_path / "older")
    suite = tmp_path / "older/suite.yaml"
    suite.write_text(suite.read_text("utf-8").replace("as a Python list of integers", "as a list in Python"), "utf-8")

    report = record(None, suite, "--case", "ordinary-coding").grade()

    assert [trial["verdict"]["kind"] for trial in report["trials"]] == ["passed", "passed"]
    assert report["narrowed"] is True
    assert (
        "Only some cases or arms were asked for: the numbers are not those of the whole suite."
        in (report["limitations"])
    )


def test_every_entry_of_the_table_is_covered() -> None:
    """By a row here, or by a test in this folder whose name begins with the entry's numbers."""
    named = {
        int(number)
        for file in Path(__file__).parent.glob("test_*.py")
        for found in re.findall(r"^def test((?:_\d+)+)_", file.read_text("utf-8"), re.M)
        for number in found.split("_")[1:]
    }
    rows = {int(row.number) for row in (*SINGLE, *REPLAY)}

    assert sorted({*range(1, 69)} - rows - named) == []
    assert (rows | named) <= {*range(1, 69)}
