"""Numbers that agree, beside a baseline, and again from the archive (`test_rNN`: our list of reports)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")


# --- R52: one way to every number -----------------------------------------------------------------------------------


PAIRS = "{} better, {} worse, {} alike, of 2 pairs"


@pytest.mark.parametrize(
    ("agent", "outcome", "says"),
    [
        ("[ -d .agents ] && echo hello > greeting.txt; exit 0", "improved", PAIRS.format(2, 0, 0)),
        ("[ -d .agents ] || echo hello > greeting.txt", "regressed", PAIRS.format(0, 2, 0)),
        ("echo hello > greeting.txt", "tied_pass", PAIRS.format(0, 0, 2)),
        ("true", "tied_fail", PAIRS.format(0, 0, 2)),
        (
            "[ -d .agents ] || exit 1; echo hello > greeting.txt",
            "unavailable",
            "PROVES NOTHING (host failed, owner host)",
        ),
    ],
)
def test_r52_the_summary_says_what_the_cells_say(
    skilltrial: Command, greeter: Callable[..., Path], agent: str, outcome: str, says: str
) -> None:
    suite = greeter(f"#!/bin/sh\n{agent}\n")

    ran = skilltrial("run", suite, "--out", "run", "--attempts", "2", "--format", "json", "--retries", "0", *AGENT)

    (summary,) = ran.report["pair_summary"]
    assert (summary["n"], summary[outcome]) == (2, 2)
    for one in ran.report["counts"]:
        trials = [
            trial
            for trial in ran.trials.values()
            if trial["key"]["arm"] == one["arm"]
            and one["case"] in (None, trial["key"]["case"])
            and one["polarity"] in (None, trial["polarity"])
        ]
        assert one["n"] == len(trials)
        for kind in ("passed", "failed", "unverified", "incomplete", "skipped"):
            assert one[kind] == sum(trial["verdict"]["kind"] == kind for trial in trials)
    assert says in skilltrial("grade", "run").out


# --- R54: a baseline is the default ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "outcome", "code"),
    [
        ("echo hello > greeting.txt", "tied-pass", 0),
        ("[ -d .agents ] && echo hello > greeting.txt; exit 0", "improved", 0),
        ("[ -d .agents ] || echo hello > greeting.txt", "regressed", 1),
    ],
    ids=["useless", "decisive", "harmful"],
)
def test_r54_a_suite_that_says_nothing_of_arms_is_run_without_the_skill_too(
    skilltrial: Command, greeter: Callable[..., Path], agent: str, outcome: str, code: int
) -> None:
    ran = skilltrial("run", greeter(f"#!/bin/sh\n{agent}\n"), "--out", "run", "--format", "json", *AGENT)

    assert ran.code == code
    assert {trial["key"]["arm"] for trial in ran.trials.values()} == {"with_skill", "without_skill"}
    assert [(pair["reference"], pair["outcome"]) for pair in ran.report["pairs"]] == [("without_skill", outcome)]


# --- R64: runs are kept and judged again without a model ------------------------------------------------------------


@pytest.mark.parametrize("gone", ["suite", "workspace and skill", "the folder moved"])
def test_r64_an_archive_is_judged_again_without_anything_it_was_made_of(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, gone: str
) -> None:
    suite = greeter()
    ran = skilltrial("run", suite, "--out", "run", "--format", "json", *AGENT)
    archive = tmp_path / "run"
    if gone == "suite":
        suite.unlink()
    elif gone == "workspace and skill":
        for path in (tmp_path / "start" / "agent.sh", tmp_path / "greeter" / "SKILL.md"):
            path.unlink()
    else:
        archive = archive.rename(tmp_path / "kept for years")

    again = skilltrial("grade", archive, "--format", "json", env={"PATH": "/nowhere"})

    assert (again.code, again.out) == (0, ran.out)


@pytest.mark.parametrize("version", [2, 0, "1", True, None])
def test_r64_an_archive_of_another_version_is_refused_by_name(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, version: object
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)
    manifest = tmp_path / "run" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "schema_version": version}))

    for command in ("grade", "verify"):
        refused = skilltrial(command, "run")
        assert refused.code == 4
        assert f"version {version!r}" in refused.err
        assert not refused.out
