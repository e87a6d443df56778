"""Whole archives after the published runs, and one in which the skill is never loaded."""

from __future__ import annotations

from typing import Any

QUERY = {"scope_id": "zcode-guidance-fixture-scope", "query": "retry"}
ORDINARY, EMPTY, STALE = "ordinary-coding", "empty-search", "stale-approval"
WITH, WITHOUT = "with_skill", "without_skill"
SEARCH = {"call": {"server": "powercontext", "tool": "search_memory", "arguments": QUERY}}
DELAYS = {"say": "[1, 2]"}


def script(case: dict[str, Any], *, reads: bool = True) -> list[dict[str, Any]]:
    """The case's honest script, with or without the reading of the skill."""
    return [act for act in case["rehearsals"][0]["script"] if reads or "read_skill" not in act]


def verdicts(report: dict[str, Any], arm: str) -> dict[str, str]:
    return {one["key"]["case"]: one["verdict"]["kind"] for one in report["trials"] if one["key"]["arm"] == arm}


def test_a_run_in_which_the_baseline_searched_on_qualifies_all_the_same(record: Any, cases: dict[str, Any]) -> None:
    broader = [SEARCH, SEARCH, {"say": "NO_MATCHES"}, DELAYS]

    recorded = record({f"{EMPTY}/{WITHOUT}": broader})

    report = recorded.grade()
    assert set(verdicts(report, WITH).values()) == {"passed"}
    assert verdicts(report, WITHOUT) == {id: "failed" if id == EMPTY else "passed" for id in cases}
    assert (recorded.code, report["gate"]["decision"]) == (0, "passed")


def test_a_run_in_which_the_skill_was_not_read_once_does_not_qualify(record: Any, cases: dict[str, Any]) -> None:
    overclaims = [SEARCH, SEARCH, SEARCH, {"say": "You have never decided anything about retries."}, DELAYS]

    recorded = record({f"{EMPTY}/{WITHOUT}": overclaims, f"{STALE}/{WITH}": script(cases[STALE], reads=False)})

    report = recorded.grade()
    (stale,) = [one for one in report["trials"] if (one["key"]["case"], one["key"]["arm"]) == (STALE, WITH)]
    assert verdicts(report, WITH) == {id: "failed" if id == STALE else "passed" for id in cases}
    assert [one["id"] for one in stale["checks"] if one["outcome"] == "failed"] == ["skill_body_not_observed"]
    (empty,) = [one for one in report["trials"] if (one["key"]["case"], one["key"]["arm"]) == (EMPTY, WITHOUT)]
    assert [one["id"] for one in empty["checks"] if one["outcome"] == "failed"] == [
        "empty_search_not_single_native_call", "empty_search_misreported",
    ]  # fmt: skip
    assert (recorded.code, report["gate"]["decision"]) == (1, "failed")


def test_where_every_call_is_right_and_the_skill_is_never_loaded_only_that_fails(
    record: Any, cases: dict[str, Any]
) -> None:
    recorded = record({f"{id}/{WITH}": script(case, reads=False) for id, case in cases.items()})

    report = recorded.grade()
    assert verdicts(report, WITH) == {id: "passed" if id == ORDINARY else "failed" for id in cases}
    failing = {check["id"] for one in report["trials"] for check in one["checks"] if check["outcome"] == "failed"}
    assert failing == {"skill_body_not_observed"}
    assert recorded.code == 1
