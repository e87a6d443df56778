"""The stand-in itself: it is as strict as ZCode is said to be, so that the host is held to that."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

WORKSPACE = {"workspacePath": "/tmp", "workspaceKey": "k"}
CREATE = {"id": 1, "method": "session/create", "params": {"workspace": WORKSPACE}}
Ask = Callable[..., Any]
Started = Callable[..., Any]


@pytest.fixture
def ask(standin: Path, table: Path, tmp_path: Path) -> Ask:
    """`ask(messages...)`: all that it says to them, until its input ends."""

    def talk(*messages: Any, **environment: str) -> subprocess.CompletedProcess[str]:
        lines = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in messages)
        named = {"BUILTIN": str(table), "PERSONAL": str(tmp_path / "p.json")} | environment
        return subprocess.run(
            [str(standin), "app-server", "--stdio"],
            input=lines,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(tmp_path),
                **{f"ZCODE_{name}_PROVIDER_CONFIG_FILE": value for name, value in named.items() if value},
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return talk


@pytest.fixture
def started(standin: Path, table: Path, tmp_path: Path) -> Iterator[Started]:
    """`started(**switches)`: it runs; what says something to it, and what waits for something that it says."""
    with ExitStack() as stack:

        def start(**switches: Any) -> tuple[Callable[[Any], None], Callable[..., Any]]:
            named = {"BUILTIN": table, "PERSONAL": tmp_path / "p.json"}
            files = {f"ZCODE_{name}_PROVIDER_CONFIG_FILE": str(file) for name, file in named.items()}
            running = subprocess.Popen(
                [str(standin), "app-server"],
                env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "ZCODE_STANDIN": json.dumps(switches), **files},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(running)
            stack.callback(running.kill)
            assert running.stdin is not None
            assert running.stdout is not None
            stdin, stdout = running.stdin, running.stdout

            def say(message: Any) -> None:
                stdin.write(json.dumps(message) + "\n")
                stdin.flush()

            def hear(wanted: Callable[[Any], bool]) -> Any:
                return next(told for told in map(json.loads, stdout) if wanted(told))

            return say, hear

        yield start


def answers(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """Its answers, without what it said unasked."""
    return [told for told in map(json.loads, done.stdout.splitlines()) if "method" not in told]


@pytest.mark.parametrize(
    ("message", "id", "code"),
    [
        ("{", "parse-error", -32700),
        ({"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}}, "invalid-message", -32600),
        ({"id": 1, "method": "initialize", "params": {}}, 1, -32601),
        ({"id": 1, "method": "session/list", "params": {"more": 1}}, 1, -32602),
        ({"id": 1, "method": "session/create", "params": {}}, 1, -32602),
        ({"id": 1, "method": "session/create", "params": {"workspace": {**WORKSPACE, "a": 1}}}, 1, -32602),
        (
            {"id": 1, "method": "session/create", "params": {"workspace": WORKSPACE, "mcpServers": [{"name": "x"}]}},
            1,
            -32602,
        ),
        ({"id": 1, "method": "session/resume", "params": {"sessionId": "sess_none"}}, 1, -32004),
        ({"id": 1, "method": "session/send", "params": {"sessionId": "sess_none", "content": "x"}}, 1, -32004),
        ({"id": 1, "method": "session/subscribe", "params": {"sessionId": "sess_none"}}, 1, -32602),
    ],
)
def test_what_is_not_as_written_down_is_refused(ask: Ask, message: Any, id: Any, code: int) -> None:
    done = ask(message)

    (told,) = answers(done)
    assert (told["id"], told["error"]["code"]) == (id, code)
    assert done.returncode == 0
    assert done.stdout.count("startup/storageState") == 2


@pytest.mark.parametrize(
    "environment", [{"BUILTIN": ""}, {"PERSONAL": ""}, {"BUILTIN": "", "PERSONAL": ""}, {"BUILTIN": "/none.json"}]
)
def test_it_does_not_start_without_its_tables(ask: Ask, environment: dict[str, str]) -> None:
    done = ask(CREATE, **environment)

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"result": {"nativeSearchEnhancementsEnabled": False}}, None),
        ({"error": {"code": -32601, "message": "no"}}, None),
        ({"error": {"code": -32603, "message": "no"}}, -32022),
        ({"result": {}}, -32022),
        ({"result": {"nativeSearchEnhancementsEnabled": False, "more": 1}}, -32022),
    ],
)
def test_a_session_waits_for_an_answer_of_the_clients(
    started: Started, answer: dict[str, Any], code: int | None
) -> None:
    say, hear = started()
    say(CREATE)
    question = hear(lambda told: "method" in told and "id" in told)
    say({"id": question["id"], **answer})

    told = hear(lambda told: told.get("id") == 1)

    assert question["method"] == "session/requestRuntimePreferences"
    assert told.get("error", {}).get("code") == code
    if code is None:
        assert told["result"]["projection"]["sessionId"] == "unknown"


def test_a_session_takes_one_prompt_at_a_time(started: Started) -> None:
    say, hear = started(hang=True, script=[{"text": "Done."}])
    say(CREATE)
    say({"id": hear(lambda told: "method" in told and "id" in told)["id"], "error": {"code": -32601, "message": ""}})
    session = hear(lambda told: told.get("id") == 1)["result"]["session"]["sessionId"]
    for number in (2, 3):
        say({"id": number, "method": "session/send", "params": {"sessionId": session, "content": "Go."}})
    assert hear(lambda told: told.get("id") == 3)["error"]["code"] == -32010
    say({"id": 4, "method": "session/stop", "params": {"sessionId": session}})

    assert hear(lambda told: told.get("params", {}).get("reason") == "prompt_completed")


def test_it_says_that_it_is_a_stand_in(standin: Path) -> None:
    done = subprocess.run([str(standin), "-v"], capture_output=True, text=True, check=True)

    assert done.stdout == "stand-in 0.16.9\n"
