"""Arms differ in nothing but skills: what the stand-in host does otherwise in one arm is named, and no pair counts."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.judge.qualifying import standing
from skilltrial.testing.editing import Desk

CASE = ("--case", "explicit-save")


def test_r18_what_both_arms_ran_with_is_certified_and_alike(passing: Any) -> None:
    report = passing.grade()

    for case in {trial["key"]["case"] for trial in report["trials"]}:
        one, other = (trial["ran"] for trial in report["trials"] if trial["key"]["case"] == case)
        assert one == other
        assert [aspect for aspect, value in one.items() if value is None] == ["plugin"], "this host takes none"
        assert {"HOME", "PATH", "TMPDIR"} <= set(one["environment"])
    assert {pair["outcome"] for pair in report["pairs"]} == {"tied-pass"}
    assert {tuple(pair["differs"]) for pair in report["pairs"]} == {()}


@pytest.mark.parametrize("unlike", ["argv", "environment", "home"])
def test_r16_r18_what_only_one_arm_ran_with_makes_the_pair_invalid_by_its_name(record: Any, unlike: str) -> None:
    recorded = record(None, "guidance", *CASE, "--host-option", f"unlike={unlike}")

    report = recorded.grade()
    (pair,) = report["pairs"]
    assert (pair["outcome"], pair["differs"]) == ("unavailable", [unlike])
    assert (recorded.code, report["gate"]["decision"], report["gate"]["reasons"]) == (3, "incomplete", ["arms_differ"])
    assert f"Arms ran with more that differs than their skills ({unlike}) in 1 pair." in report["limitations"]


@pytest.mark.parametrize("arm", ["with_skill", "without_skill"])
def test_r18_a_list_of_tools_with_other_descriptions_or_schemas_in_one_arm_makes_the_pair_invalid_and_unqualified(
    desk: Desk, arm: str
) -> None:
    """As many tools of the same names, and another digest: whatever else their list says was not alike."""
    told = desk.trial("empty-search", arm).served(0, "tools_listed", sha256="0" * 64)

    report = desk.judge("empty-search", arm, told)

    assert {pair.case: (pair.outcome, pair.differs) for pair in report.pairs if pair.outcome != "tied-pass"} == {
        "empty-search": ("unavailable", ("tools",))
    }
    assert (report.gate.exit, report.gate.reasons) == (3, ("arms_differ",))
    doubts = {doubt.reason: doubt.told for doubt in standing("x", desk.archive, report, desk.key).doubts}
    assert doubts["arms_differ"] == (
        "case empty-search, attempt 1, against without_skill ran with more that differs than the skill: tools"
    )


def test_r18_where_no_digest_of_a_list_was_kept_nothing_is_compared_and_nothing_qualifies(desk: Desk) -> None:
    old = desk.trial("empty-search", "with_skill").served(0, "tools_listed", sha256=None)

    report = desk.judge("empty-search", "with_skill", old)

    assert (report.gate.exit, {pair.differs for pair in report.pairs}) == (0, {()})
    doubts = {doubt.reason: doubt.told for doubt in standing("x", desk.archive, report, desk.key).doubts}
    assert doubts["arms_unshown"] == "what the arms ran with was not seen whole: tools"
