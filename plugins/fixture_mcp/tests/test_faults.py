"""Faults that a script plays, over HTTP; the record knows of them before the program does."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import httpx
import pytest

FAULTS = """
scripts:
  one:
    state: {done: false}
    rules:
      - {tool: find, arguments: {properties: {query: {const: slow}}}, delay: 0.3, reply: {text: late}}
      - {tool: find, arguments: {properties: {query: {const: slow drop}}}, delay: 0.3, fault: drop}
      - {tool: find, arguments: {properties: {query: {const: hang}}}, set: {done: true}, fault: hang}
      - {tool: find, arguments: {properties: {query: {const: drop}}}, fault: drop}
      - {tool: find, arguments: {properties: {query: {const: malformed}}}, fault: malformed}
      - {tool: find, arguments: {properties: {query: {const: "500"}}}, fault: server_error}
      - {tool: find, hide: [secret], reply: {text: fewer}}
      - {tool: save, reply: {text: saved}}
"""


@pytest.fixture
def client(serve: Any) -> Any:
    return serve(FAULTS)


def find(query: str, **more: Any) -> dict[str, Any]:
    params = {"name": "find", "arguments": {"query": query}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params, **more}


def assert_recorded_as_fault(client: Any) -> None:
    (answered,) = client.of("answered")
    assert (answered["because"], answered["is_error"], answered["result"]) == ("fault", True, None)


def test_a_delayed_answer_comes_later_and_holds_nobody_else_up(client: Any) -> None:
    begin = time.monotonic()
    times: dict[str, float] = {}

    def ask(name: str, body: Any) -> None:
        assert client.post(body).status_code == 200
        times[name] = time.monotonic() - begin

    slow = threading.Thread(target=ask, args=("slow", find("slow")))
    slow.start()
    time.sleep(0.05)
    ask("quick", find("other"))
    slow.join()

    assert times["quick"] < 0.3 <= times["slow"]
    assert [note["number"] for note in client.of("answered")] == [1, 2]


def test_a_call_that_hangs_is_on_record_as_a_fault_at_once(client: Any) -> None:
    with pytest.raises(httpx.ReadTimeout):
        client.http.post(client.url, json=find("hang"), timeout=0.3)

    assert_recorded_as_fault(client)
    assert client.of("answered")[0]["state"] == {"done": True}


def test_a_call_that_hangs_ends_with_its_trial(servers: Any) -> None:
    ended: list[float] = []
    with servers(FAULTS).trial() as client:

        def ask() -> None:
            with pytest.raises(httpx.RemoteProtocolError):
                client.post(find("hang"))
            ended.append(time.monotonic())

        thread = threading.Thread(target=ask)
        thread.start()
        while not client.of("answered"):
            time.sleep(0.01)
        left = time.monotonic()
    thread.join(5)

    assert ended
    assert ended[0] - left < 2


@pytest.mark.parametrize("query", ["drop", "slow drop"])
def test_a_dropped_connection_brings_nothing(client: Any, query: str) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        client.post(find(query))

    assert_recorded_as_fault(client)


def test_a_malformed_answer_is_no_json(client: Any) -> None:
    reply = client.post(find("malformed"))

    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        json.loads(reply.content)
    assert_recorded_as_fault(client)


def test_a_server_error_has_its_status(client: Any) -> None:
    assert client.post(find("500")).status_code == 500
    assert_recorded_as_fault(client)


def test_a_changed_list_is_told_on_the_stream_and_seen_in_the_next_list(client: Any) -> None:
    heard: list[str] = []
    open_ = threading.Event()

    def listen() -> None:
        with client.http.stream("GET", client.url, headers={"accept": "text/event-stream"}) as reply:
            open_.set()
            heard.append(next(line for line in reply.iter_lines() if line.startswith("data: ")))

    thread = threading.Thread(target=listen)
    thread.start()
    assert open_.wait(5)
    client.call("find", {"query": "change"})
    client.call("find", {"query": "no further change"})
    thread.join(5)

    assert [json.loads(line.removeprefix("data: ")) for line in heard] == [
        {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    ]
    assert [one["name"] for one in client.ask("tools/list")["result"]["tools"]] == ["save", "find", "count"]


def test_a_fault_in_a_batch_is_the_fault_of_all(client: Any) -> None:
    save = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "save", "arguments": {"text": "x"}}}

    assert client.post([save, find("500")]).status_code == 500
    late = client.post([find("slow"), save]).json()

    assert [one["result"]["content"][0]["text"] for one in late] == ["late", "saved"]
    assert [note["because"] for note in client.of("answered")] == ["rule", "fault", "rule", "rule"]
