"""Entries 66 to 68 of the suite's table, on the real launcher: how a host program stops talking, fails, or ends well.

They were written of a program that is spoken to over its standard input and output. The same kinds of end are those of
every program here; what is asked is that each is told by its code, that nothing private is in what is told, and that no
process is left.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
AGENT = ("--host", "portable", "--records", "events", "--retries", "0", "--arm", "without_skill", "--", "./agent.sh")
PRIVATE = "private-words-4711"
ENDED = '{"type": "TurnEnded", "answer": "Done."}\\n{"type": "SessionEnded", "ending": "completed"}\\n'


@pytest.fixture
def ran(skilltrial: Command, greeter: Callable[..., Path], tmp_path: Path) -> Callable[..., Any]:
    """`ran(lines of a shell script)`: its one trial, and what the runner noted of its program."""

    def run(*lines: str, seconds: int = 60) -> tuple[Any, list[dict[str, Any]]]:
        suite = greeter("\n".join(["#!/bin/sh", "cat > /dev/null", f"echo $$ >> {tmp_path}/pids", *lines, ""]))
        suite.write_text(f"limits: {{seconds: {seconds}}}\n{suite.read_text()}")
        told = skilltrial("run", suite, "--out", "run", "--format", "json", *AGENT)
        (trial,) = told.trials.values()
        records = (tmp_path / "run/trials/greet/without_skill/1/host.jsonl").read_text().splitlines()
        raws = [json.loads(line) for line in records]
        notes = [json.loads(line["raw"]) for line in raws if line["source"] == "runner"]
        assert PRIVATE not in told.out + told.err, "what a program says is not told in a report"
        return trial, notes

    return run


def test_66_a_program_that_closes_its_output_and_runs_on_is_ended_and_shows_nothing(
    ran: Any, still_running: Any, tmp_path: Path
) -> None:
    trial, notes = ran("echo hello > greeting.txt", f"echo {PRIVATE} >&2", "exec >&- 2>&-", "sleep 300", seconds=2)

    assert (trial["verdict"]["kind"], trial["verdict"]["reason"]) == ("incomplete", "time_limit")
    assert {"limit": "seconds", "note": "limit_hit", "value": 2} in notes
    assert not [note for note in notes if note["note"] == "exited"], "it did not end by itself"
    assert still_running(tmp_path / "pids") == []


def test_67_a_program_that_ends_with_7_after_words_that_nobody_knows_has_failed_by_its_code(
    ran: Any, still_running: Any, tmp_path: Path
) -> None:
    long = f"{PRIVATE}; head -c 300000 /dev/zero | tr '\\0' x"
    trial, notes = ran(
        'printf \'{"type": "SomethingNew", "method": "unknown"}\\n\'',
        f"printf '[process-exception] ' ; printf %s {long}; echo",
        f'echo \'[process-exception] {{"kind": "{PRIVATE}"}}\' >&2',
        f"printf '{ENDED}'",
        "exit 7",
    )

    assert (trial["verdict"]["kind"], trial["verdict"]["owner"]) == ("incomplete", "host")
    assert (trial["verdict"]["reason"], trial["exit_codes"]) == ("host_failed", [7])
    assert {"code": 7, "note": "exited"} in notes
    assert not [note for note in notes if note["note"] in ("limit_hit", "interrupted", "broke")]
    assert still_running(tmp_path / "pids") == []


def test_68_a_program_that_ends_well_leaves_nothing_to_tell(ran: Any, still_running: Any, tmp_path: Path) -> None:
    trial, notes = ran("echo hello > greeting.txt", f"printf '{ENDED}'")

    assert trial["verdict"] == {"kind": "passed", "reason": None, "owner": None, "check": None}
    assert (trial["ending"], trial["cause"], trial["exit_codes"]) == ("completed", None, [0])
    assert {note["note"] for note in notes} == {"spawned", "furnished", "turn_sent", "exited"}
    assert still_running(tmp_path / "pids") == []
