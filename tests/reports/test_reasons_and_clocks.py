"""What goes wrong has a reason, an owner, a clock and its limit's name (`test_rNN`: our list of reports)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
BARE = "arms: [{id: bare}]\ngate: {arm: bare}\n"


# --- R48: every failure has a reason and an owner, every try is kept -------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "kind", "owner"),
    [
        ("true", "failed", "agent"),
        ("exit 4", "incomplete", "host"),
        ("sleep 9", "incomplete", "agent"),
        ("yes", "incomplete", "agent"),
        ("kill -SEGV $$", "incomplete", "host"),
    ],
    ids=["did nothing", "exit 4", "hangs", "floods", "crashes"],
)
def test_r48_whatever_goes_wrong_has_a_reason_an_owner_and_its_records(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, agent: str, kind: str, owner: str
) -> None:
    suite = greeter(f"#!/bin/sh\necho begun\n{agent}\n")
    suite.write_text("limits: {seconds: 1, stdout: 200000}\n" + suite.read_text())

    ran = skilltrial("run", suite, "--out", "run", "--format", "json", "--retries", "0", *AGENT)

    for key, trial in ran.trials.items():
        assert (trial["verdict"]["kind"], trial["verdict"]["owner"]) == (kind, owner)
        assert trial["verdict"]["reason"]
        assert '"begun"' in (tmp_path / "run" / "trials" / key / "host.jsonl").read_text()
    text = " ".join(skilltrial("grade", "run").out.split())
    found = text.partition("Not passed")[2]
    assert found.count(f"owner {owner}") == (len(ran.trials) if kind == "incomplete" else 0)
    assert found.count("because: ") == (kind == "failed"), "each check of the arm that decides"


# --- R61: separate clocks; a limit names its setting ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "agent", "after", "slow"),
    [
        ("sleep 0.5", "true", "true", "setup_seconds"),
        ("true", "sleep 0.5", "true", "agent_seconds"),
        ("true", "true", "sleep 0.5", None),
    ],
)
def test_r61_the_time_of_the_agent_is_its_own(
    skilltrial: Command, lay: Lay, setup: str, agent: str, after: str, slow: str | None
) -> None:
    lay(
        {
            "start/agent.sh": f"#!/bin/sh\ncat > /dev/null\n{agent}\necho yes > answer.txt\n",
            "s.trial.yaml": f"{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: start\n    setup: ['{setup}']\n"
            f"    after: ['{after}']\n    expect: [{{files: answer.txt, exists: true}}]\n",
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", "--format", "json", "--allow-commands", *AGENT)

    assert ran.code == 0, ran.err
    trial = ran.trials["c/bare/1"]
    for clock in ("setup_seconds", "agent_seconds"):
        assert (trial[clock] >= 0.5) is (clock == slow), trial


@pytest.mark.parametrize(
    ("limits", "agent", "ending", "setting"),
    [
        ("seconds: 1", "sleep 9", "time_limit", "limits.seconds"),
        ("stdout: 100000", "yes", "output_limit", "limits.stdout"),
        ("stderr: 100000", "yes >&2", "output_limit", "limits.stderr"),
    ],
)
def test_r61_a_limit_that_ended_a_trial_is_named_with_its_value(
    skilltrial: Command, lay: Lay, limits: str, agent: str, ending: str, setting: str
) -> None:
    lay(
        {
            "start/agent.sh": f"#!/bin/sh\n{agent}\n",
            "s.trial.yaml": f"limits: {{{limits}}}\n{BARE}cases:\n  c:\n    prompt: Do it.\n    workspace: start\n"
            "    expect: [{files: answer.txt, exists: true}]\n",
        }
    )

    ran = skilltrial("run", "s.trial.yaml", "--out", "run", *AGENT)

    assert ran.code == 3
    assert ending.replace("_", " ") in ran.out
    value = limits.partition(": ")[2]
    assert f"The setting {setting} ({value} " in " ".join(ran.out.split())
