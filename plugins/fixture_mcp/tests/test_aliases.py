"""Other names of a tool: which of them a catalog has, and what then is meant by rules and by whoever asks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import JsonValue, ValidationError

from skilltrial.api import Heard, Question, Readiness, Remarks, ToolAnswer
from skilltrial.testing import AnswererFacade, FixtureFacade, bind
from skilltrial_fixture_mcp.aliases import known, present
from skilltrial_fixture_mcp.catalog import digest
from skilltrial_fixture_mcp.fixture import McpFixture
from skilltrial_fixture_mcp.knowing import Knowing

REPLIES = b"""
schema_version: 1
scripts:
  one:
    hidden: [old_list]
    rules:
      - {tool: old_get, show: [old_list], reply: {body: got}}
      - {tool: [old_list, new_list], reply: {body: listed}}
"""
ALIASES = {"old_get": ["newest_get", "new_get"], "old_list": ["new_list"]}


def files(*tools: str, replies: bytes = REPLIES) -> dict[str, bytes]:
    catalog: dict[str, Any] = {
        "schema_version": 1,
        "server": {"name": "s", "version": "1"},
        "captured": "2026-01-01",
        "protocol": "2025-11-25",
        "tools": [{"name": name, "inputSchema": {"type": "object"}} for name in tools],
    }
    return {"c.json": json.dumps({**catalog, "sha256": digest(catalog)}).encode(), "r.yaml": replies}


def fixture(aliases: Any = ALIASES) -> FixtureFacade:
    return bind(FixtureFacade, "mcp", McpFixture(catalog="c.json", replies="r.yaml", aliases=aliases))


@pytest.mark.parametrize(
    ("tools", "means"),
    [
        (("old_get", "old_list"), {"newest_get": "old_get", "new_get": "old_get", "new_list": "old_list"}),
        (("new_get", "new_list"), {"old_get": "new_get", "newest_get": "new_get", "old_list": "new_list"}),
        (("newest_get", "new_get", "old_list"), {"old_get": "newest_get", "new_list": "old_list"}),
        (("old_get", "new_get", "new_list"), {"newest_get": "old_get", "old_list": "new_list"}),
    ],
)
def test_the_name_that_the_catalog_has_is_meant(tools: tuple[str, ...], means: dict[str, str]) -> None:
    """A tool that is there itself is meant itself; of several other names the first one."""
    assets = files(*tools)

    assert fixture().check_fixture(assets, {}) == ()
    assert fixture().describe_fixture(assets).aliases == means
    assert fixture().describe_fixture(assets).tools == tools


def test_a_tool_that_the_catalog_has_under_no_name_is_a_fault() -> None:
    (fault,) = fixture().check_fixture(files("new_list"), {})

    assert fault.startswith("r.yaml")
    assert "the catalog has no tool of this name" in fault


def test_without_aliases_nothing_is_meant_but_what_is_written() -> None:
    assert len(fixture({}).check_fixture(files("new_get", "new_list"), {})) == 4
    assert present(("a",), {}) == {}


def test_rules_answer_the_other_names(serve: Any, make_tool: Any) -> None:
    client = serve(REPLIES.decode(), make_tool("new_get"), make_tool("new_list"), aliases=ALIASES)

    assert [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]] == ["new_get"]
    assert client.call("new_get")["content"][0]["text"] == "got"
    assert client.call("new_list")["content"][0]["text"] == "listed"


class Knows:
    """An answerer that knows the tool `old_get`, and asks it before a trial."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def check_state(self) -> Sequence[str]:
        return ()

    def check_ready(self, heard: Sequence[Heard] | None) -> Readiness:
        return Readiness(heard is None or [one.question.tool for one in heard] == ["old_get"], "asked_another")

    def list_questions(self) -> Sequence[Question]:
        return (Question("old_get", {}),)

    def remark(self, tool: str) -> Remarks:
        self.asked.append(tool)
        return Remarks(marks=tool)

    def answer_call(self, tool: str, state: Mapping[str, JsonValue]) -> ToolAnswer:
        self.asked.append(tool)
        return ToolAnswer(f"by {tool}", state, marks=tool, scripted=tool == "old_get")


def test_an_answerer_is_asked_by_the_name_that_it_knows(run_server: Any, make_tool: Any) -> None:
    knows = Knows()
    answerer = bind(AnswererFacade, "knows", knows)
    replies = "scripts: {one: {rules: [{tool: old_list, reply: {body: listed}}]}}"
    tools = (make_tool("new_get"), make_tool("new_list"))

    with run_server(replies, *tools, answerer=answerer, aliases=ALIASES) as server, server.trial() as client:
        said = client.call("new_get")
        listed = client.call("new_list")

    # The record has the name under which the tool was offered and called.
    assert [note["tool"] for note in client.of("called")] == ["new_get", "new_list"]
    assert [note["because"] for note in client.of("answered")] == ["answerer", "rule"]
    assert [note.get("marks") for note in client.of("answered")] == ["old_get", None]
    assert (said["content"][0]["text"], listed["content"][0]["text"]) == ("by old_get", "listed")
    assert knows.asked == ["old_get"]


def test_a_real_server_is_asked_by_the_name_that_it_has() -> None:
    knows = Knows()
    names = known(("new_get", "old_list"), ALIASES)
    asking = Knowing(bind(AnswererFacade, "knows", knows), names)

    (question,) = asking.list_questions({})

    assert names == {"new_get": "old_get"}
    assert question.tool == "new_get"
    assert asking.check_ready({}, [Heard(question, None)]).holds
    assert asking.remark("new_get", {}, None, False, {}).marks == "old_get"


def test_of_two_tools_that_one_stands_for_the_first_is_known() -> None:
    assert known(("new",), {"a": ["new"], "b": ["new"], "c": ["else"]}) == {"new": "a"}
    assert known(("a", "new"), {"a": ["new"]}) == {}


@pytest.mark.parametrize("aliases", [{"a": []}, {"": ["b"]}, {"a": "b"}])
def test_aliases_are_lists_of_names(aliases: Any) -> None:
    with pytest.raises(ValidationError):
        fixture(aliases)
