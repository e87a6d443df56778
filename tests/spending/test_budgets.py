"""Spending no more than allowed, and telling what was not run for that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")
EVENTS = ("--host", "portable", "--records", "events", "--", "./agent.sh")


@pytest.mark.parametrize(
    ("arguments", "agent", "flag"),
    [
        (("--max-sessions", "3"), "true", "--max-sessions"),
        (("--max-sessions", "3", "--jobs", "4"), "sleep 0.2", "--max-sessions"),
        (("--max-time", "0.4"), "sleep 0.3", "--max-time"),
        (("--max-tokens", "250"), "true", "--max-tokens"),
    ],
)
def test_a_budget_is_kept_and_what_was_not_run_is_told(
    skilltrial: Command,
    greeter: Callable[..., Path],
    counting: Mapping[str, str],
    tmp_path: Path,
    *,
    arguments: tuple[str, ...],
    agent: str,
    flag: str,
    events: Callable[..., str],
) -> None:
    told = events(
        '{"type": "Usage", "input": 90, "output": 10}', '{"type": "TurnEnded", "answer": "Done."}',
        '{"type": "SessionEnded", "ending": "completed"}', work=f"{agent}; echo hello > greeting.txt",
    )  # fmt: skip
    jobs = () if "--jobs" in arguments else ("--jobs", "1")

    ran = skilltrial(
        "run", greeter(told), "--out", "run", "--attempts", "4", "--format", "json", "--pass-env", "COUNT", *jobs,
        *arguments, *EVENTS, env=counting,
    )  # fmt: skip

    assert ran.code == 3, ran.err
    endings = [trial["ending"] for trial in ran.trials.values()]
    ran_at_all = len(endings) - endings.count(None)
    assert 1 <= ran_at_all <= 3
    if flag == "--max-tokens":
        assert ran_at_all == 2, "two of 100 tokens each; a third could go over 250"
    elif flag == "--max-sessions":
        assert ran_at_all == 3
    assert flag in ran.err
    reasons = {trial["verdict"]["reason"] for trial in ran.trials.values() if trial["ending"] is None}
    assert reasons == {"not_run"}
    assert any(flag in one for one in ran.report["limitations"])


def test_a_run_whose_budget_ended_is_finished_by_resume(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    skilltrial("run", greeter(), "--out", "run", "--max-sessions", "1", *AGENT)

    done = skilltrial("run", "--resume", "run", "--format", "json")

    assert done.code == 0, done.err
    assert not any("stopped early" in one for one in done.report["limitations"])


@pytest.mark.parametrize("budget", [("--max-cost", "5"), ("--max-tokens", "1000")])
def test_a_budget_of_what_the_host_does_not_show_is_refused(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, budget: tuple[str, str]
) -> None:
    refused = skilltrial("run", greeter(), "--out", "run", *budget, *AGENT)

    assert refused.code == 2
    assert budget[0] in refused.err
    assert "does not show" in refused.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("value", ["0", "-1", "much", "nan", "inf"])
@pytest.mark.parametrize("flag", ["--max-cost", "--max-sessions", "--max-time"])
def test_a_budget_of_nothing_is_no_budget(
    skilltrial: Command, greeter: Callable[..., Path], flag: str, value: str
) -> None:
    refused = skilltrial("run", greeter(), "--dry-run", flag, value, *AGENT)

    assert refused.code == 2
    assert flag in refused.err
