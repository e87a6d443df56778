"""A fixture that passes calls on to a real server, from the command line to the report. The agent is a stand-in."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"
TOKEN = "canary-token-91b2"
HOST = ("--host", f"{DATA / 'stand_in.py'}:StandIn")


@dataclass
class Notes:
    """A running server, and a folder with a suite about it."""

    port: int
    written: Path
    folder: Path
    run: Callable[..., Any]
    arms: tuple[str, ...] = ("plain",)

    def suite(self, *calls: tuple[str, dict[str, Any]], **fixture: Any) -> Path:
        """A suite of one case, in which these calls are made."""
        address = f"http://127.0.0.1:{self.port}/mcp"
        forward = {
            "use": "mcp",
            "catalog": "catalog.json",
            "mode": "forward",
            "url": address,
            "token_env": "NOTES_TOKEN",
        }
        check = {"id": "found", "grader": "calls", "server": "notes", "tool": calls[0][0], "is_error": False}
        case = {"id": "one", "prompt": json.dumps(calls), "checks": [check]}
        document = {
            "schema_version": 1,
            "id": "notes",
            "arms": [{"id": arm} for arm in self.arms],
            "gate": {"arm": "plain"},
            "fixtures": {"notes": {**forward, **fixture}},
            "cases": [case],
        }
        path = self.folder / "suite.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def judged(self, *calls: tuple[str, dict[str, Any]], more: tuple[str, ...] = ("--allow-mutations",)) -> Any:
        """What came of a run of such a suite."""
        suite = self.suite(*calls)
        flags = ("--out", "run", "--format", "json", "--retries", "0", *HOST, *more)
        return self.run("run", suite, *flags, env={"NOTES_TOKEN": TOKEN})

    def wire(self) -> list[dict[str, Any]]:
        lines = (self.folder / "run/trials/one/plain/1/fixture-notes.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(json.loads(line)["raw"]) for line in lines]


@pytest.fixture
def notes(tmp_path: Path, skilltrial: Any) -> Iterator[Notes]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    written = tmp_path / "notes.txt"
    with subprocess.Popen([sys.executable, DATA / "real.py", str(port), TOKEN, written]) as server:
        try:
            until = time.monotonic() + 60
            while time.monotonic() < until and server.poll() is None:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.02)
            address = f"http://127.0.0.1:{port}/mcp"
            captured = skilltrial(
                *("catalog", "capture", "--url", address, "--token-env", "NOTES_TOKEN", "--out", "catalog.json"),
                env={"NOTES_TOKEN": TOKEN},
            )
            assert captured.code == 0, captured.err
            yield Notes(port, written, tmp_path, skilltrial)
        finally:
            server.kill()


def test_a_run_against_a_real_server_is_judged_and_says_what_it_is(notes: Notes, holders: Any) -> None:
    ran = notes.judged(("find", {"query": "x"}), ("save", {"text": "kept"}), ("save", {"text": "tell"}))

    assert ran.code == 0, ran.out + ran.err
    assert ran.report["evidence_kind"] == "live-server"
    assert notes.written.read_text() == "kept\ntell\n"
    forwarded = [note for note in notes.wire() if note["wire"] == "forwarded"]
    assert [note["sent"]["name"] for note in forwarded] == ["find", "save", "save"]
    assert forwarded[1]["got"]["structuredContent"]["saved"] == "kept"
    # The server gave its own credential back: marked, and no reason to doubt the record.
    assert "[redacted NOTES_TOKEN]" in json.dumps(forwarded[2])
    assert holders(notes.folder / "run", TOKEN) == []


def test_nothing_starts_that_could_change_the_server_unless_it_is_allowed(notes: Notes) -> None:
    refused = notes.judged(("find", {"query": "x"}), more=())
    read_only = notes.run(
        *("run", notes.suite(("find", {"query": "x"}), mutates=False), "--out", "read", "--retries", "0", *HOST),
        env={"NOTES_TOKEN": TOKEN},
    )

    assert refused.code == 2
    assert "allow it with --allow-mutations" in refused.err
    assert not (notes.folder / "run").exists()
    assert read_only.code == 0, read_only.err


def test_a_credential_that_is_not_set_is_asked_for_before_anything_starts(notes: Notes) -> None:
    ran = notes.run("run", notes.suite(("find", {"query": "x"})), "--out", "run", *HOST, "--allow-mutations")

    assert ran.code == 2
    assert "NOTES_TOKEN" in ran.err
    assert not (notes.folder / "run").exists()


def test_a_server_that_dies_in_the_middle_leaves_the_trial_incomplete(notes: Notes) -> None:
    ran = notes.judged(("find", {"query": "x"}), ("save", {"text": "die"}), ("find", {"query": "y"}))

    assert ran.code == 3, ran.out
    (trial,) = ran.report["trials"]
    verdict = trial["verdict"]
    assert (verdict["kind"], verdict["reason"], verdict["owner"]) == ("incomplete", "server_server_error", "fixture")


def test_a_server_that_knows_another_credential_begins_no_trial(notes: Notes) -> None:
    flags = ("--out", "run", "--format", "json", *HOST, "--allow-mutations", "--retries", "0")
    ran = notes.run("run", notes.suite(("find", {"query": "x"})), *flags, env={"NOTES_TOKEN": "another-token"})

    assert ran.code == 3, ran.out
    (trial,) = ran.report["trials"]
    verdict = trial["verdict"]
    assert (verdict["kind"], verdict["reason"], verdict["owner"]) == ("incomplete", "server_not_authorized", "operator")


def test_a_rehearsal_never_reaches_it(notes: Notes) -> None:
    ran = notes.run(
        "rehearse",
        notes.suite(("find", {"query": "x"})),
        "--host",
        "portable",
        "--out",
        "run",
        "--",
        "skilltrial-agent",
    )

    assert ran.code == 2
    assert "which a rehearsal never reaches: give it `replies`" in ran.err


def test_what_was_allowed_is_in_the_archive_and_reuse_takes_nothing_over(notes: Notes) -> None:
    notes.arms = ("control", "plain")
    notes.judged(("find", {"query": "x"}))

    request = json.loads((notes.folder / "run/request.json").read_text(encoding="utf-8"))
    plan = json.loads((notes.folder / "run/plan.json").read_text(encoding="utf-8"))
    again = notes.judged(("find", {"query": "x"}), more=("--allow-mutations", "--reuse", "run", "--out", "again"))

    assert request["allow_mutations"] is True
    assert "fixture notes passes calls on to a real server, which is not the same twice" in again.err
    assert plan["fixtures"]["notes"]["live"] == {"mutates": True, "rehearsed": False, "variables": ["NOTES_TOKEN"]}
