"""The suite's plugin in this program: where it looks for one, what its configuration says of it, what was found.

The plugin lies by shop, name and version, as in the program's own store; so its store is a link to where it lies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skilltrial.api import FoundServer, Offer, PlacedPlugin, PluginFound, PluginPlaced

from .skills import offered
from .thread import Said, Thread

HOOKS_RUN = "--dangerously-bypass-hook-trust"
"""Hooks of plugins are run only once somebody has trusted them by hand; nobody is there."""
_TOLD = "<plugins_instructions>"
_FILES = (".mcp.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json")
_VARIABLE = re.compile(r"\$\{([A-Z][A-Z0-9_]*)(?::-[^}]*)?\}")


def install(plugin: PlacedPlugin, home: Path, environment: Mapping[str, str]) -> None:
    """Let the program find the plugin in its store, with the addresses in its MCP entries: it expands none itself."""
    store = home / "plugins" / "cache"
    store.parent.mkdir(mode=0o700)
    store.symlink_to(plugin.folder.parents[2])
    # With plugins switched on the program asks GitHub for a list of them, unless it can't take this lock.
    (home / ".tmp" / "plugins.sync.lock").mkdir(mode=0o700, parents=True)
    for path in (plugin.folder / name for name in _FILES):
        if path.is_file():
            text = path.read_text("utf-8", "surrogateescape")
            filled = _VARIABLE.sub(lambda found: environment.get(found[1], found[0]), text)
            if filled != text:
                path.write_text(filled, "utf-8", "surrogateescape")


def settings(plugin: PlacedPlugin, offers: tuple[Offer, ...]) -> dict[str, Any]:
    """What `config.toml` says of plugins. Its servers are fixtures, whose tools need no approval."""
    shop = plugin.folder.parents[1].name
    servers = {offer.name: {"default_tools_approval_mode": "approve"} for offer in _inside(plugin, offers)}
    return {f"{plugin.name}@{shop}": {"enabled": True, **({"mcp_servers": servers} if servers else {})}}


def outside(plugin: PlacedPlugin | None, offers: tuple[Offer, ...]) -> tuple[Offer, ...]:
    """The offers that the plugin does not bring."""
    return offers if plugin is None else tuple(offer for offer in offers if offer.name not in plugin.servers)


def _inside(plugin: PlacedPlugin, offers: tuple[Offer, ...]) -> tuple[Offer, ...]:
    return tuple(offer for offer in offers if offer.name in plugin.servers)


def found(main: Thread, note: PluginPlaced) -> Iterator[PluginFound]:
    """What the session log shows of the plugin in each turn.

    Skills are told at the beginning and where they change; which plugins are off, in each turn. That one is on is
    told by its skills alone, and of servers and hooks the log says nothing.
    """
    told = [step for step in main.steps if isinstance(step, Said) and step.role == "developer"]
    prefix = f"{note.plugin}:"
    for turn, (seq, off) in sorted(main.disabled.items()):
        before = [each for each in told if each.turn <= turn]
        lists = [names for each in before if (names := offered(each.text)) is not None]
        names = lists[-1] if lists else ()
        own = tuple(name.removeprefix(prefix) for name in names if name.startswith(prefix))
        yield PluginFound(
            seq=seq,
            turn=turn,
            plugin=note.plugin,
            enabled=_enabled(note, off, told=bool(own) or any(_TOLD in each.text for each in before)),
            skills=own,
            servers=tuple(FoundServer(server) for server in note.servers),
        )


def _enabled(note: PluginPlaced, off: tuple[str, ...], *, told: bool) -> bool | None:
    if any(one.partition("@")[0] == note.plugin for one in off):
        return False
    return True if told else None
