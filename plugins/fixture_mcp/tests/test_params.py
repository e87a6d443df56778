"""Arguments that the stateless revision repeats in headers: as the official package decides, and on the wire."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp.shared.inbound import (
    find_invalid_x_mcp_header,
    mcp_param_headers,
    validate_mcp_param_headers,
    x_mcp_header_map,
)

from skilltrial_fixture_mcp.envelopes import decoded
from skilltrial_fixture_mcp.params import misrepeated, repeated_of

REGION = {"type": "string", "x-mcp-header": "Region"}
LEVEL = {"type": "integer", "x-mcp-header": "Level"}
RULES = "scripts: {one: {rules: [{tool: route, reply: {text: routed}}]}}"

NAMES = st.sampled_from(["a", "b"])
TOKENS = st.sampled_from(["One", "one", "Two", "not a token", "", 3])
KINDS = st.sampled_from(["string", "integer", "boolean", "number", "object", ["string"]])
PART = st.fixed_dictionaries({}, optional={"type": KINDS, "x-mcp-header": TOKENS})


def nested(inner: Any) -> Any:
    properties = st.dictionaries(NAMES, inner, max_size=2)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": KINDS,
            "x-mcp-header": TOKENS,
            "properties": properties,
            "items": inner | st.lists(inner, max_size=2),
            "title": inner,
            "anyOf": st.lists(inner, max_size=2),
            "$defs": properties,
            "default": inner,
        },
    )


SCHEMA = st.recursive(PART, nested, max_leaves=5)
PLAIN = ["", "a", "é", "true", 0, 7, -3, 7.0, 1.5, True, False, None]
VALUE: st.SearchStrategy[Any] = st.sampled_from([*PLAIN, [], {"a": "x"}, {"b": 2}])
HEADER = st.sampled_from(["", "a", "true", "false", "0", "7", "7.0", "-3", "=?base64?w6k=?=", "=?base64?!?="])


@given(SCHEMA)
def test_the_same_arguments_are_repeated_as_in_the_official_package(schema: Any) -> None:
    ours = {one.path: one.header for one in repeated_of(schema)}

    wrong = find_invalid_x_mcp_header(schema) is not None
    theirs = {} if wrong else {path: f"mcp-param-{token.lower()}" for path, token in x_mcp_header_map(schema).items()}
    assert ours == theirs


@given(
    st.dictionaries(NAMES, VALUE, max_size=2),
    st.dictionaries(st.sampled_from(["mcp-param-one", "mcp-param-two"]), HEADER, max_size=2),
    st.sampled_from(["string", "integer", "boolean"]),
)
def test_headers_are_held_against_the_body_as_in_the_official_package(
    arguments: Any, headers: dict[str, str], kind: str
) -> None:
    schema: Any = {
        "properties": {"a": {"type": kind, "x-mcp-header": "One"}, "b": {"type": "string", "x-mcp-header": "Two"}}
    }

    ours = misrepeated(repeated_of(schema), arguments, {name: decoded(value) for name, value in headers.items()})

    theirs = validate_mcp_param_headers(schema, arguments, headers)
    assert (ours is None) == (theirs is None)


@given(st.dictionaries(NAMES, VALUE, max_size=2))
def test_what_we_say_to_a_real_server_is_what_an_official_client_says(arguments: Any) -> None:
    schema: Any = {"properties": {"a": LEVEL, "b": REGION}}
    theirs = mcp_param_headers(x_mcp_header_map(schema), arguments)

    for one in repeated_of(schema):
        said = one.says(arguments)
        name = "Mcp-Param-Level" if one.whole else "Mcp-Param-Region"
        assert (said is None) == (name not in theirs)
        assert said is None or one.agrees(decoded(theirs[name]) or "", said)


@pytest.fixture
def routed(serve: Any, make_tool: Any) -> Any:
    return serve(RULES, make_tool("route", {"region": REGION, "level": LEVEL}, required=["region"]))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"mcp-param-region": "eu"}, 200),
        ({"mcp-param-region": "=?base64?ZXU=?="}, 200),
        ({}, 400),
        ({"mcp-param-region": "us"}, 400),
        ({"mcp-param-region": "=?base64?!?="}, 400),
        ({"mcp-param-region": "eu", "mcp-param-level": "3"}, 400),
        ({"mcp-param-region": "eu", "mcp-param-other": "x"}, 200),
    ],
)
def test_a_call_whose_headers_say_another_thing_is_refused(routed: Any, headers: Any, status: int) -> None:
    reply = routed.modern("tools/call", {"name": "route", "arguments": {"region": "eu"}}, **headers)

    assert reply.status_code == status
    if status == 400:
        assert reply.json()["error"]["code"] == -32020
        assert routed.of("refused") == [{"wire": "refused", "why": "header_mismatch"}]
        assert routed.of("called") == []


def test_a_header_that_comes_twice_is_refused(routed: Any) -> None:
    twice = [("mcp-param-region", "eu"), ("mcp-param-region", "eu")]
    one = routed.http.build_request("POST", routed.url)
    body = {"name": "route", "arguments": {"region": "eu"}}
    usual = routed.modern("tools/call", body, **{"mcp-param-region": "eu"}).request

    kept = [(name, value) for name, value in usual.headers.multi_items() if name != "mcp-param-region"]
    reply = routed.http.send(type(one)("POST", routed.url, headers=[*kept, *twice], content=usual.content))

    assert reply.status_code == 400


def test_the_handshake_knows_no_such_headers(routed: Any) -> None:
    assert routed.call("route", {"region": "eu"})["content"][0]["text"] == "routed"


def test_the_official_client_is_understood(routed: Any) -> None:
    async def use() -> Any:
        async with Client(routed.url, read_timeout_seconds=20) as client:
            await client.list_tools()
            return await client.call_tool("route", {"region": "ü ", "level": 7})

    assert asyncio.run(use()).content[0].text == "routed"
    assert routed.of("called")[0]["arguments"] == {"region": "ü ", "level": 7}
