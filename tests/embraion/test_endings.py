"""How a run of an EmbrAIon suite ends: its exit codes, its pairs, and sessions that do not end well."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
EAGER = "#!/bin/sh\ncat > /dev/null\necho hello > greeting.txt\n"


def test_embraion_02_a_tie_of_passes_is_no_failure_and_sources_stay_as_they_were(
    run: Command, greetings: Callable[..., Path], tmp_path: Path, canary: str
) -> None:
    suite = greetings(EAGER)

    ran = run(suite)

    assert ran.code == 0
    report = ran.report
    assert report["summary"] == {variant: {"total": 2, "behavior-passed": 2} for variant in ("baseline", "candidate")}
    assert [one["candidate-vs"] for one in report["pairs"]] == [{"baseline": "tied-pass"}] * 2
    for told in (canary, "hello", "agent.sh", str(tmp_path)):
        assert told not in ran.out
    assert sorted(path.name for path in (tmp_path / "start").iterdir()) == ["agent.sh"]


def test_an_improvement_that_is_not_perfect_fails(
    run: Command,
    greetings: Callable[..., Path],
    document: Callable[..., dict[str, Any]],
    outcomes: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    document_ = document(
        {"type": "file-exists", "path": "greeting.txt"}, {"type": "file-contains", "path": "greeting.txt", "text": "?"}
    )

    ran = run(greetings(EAGER, document_), "--attempts", "1")

    assert ran.code == 1
    assert outcomes(ran.report) == {"greet/baseline/1": False, "greet/candidate/1": False}
    assert [one["passed"] for one in ran.report["runs"][1]["checks"]] == [True, False]


def test_embraion_81_12_each_way_to_end_has_a_code_of_its_own(run: Command, greetings: Callable[..., Path]) -> None:
    suite = greetings("#!/bin/sh\ncat > /dev/null\n")

    failed = run(suite)
    missing = run(suite, "--out", "run2", agent=("--host", "portable", "--", "./nowhere.sh"))
    invalid = run(suite, "--timeout", "3601")

    assert (failed.code, missing.code, invalid.code) == (1, 3, 2)
    assert {one["host"]["status"] for one in missing.report["runs"]} == {"host-unavailable"}
    assert missing.report["pair-summary"]["baseline"]["unavailable"] == 2
    assert "timeout" in invalid.err


@pytest.mark.parametrize(
    ("agent", "status"),
    [
        ("#!/bin/sh\nsleep 10\n", "timeout"),
        ("#!/bin/sh\nhead -c 3000000 /dev/zero\nsleep 10\n", "output-limit"),
        ("#!/bin/sh\nhead -c 3000000 /dev/zero >&2\nsleep 10\n", "output-limit"),
        ("#!/bin/sh\necho hello > greeting.txt\nexit 3\n", "host-failed"),
    ],
    ids=["too long", "too much on stdout", "too much on stderr", "exit 3"],
)
def test_embraion_03_and_17_a_session_that_does_not_end_well_is_no_pass_and_no_missing_trigger(
    run: Command,
    greetings: Callable[..., Path],
    agent: str,
    status: str,
    outcomes: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    limit = "1" if status == "timeout" else "60"

    ran = run(greetings(agent), "--attempts", "1", "--timeout", limit, within=60)

    assert ran.code == 3
    assert {one["host"]["status"] for one in ran.report["runs"]} == {status}
    assert set(outcomes(ran.report).values()) == {False}
    assert {check["passed"] for one in ran.report["runs"] for check in one["checks"]} == {None}
    assert {kind for one in ran.report["runs"] for kind in one["trigger-evidence"].values()} == {"unverified"}
    assert ran.report["pairs"][0]["candidate-vs"] == {"baseline": "unavailable"}


def test_exactly_2000000_bytes_are_no_fault(run: Command, greetings: Callable[..., Path]) -> None:
    agent = "#!/bin/sh\nhead -c 2000000 /dev/zero\nhead -c 2000000 /dev/zero >&2\necho hello > greeting.txt\n"

    assert run(greetings(agent), "--attempts", "1").code == 0


def test_embraion_05_the_time_limit_ends_the_whole_tree(
    run: Command, greetings: Callable[..., Path], still_running: Callable[[Path], list[int]], tmp_path: Path
) -> None:
    suite = greetings('#!/bin/sh\nsleep 300 &\necho $! $$ >> "$PIDS"\nsleep 300\n')
    pids = tmp_path / "pids"

    ran = run(suite, "--attempts", "1", "--timeout", "1", "--pass-env", "PIDS", env={"PIDS": str(pids)})

    assert ran.code == 3
    assert len(pids.read_text().split()) == 4
    assert still_running(pids) == []
