"""Other names of a tool: which of them a catalog has, and what then is meant by rules and by whoever asks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from skilltrial.testing import FixtureFacade, bind
from skilltrial_fixture_mcp.aliases import present
from skilltrial_fixture_mcp.catalog import digest
from skilltrial_fixture_mcp.fixture import McpFixture

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


@pytest.mark.parametrize("aliases", [{"a": []}, {"": ["b"]}, {"a": "b"}])
def test_aliases_are_lists_of_names(aliases: Any) -> None:
    with pytest.raises(ValidationError):
        fixture(aliases)
