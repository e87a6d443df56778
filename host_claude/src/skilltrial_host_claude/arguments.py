"""The program's arguments and its file of MCP servers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from skilltrial.api import InvalidRequest, Offer, PlacedPlugin

from .plugin import only_own_servers, qualified, rules


def arguments(
    *,
    allow: tuple[str, ...],
    offers: tuple[Offer, ...],
    servers: Path,
    model: str | None,
    effort: str | None,
    plugin: PlacedPlugin | None = None,
) -> tuple[str, ...]:
    """The arguments of every turn. `servers` is the file that `servers_file` wrote.

    Raises InvalidRequest for an `allow` that would be taken for an option.
    """
    for rule in allow:
        if rule.startswith("-") or not rule.strip():
            raise InvalidRequest(f"`allow` holds {rule!r}; Claude Code's rules are tools, such as Bash or Bash(git *)")
    # Options that take several values come first: what follows them must be an option, never the end.
    return (
        *("-p", "--output-format", "stream-json", "--verbose"),
        *("--allowedTools", *_allowed(allow, offers, plugin)),
        *(("--mcp-config", str(servers)) if _without(offers, plugin) else ()),
        *("--setting-sources", "project"),
        *(_installing(plugin, offers) if plugin is not None else ("--strict-mcp-config",)),
        *("--permission-mode", "acceptEdits"),
        *(("--model", model) if model is not None else ()),
        *(("--effort", effort) if effort is not None else ()),
    )


def servers_file(offers: tuple[Offer, ...], plugin: PlacedPlugin | None = None) -> str:
    """The text of the file that names the servers, but for those that the plugin names itself."""
    named = {offer.name: _server(offer) for offer in _without(offers, plugin) if offer.is_server}
    return json.dumps({"mcpServers": named})


def _without(offers: tuple[Offer, ...], plugin: PlacedPlugin | None) -> tuple[Offer, ...]:
    return offers if plugin is None else tuple(offer for offer in offers if offer.name not in plugin.servers)


def _installing(plugin: PlacedPlugin, offers: tuple[Offer, ...]) -> tuple[str, ...]:
    servers = only_own_servers(offers)
    return ("--plugin-dir", str(plugin.folder), "--managed-settings", servers, "--include-hook-events")


def _allowed(allow: tuple[str, ...], offers: tuple[Offer, ...], plugin: PlacedPlugin | None) -> Iterator[str]:
    """What needs no asking, alike in all arms.

    `Skill` is always there: a skill that declares tools of its own asks before it is loaded, and nobody would answer.
    """
    yield "Skill"
    yield from (rule for rule in allow if rule != "Skill")
    for offer in offers:
        if offer.programs is not None:
            yield from (f"Bash({program}:*)" for program in offer.tools)
            continue
        inside = plugin is not None and offer.name in plugin.servers
        name = qualified(plugin.name, offer.name) if plugin is not None and inside else offer.name
        if not offer.tools:
            yield f"mcp__{name}"
        yield from (f"mcp__{name}__{tool}" for tool in offer.tools)
    if plugin is not None:
        yield from rules(plugin)


def _server(offer: Offer) -> dict[str, object]:
    if offer.url is not None:
        return {"type": "http", "url": offer.url}
    command, *arguments = offer.command
    return {"type": "stdio", "command": command, "args": arguments, "env": dict(offer.environment)}
