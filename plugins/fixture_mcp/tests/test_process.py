"""The server as a process of its own: small, and of one mind with the server of a run."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from skilltrial.testing import MemoryRecorder
from skilltrial_fixture_mcp import plain
from skilltrial_fixture_mcp.plan import planned
from skilltrial_fixture_mcp.planning import make_plan
from skilltrial_fixture_mcp.replies import Reply, Route, Rule, Script
from skilltrial_fixture_mcp.rpc import Failure, Request
from skilltrial_fixture_mcp.served import Broken, Done

REPLIES = b"""
scripts:
  one:
    state: {n: 0}
    hidden: [secret]
    rules:
      - {include: two}
      - {tool: save, set: {last: {$argument: /text}}, reply: {body: {was: {$state: /last}}}}
      - {tool: find, show: [secret], delay: 0.01, reply: {text: {$argument: /query}}}
      - {tool: count, reply: {content: [{type: text, text: three}], structuredContent: {n: 3}}}
      - {tool: secret, fault: server_error}
    routes: [{method: POST, path: "/x/{id}", status: 201, body: {$argument: /path/id}}]
  two:
    rules: [{tool: save, arguments: {required: [limit]}, reply: {text: limited, isError: true}}]
"""
LEFT_OUT = ("pydantic", "pydantic_core", "jsonschema", "referencing", "ruamel", "mcp", "starlette", "anyio", "httpx2")
"""Packages that such a process does without, as long as it serves calls with everyday schemas."""
LOOKING = """
import http.client, json, sys, threading, _thread
from skilltrial_fixture_mcp import process

def ask(address):
    place = address.removeprefix("http://").partition("/")
    line = http.client.HTTPConnection(place[0])
    for method, params in (("tools/list", {}), ("tools/call", {"name": "save", "arguments": {"text": "x"}})):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        line.request("POST", "/" + place[2], body, {"content-type": "application/json"})
        assert "result" in json.loads(line.getresponse().read())
    print(json.dumps(sorted(sys.modules)), file=sys.stderr, flush=True)
    _thread.interrupt_main()

plan = json.loads(sys.stdin.read())
try:
    with process.loopback() as listening:
        up = lambda address: threading.Thread(target=ask, args=(address,)).start()
        process.serve(plan, listening, process.Printer(), up)
except KeyboardInterrupt:
    pass
"""


@pytest.fixture
def assets(make_catalog: Any, notes_tools: Any) -> dict[str, bytes]:
    return {"c.json": make_catalog(*notes_tools), "r.yaml": REPLIES}


def test_it_imports_nothing_that_reads_checks_or_describes(assets: dict[str, bytes]) -> None:
    plan = make_plan("c.json", "r.yaml", assets, {"script": "one"})

    ran = subprocess.run(
        [sys.executable, "-c", LOOKING], input=json.dumps(plan), capture_output=True, text=True, check=True
    )

    modules = json.loads(ran.stderr.splitlines()[-1])
    assert "skilltrial_fixture_mcp.served" in modules
    assert [name for name in modules if name.split(".")[0] in LEFT_OUT] == []
    core = {name for name in modules if name.startswith("skilltrial.") and not name.startswith("skilltrial.replies")}
    assert core == {"skilltrial.model", "skilltrial.model.words"}


ASKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("tools/list", {}),
    ("tools/call", {"name": "save", "arguments": {"text": "x"}}),
    ("tools/call", {"name": "save", "arguments": {"text": "x", "limit": 1}}),
    ("tools/call", {"name": "save", "arguments": {}}),
    ("tools/call", {"name": "secret"}),
    ("tools/call", {"name": "find", "arguments": {"query": "q"}}),
    ("tools/call", {"name": "secret"}),
    ("tools/call", {"name": "count"}),
    ("tools/call", {"name": "nowhere"}),
    ("nonsense", {}),
)


def test_a_plan_is_answered_and_recorded_as_a_run_does_it(assets: dict[str, bytes], run_server: Any) -> None:
    case: dict[str, Any] = {"script": "one", "state": {"n": 7}}
    plan = json.loads(json.dumps(make_plan("c.json", "r.yaml", assets, case)))
    kept = MemoryRecorder()
    served = planned(plan, kept)

    with run_server(REPLIES.decode()) as server, server.trial(**case) as client:
        for n, (method, params) in enumerate(ASKED, 1):
            outcome = served.handle(Request(n, method, params), "2025-03-26", "http")
            body = {"jsonrpc": "2.0", "id": n, "method": method, "params": params}
            reply = client.post(body, accept="application/json")
            if isinstance(outcome, Done):
                assert reply.json()["result"] == outcome.result
            elif isinstance(outcome, Failure):
                assert reply.json()["error"]["code"] == outcome.code
            else:
                assert (outcome, reply.status_code) == (Broken("server_error"), 500)

    assert client.notes == [json.loads(record.raw) for record in kept.records]


@pytest.mark.parametrize(
    ("shape", "model", "apart"),
    [
        (plain.PlainReply, Reply, set()),
        (plain.PlainRule, Rule, {"include"}),
        (plain.PlainRoute, Route, set()),
        (plain.PlainScript, Script, set()),
    ],
)
def test_plain_data_has_the_keys_of_what_is_written(shape: Any, model: type[BaseModel], apart: set[str]) -> None:
    keys = {info.alias or name for name, info in model.model_fields.items()}
    assert set(shape.__annotations__) == keys - apart


@contextmanager
def serving(*words: str, **how: Any) -> Iterator[subprocess.Popen[str]]:
    program = Path(sys.executable).with_name("skilltrial")
    command = [str(program), "catalog", "serve", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how) as process:
        try:
            yield process
        finally:
            process.kill()


def listening_to_signals() -> Callable[[], object]:
    """For a child of a shell that runs in the background: it would never hear of Ctrl-C."""
    return lambda: signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def files(tmp_path: Path, assets: dict[str, bytes]) -> dict[str, Path]:
    for name, data in assets.items():
        (tmp_path / name).write_bytes(data)
    return {name: tmp_path / name for name in assets}


def test_a_person_can_serve_a_catalog_to_a_client_of_their_own(files: dict[str, Path]) -> None:
    words = (str(files["c.json"]), "--replies", str(files["r.yaml"]), "--script", "one")
    with serving(*words, preexec_fn=listening_to_signals()) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/run/[\w-]{30,}/mcp", address)
        call = {"name": "save", "arguments": {"text": "é"}}
        with httpx.Client(trust_env=False, timeout=60) as http:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
            said = http.post(address, json=body, headers={"accept": "application/json"})
        notes = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)

    assert said.json()["result"]["content"] == [{"type": "text", "text": '{"was":"é"}'}]
    assert [note["wire"] for note in notes] == ["connected", "called", "answered"]
    assert (process.returncode, rest, errors) == (0, "", "")


def test_other_names_of_tools_are_served_as_in_a_run(files: dict[str, Path], assets: dict[str, bytes]) -> None:
    """Rules speak of a tool by a name that this catalog does not have."""
    files["r.yaml"].write_bytes(assets["r.yaml"].replace(b"save", b"store"))
    words = (str(files["c.json"]), "--replies", str(files["r.yaml"]), "--script", "one", "--alias", "store=save")

    with serving(*words) as process, httpx.Client(trust_env=False, timeout=60) as http:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        call = {"name": "save", "arguments": {"text": "a"}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        http.post(address, json=body, headers={"accept": "application/json"})
        _, called, answered = (json.loads(process.stdout.readline()) for _ in range(3))

    assert (called["tool"], answered["because"]) == ("save", "rule")


def test_without_replies_no_call_is_foreseen(files: dict[str, Path]) -> None:
    plan = make_plan("c.json", None, {"c.json": files["c.json"].read_bytes()}, {})
    kept = MemoryRecorder()

    planned(plan, kept).handle(Request(1, "tools/call", {"name": "secret"}), "2025-11-25", "http")

    assert [json.loads(record.raw).get("because") for record in kept.records] == [None, None, "unexpected"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["c.json", "--replies", "r.yaml"], "the case must say which `script` of the replies it plays: one, two"),
        (["c.json", "--replies", "r.yaml", "--script", "three"], "the replies have no such `script`"),
        (["c.json", "--replies", "c.json"], "c.json:"),
        (["r.yaml"], "r.yaml:"),
        (["nowhere.json"], "nowhere.json"),
        (["c.json", "--alias", "save"], "'save' is no TOOL=OTHER, such as get_record=fetch_record"),
    ],
)
def test_faults_are_told_and_nothing_is_served(files: dict[str, Path], words: list[str], says: str) -> None:
    with serving(*words, cwd=files["c.json"].parent) as process:
        told, errors = process.communicate(timeout=60)

    assert (process.returncode, told) == (2, "")
    assert says in errors
    assert "Traceback" not in errors


def test_a_port_that_is_taken_is_one_sentence(files: dict[str, Path]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with serving(str(files["c.json"]), "--port", str(taken.getsockname()[1])) as process:
            told, errors = process.communicate(timeout=60)
        port = taken.getsockname()[1]

    assert (process.returncode, told) == (2, "")
    assert errors == f"error: port {port} can't be listened on: Address already in use\n"


def test_a_reader_that_has_gone_is_one_sentence(files: dict[str, Path]) -> None:
    reading, writing = os.pipe()
    program = Path(sys.executable).with_name("skilltrial")
    command = [str(program), "catalog", "serve", str(files["c.json"])]
    os.close(reading)
    ran = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    os.close(writing)

    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
