"""Whether the program found the plugin as the arm has it: its skills, and its MCP servers with all their tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from skilltrial.model.events import Event, PluginFound
from skilltrial.model.packaged import Delivery
from skilltrial.model.plan import Plan
from skilltrial.model.words import Owner

Doubt = tuple[str, Owner]
"""Why a trial shows nothing, in a word, and who has to act."""
PLUGIN_AMISS = "invalid_native_plugin_discovery"
SERVER_AMISS = "incomplete_native_mcp_discovery"


@dataclass(frozen=True, slots=True)
class Installed:
    """The plugin that an arm's trials were given to install."""

    name: str
    sha256: str
    skills: frozenset[str]
    """Those that the arm has in it."""
    known: frozenset[str]
    """Those that any arm has: what else a program lists under the plugin's name (its commands) is alike in all."""
    servers: Mapping[str, int]
    """Server → how many tools its fixture offers."""


def installed_in(plan: Plan, arm: str) -> Installed | None:
    """What the plan says of an arm; None where the program was given no plugin."""
    plugin = plan.plugin
    if plugin is None or plugin.delivery is not Delivery.PLUGIN or arm not in plugin.arms:
        return None
    return Installed(
        name=plugin.name,
        sha256=plugin.arms[arm],
        skills=frozenset(plugin.skills.get(arm, ())),
        known=frozenset(name for names in plugin.skills.values() for name in names),
        servers={name: len(plan.fixtures[name].tools) for name in plugin.servers if name in plan.fixtures},
    )


def not_found(events: Iterable[Event], plugin: Installed, started: frozenset[int]) -> Doubt | None:
    """Doubt where a program that was `started` (in which turns) did not show the plugin as it was laid."""
    found = [event for event in events if isinstance(event, PluginFound) and event.plugin == plugin.name]
    if not found or started - {event.turn for event in found}:
        return PLUGIN_AMISS, Owner.HOST
    if any(not _whole(event, plugin) for event in found):
        return PLUGIN_AMISS, Owner.HOST
    if any(not _served(event, plugin) for event in found):
        return SERVER_AMISS, Owner.HOST
    return None


def _whole(found: PluginFound, plugin: Installed) -> bool:
    # A server of the plugin is reached by what the plugin says of it, and each of them has to list its tools.
    enabled = bool(plugin.servers) if found.enabled is None else found.enabled
    return enabled and not found.faults and plugin.known & set(found.skills) == plugin.skills


def _served(found: PluginFound, plugin: Installed) -> bool:
    """Whether each server was connected, and had as many tools as its fixture, where the program says so."""
    there = {server.name: server for server in found.servers if server.connected is not False}
    return all(name in there and there[name].tools in (None, tools) for name, tools in plugin.servers.items())
