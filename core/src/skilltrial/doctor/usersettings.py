"""Settings of a made-up user who has a server, a hook, a memory and a plugin in each program."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from .canaries import (
    CANARY,
    CLAUDE,
    CODEX,
    MEMORY_FOLDER,
    PLUGIN_ID,
    SHOP,
    VERSION,
    hooks,
    installed,
    leaves,
    shop,
    write,
    write_json,
)

_WHEN = "2026-01-01T00:00:00.000Z"


def settle(home: Path, started: Path) -> None:
    """Write them. A program that they name leaves a file in the folder `started`."""
    _claude(home, started)
    own = home / CODEX / "hooks.json"
    write_json(own, {"hooks": hooks(leaves(started, "a hook of Codex"))})
    write(home / CODEX / "config.toml", "\n".join(_codex(home, own, started)) + "\n")


def _claude(home: Path, started: Path) -> None:
    program, *arguments = leaves(started, "an MCP server of Claude Code")
    servers = {"mcpServers": {CANARY: {"type": "stdio", "command": program, "args": arguments}}}
    for name in (".claude.json", f"{CLAUDE}/.claude.json"):
        write_json(home / name, servers)
    source = {"source": {"source": "directory", "path": str(shop(home, CLAUDE))}}
    settings = {
        "hooks": hooks(leaves(started, "a hook of Claude Code")),
        # A memory is a project's, unless the user gives it a folder; a trial's project is not known here.
        "autoMemoryDirectory": str(home / CLAUDE / MEMORY_FOLDER),
        "extraKnownMarketplaces": {SHOP: source},
        "enabledPlugins": {PLUGIN_ID: True},
    }
    write_json(home / CLAUDE / "settings.json", settings)
    plugins = home / CLAUDE / "plugins"
    known = {**source, "installLocation": str(shop(home, CLAUDE)), "lastUpdated": _WHEN}
    write_json(plugins / "known_marketplaces.json", {SHOP: known})
    where = {"scope": "user", "installPath": str(installed(home, CLAUDE)), "version": VERSION}
    entry = {**where, "installedAt": _WHEN, "lastUpdated": _WHEN}
    write_json(plugins / "installed_plugins.json", {"version": 2, "plugins": {PLUGIN_ID: [entry]}})


def _codex(home: Path, own: Path, started: Path) -> Iterator[str]:
    """Lines of a `config.toml`. JSON's lists and texts are also TOML's."""
    program, *arguments = leaves(started, "an MCP server of Codex")
    yield f"notify = {json.dumps(leaves(started, 'a notifier of Codex'))}"
    yield f"[features]\nmemories = true\n[mcp_servers.{CANARY}]\ncommand = {json.dumps(program)}"
    yield f"args = {json.dumps(arguments)}"
    yield f'[marketplaces.{SHOP}]\nsource_type = "local"\nsource = {json.dumps(str(shop(home, CODEX)))}'
    yield f"[plugins.{json.dumps(PLUGIN_ID)}]\nenabled = true"
    yield from _trusted(str(own), leaves(started, "a hook of Codex"))
    yield from _trusted(f"{PLUGIN_ID}:hooks/hooks.json", leaves(started, "a plugin's hook of Codex"))


def _trusted(where: str, command: list[str]) -> Iterator[str]:
    """That the user trusts this hook: without it Codex starts none."""
    hook = {"async": False, "command": shlex.join(command), "timeout": 600, "type": "command"}
    named = json.dumps({"event_name": "session_start", "hooks": [hook]}, sort_keys=True, separators=(",", ":"))
    yield f"[hooks.state.{json.dumps(f'{where}:session_start:0:0')}]"
    yield f'trusted_hash = "sha256:{sha256(named.encode()).hexdigest()}"'
