"""A run may end at any moment: what was sealed stays, what was not is run again, nothing is lost, nothing doubled."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
Lay = Callable[[Mapping[str, str]], None]
AGENT = ("--host", "portable", "--", "./agent.sh")
ROUNDS = int(os.environ.get("SKILLTRIAL_ROUNDS", "8"))
"""Runs that are killed at random, up to four times each; `make torture` plays some thousand kills."""
KILLS = 4

OBEYS_SLOWLY = """\
#!/bin/sh
cat > /dev/null
sleep 0.1
if [ -f .agents/skills/greeter/SKILL.md ]; then echo hello > greeting.txt; fi
"""
WAITS = """\
#!/bin/sh
cat > /dev/null
# The first to come goes on at once; the others wait until there is a file that lets them.
mkdir "$FIRST" 2>/dev/null || { while [ ! -e "$GO" ]; do sleep 0.05; done; }
if [ -f .agents/skills/greeter/SKILL.md ]; then echo hello > greeting.txt; fi
"""


def journal(archive: Path) -> Counter[str]:
    """How often each trial was sealed, by the journal."""
    lines = (archive / "journal.jsonl").read_text().splitlines()
    return Counter(json.loads(line)["trial"] for line in lines)


def sealed(archive: Path) -> int:
    """How many trials are sealed."""
    return len(list((archive / "trials").glob("*/*/*/seal.json")))


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_run_that_is_killed_four_times_and_resumed_is_as_good_as_an_undisturbed_one(
    skilltrial: Command, started: Callable[..., Any], greeter: Callable[..., Path], tmp_path: Path, seed: int
) -> None:
    suite, archive = greeter(OBEYS_SLOWLY), tmp_path / "run"
    first = ("run", suite, "--out", "run", "--attempts", "5", "--seed", seed, "--jobs", "2", *AGENT)
    again = ("run", "--resume", "run")
    moments = random.Random(seed)

    killed = 0
    while killed < KILLS and not (archive / "manifest.json").exists():
        began = archive.exists()
        runner = started(*map(str, again if began else first))
        if began or killed:
            time.sleep(moments.uniform(0.1, 1.2))
        else:
            time.sleep(moments.uniform(0.3, 1.0))
        runner.kill()
        runner.communicate()
        killed += 1
    command, *rest = again if archive.exists() else first
    ran = skilltrial(command, "--format", "json", *rest)

    assert ran.code == 0, ran.err
    assert all(verdict == ("passed" if "/with_skill/" in key else "failed") for key, verdict in ran.verdicts.items())
    assert Counter(ran.verdicts.values()) == {"passed": 5, "failed": 5}
    assert set(journal(archive).values()) == {1}
    assert len(journal(archive)) == sealed(archive) == 10
    assert {trial["tries"] for trial in ran.trials.values()} == {1}
    assert skilltrial("verify", "run").code == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".run")] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("more", [0, 1, 3])
def test_an_interrupt_seals_what_is_finished_and_resume_does_the_rest(
    skilltrial: Command, started: Callable[..., Any], greeter: Callable[..., Path], eventually: Any, tmp_path: Path,
    *, number: int, more: int,
) -> None:  # fmt: skip
    suite, archive = greeter(WAITS), tmp_path / "run"
    env = {"FIRST": str(tmp_path / "first"), "GO": str(tmp_path / "go")}
    passed = ("--pass-env", "FIRST", "--pass-env", "GO")
    runner = started("run", suite, "--out", "run", "--attempts", "2", "--jobs", "2", *passed, *AGENT, env=env)
    eventually(lambda: archive.exists() and sealed(archive), runner)

    # A second and a third Ctrl-C must not make it worse.
    for _ in range(1 + more):
        runner.send_signal(number)
    out, err = runner.communicate(timeout=30)

    assert runner.returncode == 130, err
    assert "interrupted" in err
    assert "--resume" in err
    assert "The run was interrupted." in out
    assert sealed(archive) == 1
    assert skilltrial("verify", "run").code == 0
    partial = skilltrial("grade", "run", "--format", "json")
    assert partial.code == 3
    assert Counter(one["verdict"]["reason"] for one in partial.trials.values())["not_run"] == 3

    (tmp_path / "go").touch()
    whole = skilltrial("run", "--resume", "run", "--format", "json", env=env)

    assert whole.code == 0, whole.err
    assert Counter(whole.verdicts.values()) == {"passed": 2, "failed": 2}
    assert set(journal(archive).values()) == {1}
    assert "The run was interrupted." not in whole.report["limitations"]
    assert skilltrial("grade", "run", "--format", "json").out == whole.out


def test_an_interrupt_before_the_first_trial_has_ended_leaves_an_archive_that_can_be_taken_up(
    skilltrial: Command, started: Callable[..., Any], greeter: Callable[..., Path], eventually: Any, tmp_path: Path
) -> None:
    suite = greeter('#!/bin/sh\ntouch "$FIRST"; [ -e "$GO" ] || sleep 60\necho hello > greeting.txt\n')
    env = {"FIRST": str(tmp_path / "first"), "GO": str(tmp_path / "go")}
    runner = started("run", suite, "--out", "run", "--pass-env", "FIRST", "--pass-env", "GO", *AGENT, env=env)
    eventually((tmp_path / "first").exists, runner)

    runner.send_signal(signal.SIGINT)
    runner.communicate(timeout=30)

    assert runner.returncode == 130
    assert skilltrial("grade", "run").code == 3
    (tmp_path / "go").touch()
    assert skilltrial("run", "--resume", "run", env=env).code == 0


def test_the_runner_and_its_agents_end_together_when_a_terminal_sends_both_the_interrupt(
    greeter: Callable[..., Path], started: Callable[..., Any], eventually: Any, tmp_path: Path, still_running: Any
) -> None:
    suite = greeter('#!/bin/sh\nsleep 60 &\necho $! $$ >> "$PIDS"\nwait\n')
    pids = tmp_path / "pids"
    runner = started("run", suite, "--out", "run", "--pass-env", "PIDS", *AGENT, env={"PIDS": str(pids)})
    eventually(lambda: pids.exists() and len(pids.read_text().split()) == 4, runner)

    runner.send_signal(signal.SIGINT)
    runner.communicate(timeout=30)

    assert runner.returncode == 130
    assert still_running(pids) == []


def test_a_second_runner_on_one_archive_is_refused_and_harms_nothing(
    skilltrial: Command, started: Callable[..., Any], greeter: Callable[..., Path], eventually: Any, tmp_path: Path
) -> None:
    suite = greeter(WAITS)
    env = {"FIRST": str(tmp_path / "first"), "GO": str(tmp_path / "go")}
    passed = ("--pass-env", "FIRST", "--pass-env", "GO")
    runner = started("run", suite, "--out", "run", *passed, "--jobs", "2", *AGENT, env=env)
    eventually(lambda: (tmp_path / "run").exists() and sealed(tmp_path / "run"), runner)

    for arguments in (("run", "--resume", "run"), ("run", suite, "--out", "run", *passed, *AGENT)):
        refused = skilltrial(*arguments, env=env)
        assert refused.code == 2, refused.err
        assert "another runner" in refused.err or "not empty" in refused.err

    (tmp_path / "go").touch()
    runner.communicate(timeout=30)
    assert runner.returncode == 0
    assert skilltrial("verify", "run").code == 0


def test_a_whole_run_has_nothing_to_take_up_and_stays_as_it_is(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", "--format", "json", *AGENT)
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}

    for arguments in (("run", "--resume", "run"), ("run", "--resume", "run", "--incomplete")):
        again = skilltrial(*arguments, "--format", "json")
        assert (again.code, again.out) == (0, ran.out)
        assert "nothing to take up" in again.err

    assert {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()} == before


def test_trials_that_were_sealed_as_incomplete_are_run_again_when_asked_for(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    suite = greeter('#!/bin/sh\n[ -e "$GO" ] || exit 7\necho hello > greeting.txt\n')
    env = {"GO": str(tmp_path / "go")}
    broken = skilltrial(
        "run", suite, "--out", "run", "--format", "json", "--retries", "0", "--pass-env", "GO", *AGENT, env=env
    )
    assert set(broken.verdicts.values()) == {"incomplete"}
    (tmp_path / "go").touch()

    same = skilltrial("run", "--resume", "run", "--format", "json", env=env)
    mended = skilltrial("run", "--resume", "run", "--incomplete", "--format", "json", env=env)

    assert same.code == 3
    assert mended.code == 0, mended.err
    assert set(mended.verdicts.values()) == {"passed"}
    assert {trial["tries"] for trial in mended.trials.values()} == {2}
    assert skilltrial("verify", "run").code == 0
    assert len(list((tmp_path / "run" / "trials").glob("*/*/*/tries/1/host.jsonl"))) == 2


def interrupted(started: Any, eventually: Any, suite: Path, tmp_path: Path, *arguments: str) -> dict[str, str]:
    """A run that was interrupted after its first trial; returns the environment that its agent needs."""
    env = {"FIRST": str(tmp_path / "first"), "GO": str(tmp_path / "go")}
    passed = ("--pass-env", "FIRST", "--pass-env", "GO")
    runner = started("run", suite, "--out", "run", "--jobs", "2", *passed, *arguments, env=env)
    eventually(lambda: (tmp_path / "run").exists() and sealed(tmp_path / "run"), runner)
    runner.send_signal(signal.SIGINT)
    runner.communicate(timeout=30)
    (tmp_path / "go").touch()
    return env


def test_a_host_program_that_changed_since_is_refused(
    skilltrial: Command, started: Callable[..., Any], greeter: Callable[..., Path], eventually: Any, tmp_path: Path
) -> None:
    suite = greeter(WAITS)
    program = tmp_path / "agent.sh"
    program.write_text(WAITS)
    program.chmod(0o755)
    env = interrupted(started, eventually, suite, tmp_path, "--host", "portable", "--", str(program))
    program.write_text(WAITS + "# another version\n")

    refused = skilltrial("run", "--resume", "run", env=env)

    assert refused.code == 2
    assert "no longer the program" in refused.err
    program.write_text(WAITS)
    assert skilltrial("run", "--resume", "run", env=env).code == 0


def test_an_option_that_held_a_credential_must_be_given_again(
    skilltrial: Command, started: Callable[..., Any], greeter: Callable[..., Path], eventually: Any, tmp_path: Path,
    holders: Callable[..., list[str]],
) -> None:  # fmt: skip
    suite = greeter(WAITS)
    command = ("--host", "portable", "--", "./agent.sh", "--key=Blue-Heron-1234")
    env = {"FIRST": str(tmp_path / "first"), "GO": str(tmp_path / "go"), "KEY": "Blue-Heron-1234"}
    passed = ("--pass-env", "FIRST", "--pass-env", "GO", "--pass-env", "KEY")
    runner = started("run", suite, "--out", "run", "--jobs", "2", *passed, *command, env=env)
    eventually(lambda: (tmp_path / "run").exists() and sealed(tmp_path / "run"), runner)
    runner.send_signal(signal.SIGINT)
    runner.communicate(timeout=30)
    (tmp_path / "go").touch()

    refused = skilltrial("run", "--resume", "run", env=env)

    assert refused.code == 2
    assert "give it again" in refused.err
    assert "Blue-Heron" not in refused.err
    done = skilltrial("run", "--resume", "run", "--", "./agent.sh", "--key=Blue-Heron-1234", env=env)
    assert done.code == 0, done.err
    assert holders(tmp_path / "run", "Blue-Heron") == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("greeter.trial.yaml",), ("--attempts", "3"), ("--seed", "1"), ("--arm", "with_skill"), ("--out", "other"),
        ("--host", "codex"), ("--pass-env", "X"), ("--case", "greet"),
    ],
)  # fmt: skip
def test_what_the_archive_says_can_not_be_asked_for_otherwise(
    skilltrial: Command, greeter: Callable[..., Path], arguments: tuple[str, ...]
) -> None:
    greeter()

    refused = skilltrial("run", "--resume", "run", *arguments)

    assert refused.code == 2
    assert "--resume" in refused.err


def test_a_variable_that_is_not_passed_any_more_is_named(
    skilltrial: Command, started: Callable[..., Any], greeter: Callable[..., Path], eventually: Any, tmp_path: Path
) -> None:
    env = interrupted(started, eventually, greeter(WAITS), tmp_path, *AGENT)

    refused = skilltrial("run", "--resume", "run")

    assert refused.code == 2
    assert "FIRST" in refused.err
    assert skilltrial("run", "--resume", "last").code == 4, "there is no last run in this folder"
    assert skilltrial("run", "--resume", "run", env=env).code == 0


DOUBLE_FORKS = """\
#!/usr/bin/env python3
import os
told, tells = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        with open(os.environ["PIDS"], "a") as noted:
            noted.write(f"{os.getpid()}\\n")
        os.write(tells, b"x")
        os.closerange(0, 5)
        os.execve("/bin/sleep", ["sleep", "300"], {})
    os._exit(0)
os.wait()
os.read(told, 1)
open("greeting.txt", "w").write("hello")
"""


@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_session_leading_sleep_of_a_double_fork_is_gone_when_the_run_ends(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, still_running: Any, jobs: str
) -> None:
    suite = greeter(DOUBLE_FORKS)
    pids = tmp_path / "pids"

    ran = skilltrial(
        "run", suite, "--out", "run", "--attempts", "2", "--jobs", jobs, "--pass-env", "PIDS", *AGENT,
        env={"PIDS": str(pids)},
    )  # fmt: skip

    assert ran.code == 0, ran.err + ran.out
    time.sleep(0.05)
    assert len(pids.read_text().split()) == 4
    assert still_running(pids) == []
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) not in listed
