"""Trying again where the host failed, never where the agent did, and what the failed tries cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")
EVENTS = ("--host", "portable", "--records", "events", "--", "./agent.sh")


def test_an_agent_that_fails_twice_and_then_works_passes_at_the_third_try(
    skilltrial: Command, greeter: Callable[..., Path], counting: Mapping[str, str], tmp_path: Path, counts: str
) -> None:
    suite = greeter(f"#!/bin/sh\n{counts}[ $n -gt 2 ] || exit 9\necho hello > greeting.txt\n")

    ran = skilltrial(
        "run", suite, "--arm", "with_skill", "--out", "run", "--format", "json", "--pass-env", "COUNT", *AGENT,
        env=counting,
    )  # fmt: skip

    assert ran.code == 0, ran.err
    trial = ran.trials["greet/with_skill/1"]
    assert (trial["verdict"]["kind"], trial["tries"], trial["exit_codes"]) == ("passed", 3, [0])
    folder = tmp_path / "run" / "trials" / "greet" / "with_skill" / "1"
    for earlier in ("1", "2"):
        assert '\\"code\\": 9' in (folder / "tries" / earlier / "host.jsonl").read_text()


@pytest.mark.parametrize(
    ("agent", "kind"),
    [("exit 9", "incomplete"), ("true", "failed"), ("sleep 5", "incomplete")],
    ids=["host failed", "agent failed", "too slow"],
)
def test_without_retries_every_trial_is_one_session_and_what_the_agent_did_is_never_tried_again(
    skilltrial: Command,
    greeter: Callable[..., Path],
    counting: Mapping[str, str],
    tmp_path: Path,
    agent: str,
    kind: str,
    *,
    counts: str,
    started_times: Callable[[Path], int],
) -> None:
    suite = greeter(f"#!/bin/sh\n{counts}{agent}\n")
    suite.write_text("limits: {seconds: 1}\n" + suite.read_text())
    # What is the agent's own is not tried again even where retries are allowed.
    retries = ("--retries", "0") if agent == "exit 9" else ("--retries", "2")

    ran = skilltrial(
        "run", suite, "--arm", "with_skill", "--out", "run", "--format", "json", "--pass-env", "COUNT", *retries,
        *AGENT, env=counting,
    )  # fmt: skip

    trial = ran.trials["greet/with_skill/1"]
    assert (trial["verdict"]["kind"], trial["tries"]) == (kind, 1)
    assert started_times(tmp_path) == 1


@pytest.mark.parametrize(
    ("line", "ending", "owner"),
    [
        ('{"type": "SessionEnded", "ending": "host_failed", "cause": "auth"}', "host_failed", "operator"),
        ('{"type": "SessionEnded", "ending": "completed"}', "completed", "model"),
        ('{"type": "SessionEnded", "ending": "host_failed", "cause": "server"}', "host_failed", "model"),
        ('{"type": "TurnEnded", "answer": "Done."}', "invalid_events", "host"),
        ("plain talk", "invalid_events", "host"),
    ],
    ids=["login refused, exit 0", "no turn of a model", "error told, exit 0", "no end", "no events"],
)
def test_r42_a_refused_model_is_never_a_pass_whatever_lies_in_the_project(
    skilltrial: Command,
    greeter: Callable[..., Path],
    counting: Mapping[str, str],
    line: str,
    ending: str,
    owner: str,
    *,
    events: Callable[..., str],
) -> None:
    ran = skilltrial(
        "run", greeter(events(line)), "--out", "run", "--format", "json", "--retries", "0", "--pass-env", "COUNT",
        *EVENTS, env=counting,
    )  # fmt: skip

    assert ran.code == 3
    for trial in ran.trials.values():
        assert trial["ending"] == ending
        assert (trial["verdict"]["kind"], trial["verdict"]["owner"]) == ("incomplete", owner)


@pytest.mark.parametrize(
    ("first", "earlier", "last"),
    [
        ('{"type": "Usage", "input": 100, "output": 7}', (100, 7), (10, 1)),
        ('{"type": "Usage", "input": 100, "output": 7}\n{"type": "Usage", "input": 5, "output": 2}', (105, 9), (10, 1)),
        ('{"type": "Usage", "input": 100}', (100, None), (10, 1)),
    ],
    ids=["one", "two turns", "one count unknown"],
)
def test_r59_what_failed_tries_cost_is_in_the_ledger_and_apart_from_the_result(
    skilltrial: Command,
    greeter: Callable[..., Path],
    counting: Mapping[str, str],
    first: str,
    earlier: tuple[int | None, int | None],
    last: tuple[int, int],
    *,
    counts: str,
) -> None:
    broken = first + '\n{"type": "SessionEnded", "ending": "host_failed", "cause": "server"}'
    works = (
        '{"type": "Usage", "input": 10, "output": 1}\n{"type": "TurnEnded", "answer": "Done."}\n'
        '{"type": "SessionEnded", "ending": "completed"}'
    )
    agent = (
        f"#!/bin/sh\n{counts}if [ $n = 1 ]; then cat <<'EOF'\n{broken}\nEOF\nelse echo hello > greeting.txt; "
        f"cat <<'EOF'\n{works}\nEOF\nfi\n"
    )

    ran = skilltrial(
        "run", greeter(agent), "--arm", "with_skill", "--out", "run", "--format", "json", "--pass-env", "COUNT",
        *EVENTS, env=counting,
    )  # fmt: skip

    assert ran.code == 0, ran.err
    trial = ran.trials["greet/with_skill/1"]
    assert trial["tries"] == 2
    assert tuple(trial["usage"][name] for name in ("input", "output")) == last
    assert tuple(trial["usage_of_earlier_tries"][name] for name in ("input", "output")) == earlier
