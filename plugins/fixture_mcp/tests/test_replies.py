"""Replies are data: which rule is for a call, what it gives, what it does to the state."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial_fixture_mcp.catalog import read_catalog
from skilltrial_fixture_mcp.playing import Scene, decide
from skilltrial_fixture_mcp.preparing import prepare
from skilltrial_fixture_mcp.tools import Catalog

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def one(*rules: dict[str, Any], **script: Any) -> str:
    """A replies file with one script."""
    return json.dumps({"scripts": {"one": {"rules": list(rules), **script}}})


def test_the_first_rule_that_fits_decides(serve: Any) -> None:
    client = serve(
        one(
            {"tool": "find", "arguments": {"properties": {"query": {"pattern": "^a"}}}, "reply": {"text": "early"}},
            {"tool": "find", "arguments": {"properties": {"query": {"const": "ab"}}}, "reply": {"text": "never"}},
            {"tool": ["save", "find"], "reply": {"text": "both"}},
            {"reply": {"text": "any"}},
        )
    )

    said = [
        client.call(*call)["content"][0]["text"]
        for call in (("find", {"query": "ab"}), ("find", {"query": "b"}), ("save", {"text": "x"}), ("secret", {}))
    ]

    assert said == ["early", "both", "both", "any"]


def test_where_no_rule_fits_the_operation_is_unexpected_and_nothing_changes(serve: Any) -> None:
    client = serve(one({"tool": "save", "reply": {"text": "x"}}, state={"n": 1}))

    result = client.call("find", {"query": "x"})

    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"])["error"]["code"] == "FIXTURE_UNEXPECTED_OPERATION"
    assert client.of("answered")[0] == {
        "wire": "answered",
        "number": 1,
        "result": json.loads(result["content"][0]["text"]),
        "is_error": True,
        "because": "unexpected",
        "state": {"n": 1},
        "marks": None,
    }


@pytest.mark.parametrize(
    ("reply", "content", "structured", "recorded"),
    [
        ({"body": {"a": [1, 2.0, None]}}, '{"a":[1,2.0,null]}', None, {"a": [1, 2.0, None]}),
        ({"body": None}, "null", None, None),
        ({"body": "text"}, "text", None, "text"),
        ({"text": "é\n"}, "é\n", None, "é\n"),
        ({"text": "n", "structuredContent": {"n": 1}}, "n", {"n": 1}, {"n": 1}),
        ({"text": {"$argument": "/query"}}, "asked", None, "asked"),
        ({"body": {"$argument": ""}}, '{"query":"asked"}', None, {"query": "asked"}),
        ({"body": [{"$argument": "/no"}, {"$argument": "/no", "else": 7}]}, "[null,7]", None, [None, 7]),
        ({"body": {"$literal": {"$argument": "/query"}}}, '{"$argument":"/query"}', None, {"$argument": "/query"}),
        ({"body": {"$state": "/deep/1"}}, "true", None, True),
        ({"body": {"$argument": "/query/0", "else": "no"}}, "no", None, "no"),
    ],
)
def test_a_reply_is_sent_and_recorded(serve: Any, reply: Any, content: str, structured: Any, recorded: Any) -> None:
    client = serve(one({"tool": "find", "reply": reply}, state={"deep": [0, True]}))

    result = client.call("find", {"query": "asked"})

    assert result["content"] == [{"type": "text", "text": content}]
    assert result.get("structuredContent") == structured
    assert client.of("answered")[0]["result"] == recorded


def test_content_blocks_are_sent_as_they_are_written(serve: Any) -> None:
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    blocks = [{"type": "text", "text": {"$argument": "/query"}}, image]
    client = serve(one({"tool": "find", "reply": {"content": blocks, "isError": True}}))

    result = client.call("find", {"query": "q"})

    assert result == {"content": [{"type": "text", "text": "q"}, image], "isError": True}
    assert client.of("answered")[0]["is_error"] is True


def test_a_tool_that_promises_structured_content_gives_it(serve: Any) -> None:
    first = {"properties": {"n": {"const": 1}}}
    client = serve(
        one(
            {"tool": "count", "state": first, "set": {"n": 2}, "reply": {"body": {"n": {"$state": "/n"}}}},
            {"tool": "count", "reply": {"body": {"error": "no"}, "isError": True}},
            state={"n": 1},
        )
    )

    given_ = client.call("count")

    assert given_["structuredContent"] == json.loads(given_["content"][0]["text"]) == {"n": 2}
    assert "structuredContent" not in client.call("count")


def test_state_changes_before_the_reply_and_is_history(serve: Any) -> None:
    client = serve(
        one(
            {
                "tool": "save",
                "set": {"before": {"$state": "/last"}, "last": {"$argument": "/text"}},
                "reply": {"body": [{"$state": "/before"}, {"$state": "/last"}]},
            },
            state={"last": "nothing"},
        )
    )

    said = [json.loads(client.call("save", {"text": text})["content"][0]["text"]) for text in ("a", "b")]

    assert said == [["nothing", "a"], ["a", "b"]]
    assert [note["state"] for note in client.of("answered")] == [
        {"before": "nothing", "last": "a"},
        {"before": "a", "last": "b"},
    ]


def test_a_case_may_begin_in_another_state(serve: Any) -> None:
    replies = one({"tool": "secret", "reply": {"body": {"$state": ""}}}, state={"a": 1, "b": 2})

    client = serve(replies, case={"state": {"b": {"c": 3}}})

    assert json.loads(client.call("secret")["content"][0]["text"]) == {"a": 1, "b": {"c": 3}}


def test_tools_can_appear_and_vanish(serve: Any) -> None:
    client = serve(
        one(
            {"tool": "find", "show": ["secret"], "hide": ["save"], "reply": {"text": "ok"}},
            {"reply": {"text": "done"}},
            hidden=["secret"],
        )
    )

    def listed() -> list[str]:
        return [one["name"] for one in client.ask("tools/list")["result"]["tools"]]

    before = listed()
    denied = client.ask("tools/call", {"name": "secret", "arguments": {}})
    client.call("find", {"query": "x"})

    assert (before, listed()) == (["save", "find", "count"], ["find", "secret", "count"])
    assert denied["error"]["code"] == -32602
    assert client.call("secret")["content"][0]["text"] == "done"
    assert client.offer.tools == ("save", "find", "secret", "count")


def test_an_included_script_stands_where_it_is_named(serve: Any) -> None:
    own, rest = {"tool": "save", "reply": {"text": "own"}}, {"reply": {"text": "rest"}}
    scripts = {
        "common": {"rules": [{"tool": "find", "reply": {"text": "common"}}]},
        "one": {"rules": [own, {"include": "common"}, rest]},
    }
    client = serve(json.dumps({"scripts": scripts}), case={"script": "one"})

    calls: tuple[Any, ...] = (("save", {"text": ""}), ("find", {"query": ""}), ("secret", {}))
    said = [client.call(*call)["content"][0]["text"] for call in calls]

    assert said == ["own", "common", "rest"]


def played(catalog: bytes, replies: str) -> tuple[Catalog, Any]:
    prepared, faults = prepare("c.json", "r.yaml", {"c.json": catalog, "r.yaml": replies.encode()})
    assert prepared is not None, faults
    return prepared.catalog, prepared.plays["one"]


@given(arguments=JSON, state=st.dictionaries(st.text(max_size=3), JSON, max_size=3))
def test_any_call_is_decided_and_the_same_call_alike(
    make_catalog: Any, make_tool: Any, arguments: Any, state: Any
) -> None:
    anything = {"name": "any", "inputSchema": {"type": "object"}}
    catalog, play = played(
        make_catalog(anything, make_tool("none")),
        one(
            {"arguments": {"required": ["a"]}, "set": {"x": {"$argument": "/a"}}, "reply": {"body": {"$argument": ""}}},
            {"state": {"maxProperties": 1}, "fault": "drop"},
        ),
    )
    scene = Scene(state, frozenset())

    first, second = (decide(catalog, play, scene, "any", arguments) for _ in range(2))

    assert first == second
    if not isinstance(arguments, dict):
        assert first.because == "invalid_arguments"
    elif "a" in arguments:
        assert first.because == "rule"
        assert first.answer is not None
        assert first.answer.recorded == arguments
        assert first.scene.state == state | {"x": arguments["a"]}
    else:
        assert first.because == ("fault" if len(state) < 2 else "unexpected")
        assert first.scene.state == state
    assert decide(catalog, play, scene, "absent", arguments).because == "unknown_tool"


@given(order=st.permutations(range(6)), query=st.integers(0, 5))
def test_of_the_rules_that_fit_the_first_in_the_file_wins(make_catalog: Any, order: list[int], query: int) -> None:
    rules = [{"arguments": {"properties": {"n": {"minimum": bound}}}, "reply": {"body": bound}} for bound in order]
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
    catalog, play = played(make_catalog(tool), one(*rules))

    decision = decide(catalog, play, Scene({}, frozenset()), "t", {"n": query})

    assert decision.answer is not None
    assert decision.answer.recorded == next(bound for bound in order if query >= bound)


@given(value=JSON)
def test_what_a_call_brings_comes_back_unchanged_in_every_form(make_catalog: Any, value: Any) -> None:
    tool = {"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
    catalog, play = played(make_catalog(tool), one({"reply": {"body": {"v": {"$argument": "/v"}}}}))

    answer = decide(catalog, play, Scene({}, frozenset()), "t", {"v": value}).answer

    assert answer is not None
    content: Any = answer.sent["content"]
    assert answer.recorded == answer.sent["structuredContent"] == {"v": value}
    assert json.loads(content[0]["text"]) == {"v": value}


def test_a_catalog_that_is_read_keeps_every_key_of_its_tools(make_catalog: Any) -> None:
    tool = {"name": "t", "inputSchema": {"type": "object"}, "x-own": {"deep": [1]}, "annotations": {}, "icons": []}

    catalog, faults = read_catalog("c.json", make_catalog(tool))

    assert faults == []
    assert catalog is not None
    assert dict(catalog.tools["t"].raw) == tool
