"""Stopping early where no agent can be started or nothing is shown; a rehearsal does neither."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")


@pytest.mark.parametrize(("agent", "says"), [("no-such-agent-anywhere", "is on PATH"), ("/etc", "is a folder")])
def test_r41_a_program_that_is_known_not_to_start_is_refused(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, agent: str, says: str
) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--host", "portable", "--", agent)

    assert ran.code == 2
    assert says in ran.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "agent", [("./not-there.sh",), ("./greeting-program",)], ids=["not in the project", "not executable"]
)
def test_r41_a_program_that_can_not_be_started_stops_the_run_at_once(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, agent: tuple[str, ...]
) -> None:
    suite = greeter()
    (tmp_path / "start" / "greeting-program").write_text("#!/bin/sh\n")
    begun = time.monotonic()

    ran = skilltrial(
        "run", suite, "--out", "run", "--attempts", "5", "--jobs", "1", "--format", "json", "--host", "portable", "--",
        *agent,
    )  # fmt: skip

    assert ran.code == 3, ran.err
    endings = [trial["ending"] for trial in ran.trials.values()]
    assert endings.count("host_unavailable") == 1
    assert endings.count(None) == 9
    assert "stopped:" in ran.err
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("agent", ["exit 2", "kill -9 $$", "echo 'unknown option --flag' >&2; exit 64"])
def test_r41_three_trials_in_a_row_that_show_nothing_stop_the_run(
    skilltrial: Command,
    greeter: Callable[..., Path],
    counting: Mapping[str, str],
    tmp_path: Path,
    agent: str,
    *,
    counts: str,
    started_times: Callable[[Path], int],
) -> None:
    suite = greeter(f"#!/bin/sh\n{counts}{agent}\n")

    ran = skilltrial(
        "run", suite, "--out", "run", "--attempts", "5", "--jobs", "1", "--retries", "0", "--format", "json",
        "--pass-env", "COUNT", *AGENT, env=counting,
    )  # fmt: skip

    assert ran.code == 3
    assert started_times(tmp_path) == 3
    assert [trial["ending"] for trial in ran.trials.values()].count(None) == 7
    assert any("The run stopped early: 3 trials in a row" in one for one in ran.report["limitations"])


def test_a_rehearsal_neither_tries_again_nor_stops(
    skilltrial: Command, lay: Lay, counting: Mapping[str, str], tmp_path: Path
) -> None:
    lay(
        {
            "start/agent.sh": "#!/bin/sh\nexit 9\n",
            "s.trial.yaml": "arms: [{id: bare}]\ngate: {arm: bare}\ncases:\n  c:\n    prompt: Do it.\n"
            "    workspace: start\n    expect: [{files: a.txt, exists: true}]\n"
            "    rehearsals: [{id: honest, expect: passed, script: [{say: Fine.}]}]\n",
        }
    )

    ran = skilltrial(
        "rehearse", "s.trial.yaml", "--out", "run", "--format", "json", "--dialect", "skilltrial-agent", "--jobs", "1",
        *AGENT,
    )  # fmt: skip

    assert ran.code == 3, ran.err
    assert len(ran.trials) == 4
    assert {(trial["ending"], trial["tries"]) for trial in ran.trials.values()} == {("host_failed", 1)}
