"""An EmbrAIon suite on a program that shows its events."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
KEY = {"CODEX_API_KEY": "sk-made-up-for-a-test"}
CODEX = """\
import json, os, pathlib, sys

if sys.argv[1:] == ["--version"]:
    print("codex-cli 0.171.0")
    sys.exit()
if sys.argv[1:2] == ["debug"]:
    print(json.dumps({"models": []}))
    sys.exit()
if sys.argv[1:] == ["login", "status"]:
    sys.exit(1)
prompt = sys.stdin.read()
with open(sys.argv[0] + ".starts", "a") as file:
    file.write(json.dumps({"argv": sys.argv[1:], "prompt": prompt}) + "\\n")


def say(**line):
    print(json.dumps(line), flush=True)


thread = "01a22be9-681c-7fa0-9e6c-1171cd5970da"
log = pathlib.Path(os.environ["CODEX_HOME"], "sessions/2026/11/30", f"rollout-2026-11-30T10-00-00-{thread}.jsonl")
log.parent.mkdir(parents=True)
rows = {"type": "session_meta", "payload": {"id": thread}}, {"type": "event_msg", "payload": {"type": "task_complete"}}
log.write_text("".join(json.dumps({"ordinal": number, **row}) + "\\n" for number, row in enumerate(rows)))
say(type="thread.started", thread_id=thread)
say(type="turn.started")
body = ".agents/skills/greeter/SKILL.md"
if pathlib.Path(body).exists():
    item = {"id": "i1", "type": "command_execution", "command": f"/bin/bash -lc 'cat {body}'"}
    say(type="item.started", item={**item, "aggregated_output": "", "exit_code": None, "status": "in_progress"})
    read = {"aggregated_output": pathlib.Path(body).read_text(), "exit_code": 0, "status": "completed"}
    say(type="item.completed", item={**item, **read})
MODE
say(type="item.completed", item={"id": "i2", "type": "agent_message", "text": "Done."})
pathlib.Path("greeting.txt").write_text("hello")
say(type="turn.completed", usage={"input_tokens": 12, "cached_input_tokens": 4, "output_tokens": 3})
"""
"""Stands in for Codex: it reads the skill, and prints what Codex prints."""


@pytest.fixture
def codex(tmp_path: Path) -> Callable[..., tuple[str, ...]]:
    """The arguments that run a stand-in for Codex; `mode` are lines that it goes through before it ends."""

    def make(mode: str = "") -> tuple[str, ...]:
        program = tmp_path / "codex"
        # By way of sh, since a `#!` line can name no Python whose path has a blank in it.
        program.write_text(f'#!/bin/sh\n"exec" "{sys.executable}" "$0" "$@"\n{CODEX.replace("MODE", mode)}')
        program.chmod(0o755)
        return ("--host", "codex", "--host-binary", str(program), "--pass-env", "CODEX_API_KEY")

    return make


def test_embraion_01_02_and_81_13_a_codex_run_is_told_with_its_tokens_and_the_skill_that_was_read(
    run: Command, greetings: Callable[..., Path], codex: Callable[..., tuple[str, ...]], tmp_path: Path, canary: str
) -> None:
    ran = run(greetings(), agent=(*codex(), "--model", "openai/gpt-5"), env=KEY)

    assert ran.code == 0, ran.err
    starts = [json.loads(line) for line in (tmp_path / "codex.starts").read_text().splitlines()]
    assert [start["prompt"] for start in starts] == [f"Greet the user. {canary}"] * 4
    assert not [word for start in starts for word in start["argv"] if "schema" in word]
    report = ran.report
    assert (report["evidence-kind"], report["host"], report["model"]) == (
        "live-codex-subprocess", "codex", "openai/gpt-5",
    )  # fmt: skip
    evidence = {(one["variant"], one["trigger-evidence"]["greeter"]) for one in report["runs"]}
    assert evidence == {("baseline", "unverified"), ("candidate", "read-observed")}
    host = report["runs"][1]["host"]
    assert host["tokens"] == {"input_tokens": 12, "output_tokens": 3, "cached_input_tokens": 4}
    assert (host["usage-complete"], host["tool-calls"], host["observed-reads"]) == (True, 1, ["greeter"])
    assert {one["candidate-vs"]["baseline"] for one in report["pairs"]} == {"tied-pass"}


@pytest.mark.parametrize(
    ("mode", "status"),
    [
        ("print('no JSON'); sys.exit()", "invalid-host-events"),
        ('say(type="turn.failed", error={"message": "no"}); sys.exit(1)', "host-failed"),
        ("import time; print('x' * 3_000_000, flush=True); time.sleep(20)", "output-limit"),
        ("import time; time.sleep(20)", "timeout"),
    ],
)
def test_embraion_03_a_codex_session_that_ends_otherwise_does_not_pass(
    run: Command,
    greetings: Callable[..., Path],
    codex: Callable[..., tuple[str, ...]],
    mode: str,
    status: str,
    outcomes: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    limit = "2" if status == "timeout" else "60"

    ran = run(greetings(), "--attempts", "1", "--timeout", limit, agent=codex(mode), env=KEY)

    assert ran.code == 3
    assert {one["host"]["status"] for one in ran.report["runs"]} == {status}
    assert set(outcomes(ran.report).values()) == {False}
