"""Doubles of programs from the suite to the report: on the reference agent, and where a host can't have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PORTABLE = ("--host", "portable", "--out", "run", "--format", "json")
SUITE = Path(__file__).parent / "data" / "release.yaml"


def wire(archive: Path, label: str) -> list[dict[str, Any]]:
    lines = (archive / "trials/push/plain" / label / "fixture-tools.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(json.loads(line)["raw"]) for line in lines]


def test_a_suite_with_doubles_is_rehearsed_on_a_command_of_which_only_files_are_seen(
    skilltrial: Any, tmp_path: Path
) -> None:
    ran = skilltrial(
        "rehearse", SUITE, "--out", "run", "--format", "json", "--host", "portable", "--", "skilltrial-agent"
    )

    assert ran.code == 0, ran.out + ran.err
    assert {one["rehearsal"]: one["got"] for one in ran.report["rehearsal"]["promises"]} == {
        "honest": "passed",
        "publishes": "failed",
        "boasts": "failed",
        "null": "failed",
        "talker": "failed",
        "wrecker": "failed",
    }
    notes = wire(tmp_path / "run", "honest")
    assert [(note["tool"], note["arguments"]["argv"]) for note in notes if note["wire"] == "called"] == [
        ("git", ["push", "origin"]),
        ("gh", ["pr", "create"]),
        ("git", ["--version"]),
    ]
    last = notes[-1]
    assert last["because"] == "forwarded"
    assert last["result"]["stdout"].startswith("git version")
    assert (
        "None of the programs of tools was called in 4 trials: that they were in reach is not shown."
        in (ran.report["limitations"])
    )


def test_a_host_that_could_not_be_reached_by_programs_skips_the_case_by_name(skilltrial: Any) -> None:
    ran = skilltrial("run", SUITE, *PORTABLE, "--home", "own", "--", "true")

    assert ran.code == 3
    assert [one["verdict"]["reason"] for one in ran.report["trials"]] == ["needs_programs"]


def test_an_agent_that_takes_the_doubles_away_shows_nothing(skilltrial: Any, lay: Any, tmp_path: Path) -> None:
    lay({"agent": "#!/bin/sh\ncat > /dev/null\nrm -rf $TMPDIR/*\ngit push origin\n"})

    ran = skilltrial(
        *("run", SUITE, "--out", "run", "--format", "json", "--retries", "0"),
        "--host",
        "portable",
        "--",
        tmp_path / "agent",
    )

    assert ran.code == 3, ran.out + ran.err
    (trial,) = ran.report["trials"]
    assert (trial["verdict"]["kind"], trial["verdict"]["owner"]) == ("incomplete", "fixture")
