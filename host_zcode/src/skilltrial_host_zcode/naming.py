"""How the program calls the tools of MCP servers: `mcp__SERVER__TOOL`, a plugin's `mcp__plugin_PLUGIN_SERVER__TOOL`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_UNNAMEABLE = re.compile(r"[^A-Za-z0-9_-]")


def of_plugin(plugin: str, server: str) -> str:
    """The program's name of a server that a plugin brings."""
    return f"plugin:{plugin}:{server}"


def native(server: str, tool: str) -> str:
    """The name under which the model is offered a server's tool."""
    return f"mcp__{_plain(server)}__{_plain(tool)}"


def _plain(name: str) -> str:
    return _UNNAMEABLE.sub("_", name)


@dataclass
class Names:
    """The servers of a session with their tools, under the names by which they were offered."""

    servers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    plugin: str | None = None

    def split(self, name: str) -> tuple[str, str | None]:
        """A native name as the tool's own name and its server; a tool of the program's has no server."""
        if not name.startswith("mcp__"):
            return name, None
        for server, tools in self.servers.items():
            for known in self._forms(server):
                for tool in tools:
                    if name == native(known, tool):
                        return tool, server
        # A tool that nobody offered, under the name of a server that is there: the longest name is meant.
        forms = [(form, server) for server in self.servers for form in self._forms(server)]
        for form, server in sorted(forms, key=_length, reverse=True):
            if name.startswith(native(form, "")):
                return name.removeprefix(native(form, "")), server
        server, _, tool = name.removeprefix("mcp__").partition("__")
        return (tool, server) if server and tool else (name, None)

    def _forms(self, server: str) -> Iterator[str]:
        yield server
        if self.plugin is not None:
            yield of_plugin(self.plugin, server)


def _length(form: tuple[str, str]) -> int:
    return len(form[0])
