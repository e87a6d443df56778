"""Plain HTTP beside the tools: the same rules, the same state, on record."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from skilltrial.api import wire_calls, wire_notes

ROUTES = """
scripts:
  one:
    state: {seen: 0}
    rules: [{tool: secret, reply: {body: {$state: ""}}}, {include: other}]
    routes:
      - method: POST
        path: "/things/{id}"
        arguments: {properties: {body: {type: object, required: [n]}}}
        set: {seen: {$argument: /body/n}}
        status: 201
        body: {id: {$argument: /path/id}, n: {$argument: /body/n}}
      - {method: POST, path: "/things/{id}", status: 422, text: no n}
      - {path: /late, state: {properties: {seen: {const: 5}}}, text: {$argument: /query/q, else: nothing}}
      - {path: /drop, fault: drop}
      - {path: /hang, fault: hang}
      - {path: /malformed, fault: malformed}
      - {path: /error, fault: server_error}
      - {path: /nothing, status: 204, body: {x: 1}}
  other:
    rules: []
    routes: [{path: /other, body: [1]}, {path: /late, text: early}]
"""


@pytest.fixture
def client(serve: Any) -> Any:
    return serve(ROUTES, case={"script": "one"})


@pytest.fixture
def origin(client: Any) -> str:
    return str(client.url.removesuffix("/mcp"))


def test_routes_and_tools_share_one_state_and_one_record(client: Any, origin: str) -> None:
    early = client.http.get(f"{origin}/late")
    made = client.http.post(f"{origin}/things/a%2Fb", json={"n": 5})
    named = client.http.post(f"{origin}/things/x", json={"n": 5})
    late = client.http.get(f"{origin}/late", params={"q": "é"})

    assert (early.text, made.status_code, late.text, late.headers["content-type"]) == (
        "early",
        404,
        "é",
        "text/plain; charset=utf-8",
    )
    assert (named.status_code, named.json()) == (201, {"id": "x", "n": 5})
    assert client.call("secret")["content"][0]["text"] == '{"seen":5}'
    assert client.of("routed")[2] == {
        "wire": "routed",
        "method": "POST",
        "path": "/things/x",
        "arguments": {"path": {"id": "x"}, "query": {}, "body": {"n": 5}},
        "status": 201,
        "result": {"id": "x", "n": 5},
        "because": "rule",
        "state": {"seen": 5},
    }


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/things/x", 422),
        ("GET", "/things/x", 404),
        ("POST", "/things/", 404),
        ("POST", "/things/x/y", 404),
        ("GET", "/other", 200),
        ("GET", "/other/", 404),
        ("GET", "/", 404),
        ("GET", "/malformed", 200),
        ("GET", "/error", 500),
    ],
)
def test_the_first_route_that_fits_answers(client: Any, origin: str, method: str, path: str, status: int) -> None:
    assert client.http.request(method, origin + path, content=b"no json").status_code == status
    assert client.of("routed")[0]["arguments"]["body"] == "no json"


def test_faults_are_on_record(client: Any, origin: str) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        client.http.get(f"{origin}/drop")
    with pytest.raises(httpx.ReadTimeout):
        client.http.get(f"{origin}/hang", timeout=0.2)

    assert [(note["because"], note["status"]) for note in client.of("routed")] == [("fault", None)] * 2


def test_a_web_page_gets_nothing_here_either(client: Any, origin: str) -> None:
    assert client.http.get(f"{origin}/other", headers={"origin": "http://evil.example"}).status_code == 403
    assert client.http.get(f"{origin}/other", headers={"host": "evil.example"}).status_code == 421
    assert client.of("routed") == []


def test_routes_are_no_calls_and_no_contact_with_the_tools(client: Any, origin: str) -> None:
    client.http.get(f"{origin}/other")

    assert wire_calls("memory", client.recorder.records) == ()
    assert list(wire_notes(client.recorder.records)) == []


def test_an_answer_whose_status_has_no_body_has_none(client: Any, origin: str) -> None:
    nothing = client.http.get(f"{origin}/nothing")
    after = client.http.get(f"{origin}/other")

    assert (nothing.status_code, nothing.content, "content-length" in nothing.headers) == (204, b"", False)
    assert after.json() == [1]
    assert [note["result"] for note in client.of("routed")] == [{"x": 1}, [1]]
