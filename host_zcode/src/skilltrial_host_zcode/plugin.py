"""The suite's plugin in this program: addresses in its MCP entries, and what the program found of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from skilltrial.api import FoundServer, Offer, PlacedPlugin, PluginFound, PluginPlaced

from .lines import NOTHING, Object, inner, number, several, text
from .naming import of_plugin

_FILES = (".mcp.json", ".zcode-plugin/plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json")
_VARIABLE = re.compile(r"\$\{([A-Z][A-Z0-9_]*)(?::-[^}]*)?\}")
ASKED = ("plugins/list", "mcp/list", "plugins/referenceCatalog")
"""What is asked of the program where it is to install a plugin."""


def fill(plugin: PlacedPlugin, environment: Mapping[str, str]) -> None:
    """Write the addresses into the plugin's MCP entries: of the environment the program expands its own names only."""
    for path in (plugin.folder / name for name in _FILES):
        if path.is_file():
            before = path.read_text("utf-8", "surrogateescape")
            filled = _VARIABLE.sub(lambda found: environment.get(found[1], found[0]), before)
            if filled != before:
                path.write_text(filled, "utf-8", "surrogateescape")


def within(plugin: PlacedPlugin | None, offer: Offer) -> bool:
    """Whether the plugin brings this server."""
    return plugin is not None and offer.name in plugin.servers


@dataclass
class Installed:
    """What one process of the program said of the plugin of a trial."""

    note: PluginPlaced
    told: dict[str, Object] = field(default_factory=dict)

    def found(self, seq: int, turn: int) -> PluginFound:
        """What it found. What it was not asked, or did not answer, was not found."""
        listed = self.told.get("plugins/list", NOTHING)
        faults = [one for one in several(listed, "diagnostics") if self._is_ours(one)]
        entry = self._entry(listed)
        path = self.note.path.removeprefix("../")
        enabled = entry.get("enabled") is True and (text(entry, "rootPath") or "").rstrip("/").endswith(f"/{path}")
        return PluginFound(
            seq=seq,
            turn=turn,
            plugin=self.note.plugin,
            enabled=enabled,
            skills=tuple(self._skills()),
            servers=tuple(self._server(name) for name in self.note.servers),
            faults=len(faults),
        )

    def _skills(self) -> Iterator[str]:
        prefix = f"{self.note.plugin}:"
        for name in several(self._entry(self.told.get("plugins/referenceCatalog", NOTHING)), "skillQualifiedNames"):
            if isinstance(name, str):
                yield name.removeprefix(prefix)

    def _server(self, name: str) -> FoundServer:
        status = inner(inner(self.told.get("mcp/list", NOTHING), "statuses"), of_plugin(self.note.plugin, name))
        return FoundServer(name, connected=text(status, "status") == "connected", tools=number(status, "toolCount"))

    def _entry(self, result: Object) -> Object:
        entries = [one for one in several(result, "plugins") if text(one, "name") == self.note.plugin]
        return entries[0] if len(entries) == 1 and isinstance(entries[0], dict) else NOTHING

    def _is_ours(self, fault: object) -> bool:
        """Whether a fault that the program found is of the plugin, or of nobody in particular."""
        named = text(fault, "pluginId")
        return named is None or named.partition("@")[0] == self.note.plugin
