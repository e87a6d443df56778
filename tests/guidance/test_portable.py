"""The same suite file on a host that shows and takes less: cases are skipped, nothing is passed, nothing qualifies."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

HOST = ("--host", "portable", "--", "skilltrial-agent")


@pytest.mark.parametrize("mode", ["run", "rehearse"])
def test_every_case_is_skipped_by_name_and_nothing_is_passed(skilltrial: Command, tmp_path: Path, mode: str) -> None:
    ran = skilltrial(mode, "guidance", "--out", "out", "--format", "json", *HOST)

    assert ran.code == 3, ran.err
    verdicts = {(one["verdict"]["kind"], one["verdict"]["reason"]) for one in ran.report["trials"]}
    assert verdicts == {("skipped", "needs_mcp_http")}
    assert {one["key"]["case"] for one in ran.report["trials"]} == {
        "ordinary-coding", "explicit-save", "empty-search", "failed-save", "stale-approval",
    }  # fmt: skip
    parts = json.loads((tmp_path / "out/parts.json").read_bytes())
    assert [part["name"] for part in parts if part["kind"] == "suite"] == ["guidance"]
    if mode == "run":
        assert ran.report["gate"]["decision"] == "incomplete"


def test_a_case_without_the_server_is_unverified_where_calls_are_not_shown(
    skilltrial: Command, folder: Path, tmp_path: Path
) -> None:
    """Without its fixture the first case runs anywhere; a host that shows no calls can't show that there was none."""
    text = (folder / "suite.yaml").read_text("utf-8")
    first = text[text.index("cases:") : text.index("  # Asked for: one save")].replace(
        "    fixtures: {powercontext: {script: write-denied}}\n", ""
    )
    calls_only = first[: first.index("      - &input_1")] + "\n"
    shutil.copytree(folder / "skills", tmp_path / "skills")
    head = text[: text.index("# What surrounds the skill")] + text[text.index("arms:") : text.index("fixtures:")]
    (tmp_path / "one.yaml").write_text(head + calls_only)
    (tmp_path / "agent.sh").write_text("#!/bin/sh\ncat > /dev/null\necho '[1, 2]'\n")
    (tmp_path / "agent.sh").chmod(0o755)

    ran = skilltrial(
        "run", "one.yaml", "--out", "out", "--format", "json", "--host", "portable", "--", tmp_path / "agent.sh"
    )

    assert ran.code == 3, ran.err
    assert set(ran.verdicts.values()) == {"unverified"}
    for trial in ran.verdicts:
        assert ran.outcomes(trial) == {
            "unnecessary_powercontext_call": "unverified",
            "coding_answer_incorrect": "unverified",
        }


def test_its_archive_qualifies_nothing_and_says_why(skilltrial: Command) -> None:
    skilltrial("run", "guidance", "--out", "out", *HOST)

    asked = skilltrial(
        *("qualified", "guidance", "out", "--host", "portable", "--host-command", '["skilltrial-agent"]'),
        *("--format", "json"),
    )

    assert asked.code == 1, asked.err
    (one,) = json.loads(asked.out)["archives"]
    assert one["worth"] == "nothing"
    assert {"host_unidentified", "skipped", "undecided", "gate_incomplete"} <= {
        doubt["reason"] for doubt in one["doubts"]
    }
    assert one["key"]["catalogs"]["powercontext"]["captured"] == "2026-11-30"
