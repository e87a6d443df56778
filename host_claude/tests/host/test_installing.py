"""A plugin that the program is to install: given to it as its users do, and nothing else let in beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import Call, Offer, PlacedPlugin, ToolOffer
from skilltrial_host_claude.dialect import ClaudeDialect

MEMORY = Offer("memory", url="http://127.0.0.1:1/run/abc/mcp", tools=("save",))
ORDERS = Offer("orders", command=("server", "--stdio"))


@pytest.fixture
def with_plugin(stage: Any, tmp_path: Path) -> Any:
    folder = tmp_path / "plugins" / "my.atlas"
    folder.mkdir(parents=True)
    plugin = PlacedPlugin("my.atlas", "1.0.0", folder, servers=("memory",))
    return replace(stage, place=replace(stage.place, plugin=plugin))


def given(argv: tuple[str, ...], option: str) -> list[str]:
    """What stands behind an option, up to the next one."""
    rest = argv[argv.index(option) + 1 :]
    return list(rest[: next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))])


def test_the_program_is_given_the_folder_and_only_the_other_servers_by_name(with_plugin: Any) -> None:
    argv = with_plugin.command(offers=(MEMORY, ORDERS)).argv

    assert given(argv, "--plugin-dir") == [str(with_plugin.place.plugin.folder)]
    (servers,) = given(argv, "--mcp-config")
    assert json.loads(Path(servers).read_text("utf-8"))["mcpServers"].keys() == {"orders"}
    assert "--include-hook-events" in argv


def test_where_the_plugin_has_all_servers_none_is_named_beside_it(with_plugin: Any) -> None:
    assert "--mcp-config" not in with_plugin.command(offers=(MEMORY,)).argv


def test_in_the_place_of_strictness_stands_a_list_of_the_trials_own_servers(with_plugin: Any) -> None:
    """`--strict-mcp-config` would leave out the plugin's server too."""
    argv = with_plugin.command(offers=(MEMORY, ORDERS)).argv

    assert "--strict-mcp-config" not in argv
    (settings,) = given(argv, "--managed-settings")
    assert json.loads(settings) == {
        "allowManagedMcpServersOnly": True,
        "allowedMcpServers": [{"serverUrl": MEMORY.url}, {"serverCommand": ["server", "--stdio"]}],
    }
    assert given(argv, "--setting-sources") == ["project"]


def test_without_a_plugin_nothing_is_different(stage: Any) -> None:
    argv = stage.command(offers=(MEMORY,)).argv

    assert "--strict-mcp-config" in argv
    assert not {"--plugin-dir", "--managed-settings", "--include-hook-events"} & set(argv)


def test_its_tools_and_its_files_need_no_asking(with_plugin: Any) -> None:
    allowed = given(with_plugin.command(offers=(MEMORY, ORDERS)).argv, "--allowedTools")

    assert allowed[0] == "Skill"
    assert "mcp__plugin_my_atlas_memory__save" in allowed
    assert "mcp__orders" in allowed
    assert f"Read(/{with_plugin.place.plugin.folder}/**)" in allowed


def test_a_script_calls_its_tools_by_the_names_that_the_program_gives_them() -> None:
    act = Call.model_validate({"call": {"server": "memory", "tool": "save", "arguments": {}}})
    plain, inside = ToolOffer("mcp__memory__save"), ToolOffer("mcp__plugin_my_atlas_memory__save")

    assert ClaudeDialect().spell(act, (inside,)).name == inside.name
    assert ClaudeDialect().spell(act, (inside, plain)).name == plain.name
