"""The made-up home of the probes."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from skilltrial.doctor.canaries import (
    AGENTS,
    CANARY,
    CANARY_TEXT,
    MEMORY_TEXT,
    PLUGIN,
    PLUGIN_ID,
    PLUGIN_TEXT,
    PROJECT_TEXT,
    SHOP,
)
from skilltrial.doctor.planting import plant

KEPT = f"plugins/cache/{SHOP}/{PLUGIN}/1.0.0"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home, started = tmp_path / "home", tmp_path / "with a blank"
    started.mkdir()
    plant(home, started, Path("/somewhere/my_project+1"))
    return home


def value(file: Path) -> Any:
    return json.loads(file.read_bytes())


def holding(home: Path, text: str) -> set[str]:
    """The files that hold a text."""
    files = (path for path in home.rglob("*") if path.is_file())
    return {str(path.relative_to(home)) for path in files if text in path.read_text("utf-8")}


def test_the_canary_lies_wherever_a_program_could_look(home: Path) -> None:
    planted = holding(home, CANARY_TEXT)

    assert {f"{place}/skills/{CANARY}/SKILL.md" for place in (".agents", ".claude", ".codex")} <= planted
    assert {".claude/CLAUDE.md", ".codex/AGENTS.md"} <= planted


def test_each_program_has_a_memory_where_it_looks_for_one(home: Path) -> None:
    claude = Path(value(home / ".claude/settings.json")["autoMemoryDirectory"]) / "MEMORY.md"
    codex = tomllib.loads((home / ".codex/config.toml").read_text("utf-8"))

    assert codex["features"] == {"memories": True}
    assert holding(home, MEMORY_TEXT) == {str(claude.relative_to(home)), ".codex/memories/memory_summary.md"}


def test_claude_code_has_a_memory_of_the_project_where_it_looks_for_one(home: Path) -> None:
    assert holding(home, PROJECT_TEXT) == {".claude/projects/-somewhere-my-project-1/memory/MEMORY.md"}


def test_each_program_has_a_plugin_that_is_installed_and_enabled(home: Path) -> None:
    settings = value(home / ".claude/settings.json")
    (installed,) = value(home / ".claude/plugins/installed_plugins.json")["plugins"][PLUGIN_ID]
    known = value(home / ".claude/plugins/known_marketplaces.json")[SHOP]
    codex = tomllib.loads((home / ".codex/config.toml").read_text("utf-8"))
    shops = {".claude": Path(known["installLocation"]), ".codex": Path(codex["marketplaces"][SHOP]["source"])}

    assert settings["enabledPlugins"] == {PLUGIN_ID: True}
    assert codex["plugins"] == {PLUGIN_ID: {"enabled": True}}
    assert Path(installed["installPath"]) == home / ".claude" / KEPT
    for agent, shop in shops.items():
        (listed,) = value(shop / ".claude-plugin/marketplace.json")["plugins"]
        sources = {path.relative_to(shop / listed["source"]) for path in (shop / listed["source"]).rglob("*")}
        kept = {path.relative_to(home / agent / KEPT) for path in (home / agent / KEPT).rglob("*")}
        assert sources == kept
        assert PLUGIN_TEXT in (home / agent / KEPT / "skills/notes/SKILL.md").read_text("utf-8")
        assert value(home / agent / KEPT / f"{agent}-plugin/plugin.json")["name"] == PLUGIN


def test_the_users_own_programs_are_set_up_as_each_agent_wants_and_leave_a_trace(home: Path) -> None:
    codex = tomllib.loads((home / ".codex/config.toml").read_text("utf-8"))
    state = value(home / ".claude/.claude.json")
    brought = [home / agent / KEPT for agent in AGENTS]

    servers = [codex["mcp_servers"][CANARY], state["mcpServers"][CANARY]]
    servers += [one for folder in brought for one in value(folder / ".mcp.json")["mcpServers"].values()]
    hooks = [value(home / name) for name in (".claude/settings.json", ".codex/hooks.json")]
    hooks += [value(folder / "hooks/hooks.json") for folder in brought]
    for argv in (codex["notify"], *([one["command"], *one["args"]] for one in servers)):
        subprocess.run(argv, check=True)
    for one in hooks:
        commands = {hook["command"] for groups in one["hooks"].values() for group in groups for hook in group["hooks"]}
        (command,) = commands
        subprocess.run(command, shell=True, check=True)

    named = {f"{one} of {called}" for one in ("a hook", "an MCP server") for called in AGENTS.values()}
    named |= {f"a plugin's {one} of {called}" for one in ("hook", "MCP server") for called in AGENTS.values()}
    assert {path.name for path in (home.parent / "with a blank").iterdir()} == named | {"a notifier of Codex"}
