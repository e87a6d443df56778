"""What names the account behind a fixture that forwards."""

from __future__ import annotations

import re
from typing import Any

import pytest

from skilltrial_fixture_mcp.fixture import McpFixture


@pytest.mark.parametrize(
    ("options", "account"),
    [
        (
            {"url": "https://Memory.Example:8443/mcp/?key=hidden#x", "token_env": "KEY"},
            "https://memory.example:8443/mcp",
        ),
        ({"url": "https://memory.example:8443/mcp"}, "https://memory.example:8443/mcp"),
        ({"command": ("server", "--key", "hidden")}, r"server \([0-9a-f]{12}\)"),
    ],
)
def test_an_account_is_named_by_its_address_and_never_by_a_credential(
    make_catalog: Any, make_tool: Any, options: Any, account: str
) -> None:
    """Two runs that name one account are held apart."""
    fixture = McpFixture(catalog="c.json", mode="forward", **options)
    told = fixture.describe_fixture({"c.json": make_catalog(make_tool("save"))})

    assert told.account is not None
    assert re.fullmatch(account, told.account)
    assert "hidden" not in told.model_dump_json()
    replies = McpFixture(catalog="c.json", replies="r.yaml")
    assert replies.describe_fixture({"c.json": make_catalog(make_tool("save"))}).account is None
