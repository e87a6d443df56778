"""One server for all trials of a run: paths, borders, order, the end."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from skilltrial.api import InvalidRequest, Source, wire_calls
from skilltrial.testing import MemoryRecorder

RULES = """
scripts:
  one:
    state: {n: 0}
    rules:
      - {tool: save, set: {last: {$argument: /text}}, reply: {body: {was: {$state: /last}}}}
      - {tool: find, delay: 0.05, reply: {body: {$argument: /query}}}
  two: {rules: []}
"""


def test_naming_the_fixture_loads_no_server() -> None:
    heavy = "starlette", "uvicorn", "asyncio", "jsonschema", "ruamel.yaml", "mcp"
    code = f"import sys, skilltrial_fixture_mcp.fixture; print([name for name in {heavy} if name in sys.modules])"

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert said.strip() == "[]"


def test_trials_that_run_at_once_never_meet(run_server: Any) -> None:
    with run_server(RULES) as server:
        trials = [server.trial(str(n), script="one") for n in range(1, 6)]
        clients = [trial.__enter__() for trial in trials]

        def ask(client: Any) -> list[Any]:
            mine = client.offer.url
            return [client.call("save", {"text": f"{mine} {n}"}) for n in range(10)]

        with ThreadPoolExecutor(5) as pool:
            answers = list(pool.map(ask, clients))
        for trial in trials:
            trial.__exit__(None, None, None)

    assert len({client.offer.url for client in clients}) == 5
    for client, said in zip(clients, answers, strict=True):
        assert len(said) == 10
        assert [note["number"] for note in client.of("answered")] == list(range(1, 11))
        assert all(client.offer.url in note["state"]["last"] for note in client.of("answered"))


@pytest.mark.parametrize("many", [2, 64])
def test_concurrent_requests_that_reuse_one_id_are_each_answered(serve: Any, many: int) -> None:
    client = serve(RULES, case={"script": "one"})
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    gate = threading.Barrier(many)

    def ask(n: int) -> Any:
        gate.wait()
        with httpx.Client(trust_env=False, verify=False, timeout=20) as http:
            params = {"name": "find", "arguments": {"query": str(n)}}
            return http.post(client.url, json={**body, "params": params}).json()

    with ThreadPoolExecutor(many) as pool:
        answers = list(pool.map(ask, range(many)))

    assert [answer["result"]["content"][0]["text"] for answer in answers] == [str(n) for n in range(many)]
    calls = wire_calls("memory", client.recorder.records)
    assert len(calls) == many
    assert all(call.answered and call.rpc_id == 1 and call.arguments == {"query": call.result} for call in calls)


def _said(connection: socket.socket, wanted: int) -> str:
    """What comes on a connection until it holds so many answers."""
    said = b""
    while said.count(b'"jsonrpc"') < wanted:
        data = connection.recv(65536)
        assert data, said
        said += data
    return said.decode()


def test_requests_that_come_before_their_turn_are_answered_in_order(serve: Any) -> None:
    client = serve(RULES, case={"script": "one"})
    url = httpx.URL(client.url)
    many = 20

    def request(n: int) -> bytes:
        params = {"name": "find", "arguments": {"query": f"question {n}"}}
        body = json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}).encode()
        head = f"POST {url.path} HTTP/1.1\r\nhost: {url.host}:{url.port}\r\ncontent-type: application/json\r\n"
        return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body

    with socket.create_connection((url.host, url.port), timeout=20) as connection:
        connection.sendall(b"".join(map(request, range(many))))
        answers = _said(connection, many)
        connection.sendall(request(many))
        answers += _said(connection, 1)

    places = [answers.index(f'question {n}"') for n in range(many + 1)]
    assert places == sorted(places)
    assert [call.rpc_id for call in wire_calls("memory", client.recorder.records)] == list(range(many + 1))


def test_a_client_that_asks_whether_to_go_on_is_told_before_it_sends_its_body(serve: Any) -> None:
    client = serve(RULES, case={"script": "one"})
    url = httpx.URL(client.url)
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    head = f"POST {url.path} HTTP/1.1\r\nhost: {url.host}:{url.port}\r\ncontent-type: application/json\r\n"

    with socket.create_connection((url.host, url.port), timeout=20) as connection:
        connection.sendall(f"{head}expect: 100-continue\r\ncontent-length: {len(body)}\r\n\r\n".encode())
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert '"result":{}' in _said(connection, 1)


def test_only_a_trials_own_path_reaches_it(serve: Any) -> None:
    client = serve(RULES, case={"script": "one"})
    base, _, rest = client.url.partition("/run/")
    token = rest.partition("/")[0]

    assert len(token) >= 32
    for path in (
        "",
        "/",
        "/mcp",
        "/run",
        "/run/",
        "/run/guess/mcp",
        f"/run/{token}",
        f"//run/{token}/mcp",
    ):
        assert client.http.post(f"{base}{path}", json={}).status_code == 404
    assert client.notes == []
    for path in ("/", "/mcp/", "/health"):
        assert client.http.post(f"{base}/run/{token}{path}", json={}).status_code == 404
    assert [note["because"] for note in client.of("routed")] == ["unexpected"] * 3


def test_a_trial_that_has_ended_is_gone_and_records_nothing_more(run_server: Any) -> None:
    with run_server(RULES) as server:
        with server.trial(script="one") as client:
            client.call("save", {"text": "x"})
        kept = len(client.notes)

        reply = client.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})

        assert reply.status_code == 410
        assert len(client.notes) == kept


def test_each_call_is_on_record_before_it_is_answered_and_read_back_by_the_judge(serve: Any) -> None:
    client = serve(RULES, case={"script": "one"})
    client.recorder.turn = 2

    client.call("save", {"text": "x"}, _meta={"callId": "c1"})

    (call,) = wire_calls("memory", client.recorder.records)
    assert (call.server, call.turn, call.tool, call.arguments) == ("memory", 2, "save", {"text": "x"})
    assert (call.result, call.is_error, call.joins, call.answered, call.because) == (
        {"was": "x"},
        False,
        "c1",
        True,
        "rule",
    )


class FullDisk(MemoryRecorder):
    """A recorder whose disk is full after some records."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def record(self, source: Source, *lines: str) -> None:
        if len(self.records) + len(lines) > self.room:
            raise OSError(28, "No space left on device")
        super().record(source, *lines)


@pytest.mark.parametrize("room", [0, 1, 2])
def test_a_record_that_cannot_be_written_is_an_error_of_the_run_and_no_answer(run_server: Any, room: int) -> None:
    call = {"name": "save", "arguments": {"text": "x"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}

    def ask(server: Any) -> None:
        with server.trial(script="one", recorder=FullDisk(room)) as client:
            reply = client.post(body)
            assert reply.status_code == 500
            assert "was" not in reply.text

    with run_server(RULES) as server:
        with pytest.raises(OSError, match="No space left"):
            ask(server)

        with server.trial(script="one") as client:
            assert client.call("save", {"text": "x"})["isError"] is False


def test_a_case_with_faulty_options_does_not_start(run_server: Any) -> None:
    with (
        run_server(RULES) as server,
        pytest.raises(InvalidRequest, match="no such `script`"),
        server.trial(script="three"),
    ):
        pass


def test_the_server_is_ready_before_a_host_is_told_of_it_and_leaves_nothing_behind(run_server: Any) -> None:
    before = {thread.ident for thread in threading.enumerate()}

    with run_server(RULES) as server, server.trial(script="one") as client:
        port = int(client.url.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            pass
        client.ask("tools/list")

    assert {thread.ident for thread in threading.enumerate()} <= before
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=1)


def test_a_trial_that_shares_the_runs_server_starts_nothing_of_its_own(run_server: Any) -> None:
    with run_server(RULES) as server:
        with server.trial("1", script="one") as client:
            client.ask("ping")
        threads, modules, port = set(threading.enumerate()), set(sys.modules), client.url.split("/")[2]
        for n in range(2, 30):
            with server.trial(str(n), script="one") as client:
                client.ask("ping")
                assert client.url.split("/")[2] == port
        assert set(threading.enumerate()) <= threads
        assert set(sys.modules) == modules


def test_a_call_of_a_script_and_its_answer_are_written_as_one(run_server: Any) -> None:
    class Writes(MemoryRecorder):
        def __init__(self) -> None:
            super().__init__()
            self.writes: list[list[str]] = []

        def record(self, source: Source, *lines: str) -> None:
            self.writes.append([json.loads(line)["wire"] for line in lines])
            super().record(source, *lines)

    kept = Writes()
    with run_server(RULES) as server, server.trial(script="one", recorder=kept) as client:
        client.call("save", {"text": "x"})
        client.call("save", {"text": 1})
        client.ask("tools/call", {"name": "nowhere"})

    assert kept.writes == [["connected"], *[["called", "answered"]] * 3]
