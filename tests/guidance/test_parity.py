"""Arms differ in nothing but skills: what the stand-in host does otherwise in one arm is named, and no pair counts."""

from __future__ import annotations

from typing import Any

import pytest

CASE = ("--case", "explicit-save")


def test_r18_what_both_arms_ran_with_is_certified_and_alike(passing: Any) -> None:
    report = passing.grade()

    for case in {trial["key"]["case"] for trial in report["trials"]}:
        one, other = (trial["ran"] for trial in report["trials"] if trial["key"]["case"] == case)
        assert one == other
        assert None not in one.values()
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
