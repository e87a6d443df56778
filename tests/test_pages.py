"""What a run prints where: terminals, pipes, encodings, workflow summaries."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--", "./agent.sh")


def test_the_summary_of_a_workflows_step_gets_the_same_as_markdown(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")

    ran = skilltrial("run", greeter(), "--out", "run", *AGENT, env={"GITHUB_STEP_SUMMARY": str(summary)})

    assert ran.code == 0, ran.err
    text = summary.read_text(encoding="utf-8")
    assert text == "before\n" + skilltrial("grade", "run", "--report", "markdown").out
    assert "CAN'T TELL" in text


def test_a_summary_that_can_not_be_written_costs_a_note(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    ran = skilltrial("run", greeter(), "--out", "run", *AGENT, env={"GITHUB_STEP_SUMMARY": "/nowhere/at/all"})

    assert ran.code == 0
    assert "note: the step's summary can't be written" in ran.err


def test_where_circles_can_not_be_written_the_page_is_ascii(skilltrial: Command, greeter: Callable[..., Path]) -> None:
    agent = '#!/bin/sh\ncat > /dev/null\necho "grüß ●" > greeting.txt\n'
    ran = skilltrial("run", greeter(agent), "--out", "run", *AGENT, env={"PYTHONIOENCODING": "ascii"})

    assert ran.code == 1, ran.err
    assert ran.out.isascii()
    assert "o 0/1" in ran.out
    assert "\\u25cf" in ran.out
    assert "○ 0/1" in skilltrial("grade", "run", env={"PYTHONIOENCODING": "utf-8"}).out


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_a_page_fits_a_pipe_of_any_width_without_colour(
    skilltrial: Command, greeter: Callable[..., Path], columns: str
) -> None:
    ran = skilltrial("run", greeter("#!/bin/sh\nexit 0\n"), "--out", "run", *AGENT, env={"COLUMNS": columns})

    assert ran.code == 1
    assert max(map(len, ran.out.splitlines())) <= int(columns)
    assert "\x1b" not in ran.out + ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
@pytest.mark.parametrize("no_colour", [True, False])
def test_a_terminal_gets_colour_unless_it_is_not_wanted(
    skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path, no_colour: bool
) -> None:
    skilltrial("run", greeter(), "--out", "run", *AGENT)

    shown = _on_a_terminal(["grade", "run"], tmp_path, {"NO_COLOR": "1"} if no_colour else {})

    assert "CAN'T TELL" in shown
    assert ("\x1b[" in shown) is not no_colour


def _on_a_terminal(arguments: list[str], cwd: Path, more: dict[str, str]) -> str:
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "skilltrial", *arguments],
        cwd=cwd,
        env={**environment, "TERM": "xterm", "COLUMNS": "80", **more},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    shown = b""
    while process.poll() is None or select.select([ours], [], [], 0)[0]:
        if not select.select([ours], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    process.wait()
    os.close(ours)
    return shown.decode("utf-8")


def test_r54_the_arm_without_the_skill_is_there_unless_it_is_left_out(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    """A useless and a decisive skill do not look alike: the baseline is a default, and its absence a headline."""
    useless = skilltrial("run", greeter("#!/bin/sh\necho hello > greeting.txt\n"), "--out", "useless", *AGENT)
    decisive = skilltrial("run", greeter(), "--out", "decisive", *AGENT)
    alone = skilltrial("run", greeter(), "--out", "alone", "--arm", "with_skill", *AGENT)

    assert "NO DIFFERENCE SEEN" in useless.out
    assert "1 better, 0 worse" in decisive.out
    assert "CAN'T TELL (nothing to compare with)" in alone.out


def test_r41_an_agent_that_does_not_start_proves_nothing_and_costs_one_session(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    """No trial scores 0 for it: they are incomplete, and the run ends with the first."""
    agent = "#!/bin/sh\necho 'error: unexpected argument --flag' >&2\nexit 2\n"
    ran = skilltrial("run", greeter(agent), "--out", "run", "--attempts", "8", "--jobs", "1", "--retries", "0", *AGENT)

    assert ran.code == 3
    assert (
        "PROVES NOTHING (host failed, owner host)" in ran.out or "PROVES NOTHING (not run, owner operator)" in ran.out
    )
    report = json.loads(skilltrial("grade", "run", "--format", "json").out)
    assert {trial["verdict"]["kind"] for trial in report["trials"]} == {"incomplete"}
    assert sum(trial["ending"] is not None for trial in report["trials"]) <= 3


def test_a_timeout_is_never_shown_as_a_skill_that_was_not_opened(
    skilltrial: Command, greeter: Callable[..., Path]
) -> None:
    suite = greeter("#!/bin/sh\nsleep 30\n")
    suite.write_text("limits: {seconds: 1}\n" + suite.read_text())

    ran = skilltrial("run", suite, "--out", "run", "--retries", "0", *AGENT)

    assert ran.code == 3
    assert "time limit" in ran.out
    assert "not shown" in ran.out
    report = json.loads(skilltrial("grade", "run", "--format", "json").out)
    for trial in report["trials"]:
        assert all(row["reason"] != "not_observed" for row in trial["trigger"])
