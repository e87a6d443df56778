"""The suite's plugin in this program: what it may do, how its tools are called, and what the program found of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from skilltrial.api import FoundServer, Offer, PlacedPlugin, PluginPlaced

from .lines import Object, several, strings, text

_UNNAMEABLE = re.compile(r"[^A-Za-z0-9_-]")
_FINE = (0, 2, None)
"""Exit codes of hooks: with 2 one decides against something, which is its business. None: it runs no program."""


def only_own_servers(offers: tuple[Offer, ...]) -> str:
    """Settings that let the program connect to the trial's own servers, and to no other.

    The option that leaves out all servers but those of the command line leaves out a plugin's too. In its place stands
    this list, by addresses that hold a word of the trial: as settings of whoever starts the program (the SDK's
    `managedSettings`) it is the only such list that counts. Among plain `--settings` a project's own list would be
    added to it. Whether it held is seen all the same: a server that is not the trial's is a fault (`Installed.found`).
    """
    by_url = [{"serverUrl": offer.url} for offer in offers if offer.url is not None]
    by_command = [{"serverCommand": list(offer.command)} for offer in offers if offer.command]
    return json.dumps({"allowManagedMcpServersOnly": True, "allowedMcpServers": [*by_url, *by_command]})


def rules(plugin: PlacedPlugin) -> tuple[str, ...]:
    """What needs no asking beside its tools: to read it, as a skill that lies in the project can be read."""
    return (f"Read(/{plugin.folder}/**)",)


def qualified(plugin: str, server: str) -> str:
    """The name of a plugin's server in the names of its tools: `mcp__NAME__TOOL`."""
    return _UNNAMEABLE.sub("_", f"plugin:{plugin}:{server}")


def named(server: str) -> str:
    """How the names of a server's tools begin."""
    return f"mcp__{_UNNAMEABLE.sub('_', server)}__"


@dataclass
class Installed:
    """The plugin of a trial, as its note says; None in a trial without."""

    note: PluginPlaced | None = None
    failed_hooks: int = 0
    """Of the process that runs."""
    names: dict[str, str] = field(default_factory=dict)
    """A server's name in the names of its tools → the fixture that it is."""

    def placed(self, note: PluginPlaced) -> None:
        """The plugin lies there."""
        self.note = note
        self.names = {qualified(note.plugin, server): server for server in note.servers}

    def server(self, native: str) -> str:
        """The fixture behind a server's name in the names of tools."""
        return self.names.get(native, native)

    def listed(self, skill: str) -> str:
        """A skill's id in a list of the program's: without the plugin's name."""
        return skill.removeprefix(f"{self.note.plugin}:") if self.note is not None else skill

    def hook(self, line: Object) -> None:
        """A hook ended."""
        if text(line, "outcome") == "cancelled" or line.get("exit_code") not in _FINE:
            self.failed_hooks += 1

    def found(self, line: Object) -> dict[str, Any] | None:
        """The fields of `PluginFound` in what the program says that it has; None in a trial without a plugin."""
        if self.note is None:
            return None
        name, path = self.note.plugin, self.note.path.removeprefix("../")
        there = [each for each in several(line, "plugins") if text(each, "name") == name]
        tools = strings(line, "tools") or ()
        states = {text(each, "name"): text(each, "status") for each in several(line, "mcp_servers")}
        named = {text(each, "name") for each in several(line, "mcp_servers") if text(each, "source") == "dynamic"}
        ours = {f"plugin:{name}:{server}" for server in self.note.servers} | named
        servers = tuple(
            FoundServer(
                server,
                connected=states.get(f"plugin:{name}:{server}") == "connected",
                tools=sum(tool.startswith(f"mcp__{qualified(name, server)}__") for tool in tools),
            )
            for server in self.note.servers
        )
        listed = strings(line, "skills") or ()
        skills = (each.removeprefix(f"{name}:") for each in listed if each.startswith(f"{name}:"))
        enabled = [text(each, "path") or "" for each in there]
        return {
            "plugin": name,
            "enabled": len(enabled) == 1 and enabled[0].endswith(f"/{path}"),
            "skills": tuple(skills),
            "servers": servers,
            "faults": len(several(line, "plugin_errors")) + len(states.keys() - ours),
        }
