"""Which hosts a run is for, with which options, and what a routing policy says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skilltrial.model.errors import InvalidRequest, PluginNotFound
from skilltrial.model.request import Route
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.files import PartFile, in_file, read_part_file
from skilltrial.plugins.kinds import HOST

from .options import host_fields
from .routes import policy_of, routed

if TYPE_CHECKING:
    from skilltrial.record.routing.policy import Policy

ANY = "portable"
"""Whom a command without a host is for: a program of which nothing is known."""
_OF_ONE = ("host_binary", "host_command", "host_option")
"""Flags that can't be meant for several hosts."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One host, its options, and the route by which it may be used (None: no policy)."""

    name: str
    options: Mapping[str, object] = field(default_factory=dict)
    route: Route | None = None


def discover(named: tuple[str, ...]) -> Discovery:
    """The installed parts, and the hosts that `--host` named by their files. Raises InvalidRequest."""
    files: dict[str, PartFile] = {}
    for text in filter(in_file, named):
        file = read_part_file(HOST, text)
        if files.setdefault(file.name, file).path != file.path:
            raise InvalidRequest(f"two files are called {file.path.name}: an archive could not tell them apart")
    return Discovery(files=files.values())


def choose(given: Mapping[str, Any], discovery: Discovery, *, live: bool) -> tuple[Chosen, ...]:
    """The hosts of a run, in the order in which they were named. Raises InvalidRequest, click.UsageError."""
    fields = host_fields(dict(given))
    named = (Path(one).name if in_file(one) else one for one in given["host"])
    names = tuple(dict.fromkeys(named)) or (_found(discovery, fields),)
    if len(names) > 1:
        wrong = [flag for flag in _OF_ONE if given[flag]]
        if wrong or given["command"]:
            flag = f"--{wrong[0].replace('_', '-')}" if wrong else "a command after --"
            raise click.UsageError(f"{flag} is for one host; here are {', '.join(names)}")
    policy = policy_of(given)
    return tuple(_routed(name, fields, policy, given, discovery, live=live) for name in names)


def _routed(
    name: str,
    fields: Mapping[str, object],
    policy: Policy | None,
    given: Mapping[str, Any],
    discovery: Discovery,
    *,
    live: bool,
) -> Chosen:
    if policy is None:
        return Chosen(name, fields)
    route, options = routed(policy, name, fields, given, discovery, live=live)
    return Chosen(name, options, route)


def _found(discovery: Discovery, fields: Mapping[str, object]) -> str:
    """The host that is meant where none was named. Raises click.UsageError that lists them."""
    if "command" in fields:
        takes = [one for one in discovery.names(HOST) if _takes_command(discovery, one)]
        if ANY in takes:
            return ANY
        if len(takes) == 1:
            return takes[0]
        raise click.UsageError(f"which host runs the command? give --host with one of: {', '.join(takes) or 'none'}")
    installed = list(_programs(discovery))
    if len(installed) == 1:
        return installed[0]
    if not discovery.names(HOST):
        raise click.UsageError("no host is installed; install one: skilltrial-host-portable drives any command")
    if not installed:
        raise click.UsageError(
            "no agent program was found (`skilltrial doctor` says what was looked for); give --host, or your agent's "
            "command after --"
        )
    raise click.UsageError(f"which agent? give --host with one of: {', '.join(installed)}")


def _takes_command(discovery: Discovery, name: str) -> bool:
    try:
        return "command" in getattr(discovery.load(HOST, name), "__dataclass_fields__", {})
    except InvalidRequest:
        return False


def _programs(discovery: Discovery) -> Iterator[str]:
    from skilltrial.doctor.finding import examine_all

    try:
        yield from (one.name for one in examine_all(discovery) if one.runs)
    except PluginNotFound:
        return
