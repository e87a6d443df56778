"""A suite's plugin in the place of a trial: laid there, given its fixtures' addresses, and read back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from skilltrial.archive.trees import sha256
from skilltrial.model.notes import PluginPlaced
from skilltrial.model.packaged import ROOT, PluginSource
from skilltrial.model.suite import Run
from skilltrial.model.trial import Offer, Place, PlacedPlugin, Script

from .gathering import read_tree
from .packaging import MANIFESTS, without_skills
from .preparing import Package
from .workspace import SHOP, Folders, write_tree

MCP = "/mcp"
"""What an address of a fixture ends with; a plugin's variable is what stands before it."""


def placed(package: Package | None, folders: Folders) -> PlacedPlugin | None:
    """Lay the plugin beside the project; None where there is none."""
    if package is None:
        return None
    folder = folders.plugins / SHOP / package.name / package.version
    folder.mkdir(mode=0o700, parents=True)
    write_tree(package.tree, folder)
    return PlacedPlugin(package.name, package.version, folder, package.servers)


def allowed(rules: Iterable[str], plugin: PlacedPlugin | None) -> tuple[str, ...]:
    """A suite's `allow` with the plugin's folder in it; without rules about a plugin that is not there."""
    if plugin is None:
        return tuple(rule for rule in rules if ROOT not in rule)
    return tuple(rule.replace(ROOT, str(plugin.folder)) for rule in rules)


def acted(script: Script, plugin: PlacedPlugin | None) -> Script:
    """A script whose commands name the plugin's folder as `allow` does."""
    if plugin is None:
        return script
    folder = str(plugin.folder)
    return Script(
        tuple(
            tuple(Run(run=act.run.replace(ROOT, folder)) if isinstance(act, Run) else act for act in turn)
            for turn in script.turns
        )
    )


def with_variables(place: Place, source: PluginSource | None, offers: Iterable[Offer]) -> Place:
    """The place whose environment holds the addresses that the plugin's MCP entries, hooks and scripts ask for.

    A fixture without one leaves its variable out: the program then finds no server there, which is on record.
    """
    if source is None or place.plugin is None:
        return place
    addresses = {offer.name: offer.url.removesuffix(MCP) for offer in offers if offer.url is not None}
    found = {}
    for variable, value in source.variables.items():
        name, slash, rest = value.partition("/")
        if name in addresses:
            found[variable] = f"{addresses[name]}{slash}{rest}"
    return replace(place, environment={**place.environment, **found})


def plugin_note(plugin: PlacedPlugin, folders: Folders) -> PluginPlaced:
    """What lies there, read back, before the host writes addresses where its program can't be told them otherwise."""
    tree = read_tree(plugin.folder)
    files = {entry.path: entry.sha256 for entry in tree.entries if entry.sha256 is not None}
    manifests = {path: without_skills(tree.data(path) or b"") for path in MANIFESTS if path in files}
    return PluginPlaced(
        plugin=plugin.name,
        path=f"../{plugin.folder.relative_to(folders.root).as_posix()}",
        sha256=tree.digest(),
        files={**files, **{path: sha256(data) for path, data in manifests.items()}},
        servers=plugin.servers,
    )
