"""Two whole suites in the spirit of those that EmbrAIon ships, with their framework."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from skilltrial_format_embraion.format import EmbraionFormat

FRAMEWORK = Path(__file__).parent / "data" / "framework"


@pytest.mark.parametrize(
    ("name", "polarities", "arms"),
    [("class-homes", {"positive": 2, "negative": 2}, 2), ("decision-log", {"positive": 2, "negative": 1}, 3)],
)
def test_embraion_07_a_whole_suite_is_read_with_both_polarities_and_its_framework(
    name: str, polarities: dict[str, int], arms: int
) -> None:
    path = FRAMEWORK / "evals" / f"{name}.json"

    foreign = EmbraionFormat().read_suite(path, json.loads(path.read_text("utf-8")))

    assert foreign.misfits == ()
    assert foreign.skills_root == FRAMEWORK
    long: Any = foreign.suite
    assert Counter(case["polarity"] for case in long["cases"]) == polarities
    assert len(long["arms"]) == arms
    assert foreign.losses.dropped == ()
    assert not [one for one in foreign.losses.changed if one.startswith("case ")]
