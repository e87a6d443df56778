"""A suite's packaged plugin, as each arm has it: alike, but for the skills that the arm lacks."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from skilltrial.archive.trees import Tree, sha256
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.evidence import Entry, FileKind
from skilltrial.model.packaged import PLUGIN_NAME, PluginSource
from skilltrial.model.part import canonical
from skilltrial.model.suite import Suite

from .preparing import Package, PreparedSkill

MANIFESTS = (".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".zcode-plugin/plugin.json")
"""Where programs look for a plugin's manifest. A plugin may have one for each; they must agree on its name."""
SERVERS = ".mcp.json"
_NO_VERSION = "0.0.0"
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")


@dataclass(frozen=True, slots=True)
class Packager:
    """Makes the plugin of each arm. `tree` is the suite's folder of it, read."""

    suite: Suite
    tree: Tree

    def faults(self, fixtures: Mapping[str, bool]) -> Iterator[str]:
        """What is wrong with the plugin, a sentence each. `fixtures` are those of the suite: has it an address?"""
        source = self.suite.plugin
        if source is not None:
            found = (*self._manifest_faults(), *self._server_faults(source, fixtures))
            yield from (f"plugin {source.folder}: {fault}" for fault in found)

    def _manifest_faults(self) -> Iterator[str]:
        manifests = {path: _read(self.tree, path) for path in MANIFESTS if self.tree.data(path) is not None}
        if not manifests:
            yield f"it has no manifest; programs look for one in {', '.join(MANIFESTS)}"
        yield from (f"{path} is no JSON object" for path, value in manifests.items() if value is None)
        read = {path: value for path, value in manifests.items() if value is not None}
        for path, value in read.items():
            version = value.get("version", _NO_VERSION)
            if not isinstance(version, str) or not _VERSION.fullmatch(version):
                yield f"`version` of {path} must be letters, digits, `.`, `_`, `+` and `-`"
            name = value.get("name")
            if not isinstance(name, str) or not re.fullmatch(PLUGIN_NAME, name):
                yield f"`name` of {path} must be small letters, digits, `.`, `_` and `-`, with no `-` first"
        names = [value.get("name") for value in read.values()]
        if len({json.dumps(name) for name in names}) > 1:
            yield f"its manifests have different names: {', '.join(map(str, names))}"
        if self.tree.data(SERVERS) is not None and _read(self.tree, SERVERS) is None:
            yield f"{SERVERS} is no JSON object"

    def _server_faults(self, source: PluginSource, fixtures: Mapping[str, bool]) -> Iterator[str]:
        for name in self.servers:
            if name not in fixtures:
                yield (
                    f"its MCP server {name!r} is none of the suite's fixtures, and a trial reaches no other; "
                    "name a fixture like it"
                )
            elif not fixtures[name]:
                yield f"its MCP server {name!r} is a fixture without an address; serve it over HTTP"
        for variable, value in source.variables.items():
            name = value.partition("/")[0]
            if not fixtures.get(name, True):
                yield f"variable {variable} names {name!r}, a fixture without an address"

    @property
    def name(self) -> str:
        """The plugin's own name."""
        return str(next(self._manifests(), {}).get("name"))

    @property
    def version(self) -> str:
        """What its first manifest says."""
        return str(next(self._manifests(), {}).get("version") or _NO_VERSION)

    @property
    def servers(self) -> tuple[str, ...]:
        """The names of its MCP servers, in `.mcp.json` and in its manifests."""
        found: dict[str, None] = {}
        for value in (_read(self.tree, SERVERS), *self._manifests()):
            inside = value.get("mcpServers") if value is not None else None
            if isinstance(inside, str):
                named = _read(self.tree, PurePosixPath(inside).as_posix())
                inside = named.get("mcpServers", named) if named is not None else None
            found |= dict.fromkeys(inside if isinstance(inside, dict) else ())
        return tuple(found)

    def of(self, arm: str, skills: Mapping[str, PreparedSkill]) -> Package:
        """The plugin with exactly the arm's skills of the suite. Raises InvalidRequest where one's way is taken."""
        places = {source.id: self._place(source.id, source.folder) for source in self.suite.skills}
        tree = _without(self.tree, places.values())
        present = {reference: places[reference.partition("@")[0]] for reference in self.suite.arm(arm).skills}
        for reference, folder in present.items():
            try:
                tree = tree.with_(skills[reference].tree.under(folder))
            except ValueError as error:
                raise InvalidRequest(f"the plugin has {error} in the way of skill {reference!r}") from None
        tree = _with_manifests(tree)
        return Package(self.name, self.version, tree, present, tuple(_skill_names(tree)), self.servers)

    def _place(self, id: str, folder: str) -> str:
        """Where a skill of the suite lies in the plugin: where it lies in its folder, or as programs look for it."""
        source = self.suite.plugin
        inside = f"{source.folder}/" if source is not None else "/"
        return folder.removeprefix(inside) if folder.startswith(inside) else f"skills/{id}"

    def _manifests(self) -> Iterator[Mapping[str, Any]]:
        for path in MANIFESTS:
            value = _read(self.tree, path)
            if value is not None:
                yield value


def without_skills(manifest: bytes) -> bytes:
    """A manifest without its list of skills, in which arms differ; as it is where it can't be read."""
    value = _object(manifest)
    return manifest if value is None else canonical({key: one for key, one in value.items() if key != "skills"})


def _without(tree: Tree, folders: Iterable[str]) -> Tree:
    """The tree without these folders, and without the folders above them that then hold nothing."""
    gone = tuple(folders)
    kept = [one for one in tree.entries if not any(f"{one.path}/".startswith(f"{folder}/") for folder in gone)]
    above = {parent.as_posix() for folder in gone for parent in PurePosixPath(folder).parents}
    return Tree.of([one for one in kept if one.path not in above or not _empty(one, kept)], tree.contents)


def _empty(one: Entry, kept: Collection[Entry]) -> bool:
    inside = f"{one.path}/"
    held = (other for other in kept if other.path.startswith(inside))
    return one.kind is FileKind.FOLDER and all(other.kind is FileKind.FOLDER for other in held)


def _with_manifests(tree: Tree) -> Tree:
    """The tree with manifests that name no folder of skills which is not there. Others stay as they were written."""
    written: dict[str, bytes] = {}
    for path in MANIFESTS:
        value = _read(tree, path)
        if value is None or "skills" not in value:
            continue
        listed = value["skills"] if isinstance(value["skills"], list) else [value["skills"]]
        there = [one for one in listed if not isinstance(one, str) or _has_skill(tree, one)]
        if there == listed:
            continue
        less = {key: one for key, one in value.items() if key != "skills"}
        written[path] = json.dumps({**less, "skills": there} if there else less, indent=2).encode() + b"\n"
    if not written:
        return tree
    entries = [
        one.model_copy(update={"sha256": sha256(written[one.path]), "size": len(written[one.path])})
        if one.path in written
        else one
        for one in tree.entries
    ]
    return Tree.of(entries, {**tree.contents, **{sha256(data): data for data in written.values()}})


def _has_skill(tree: Tree, named: str) -> bool:
    folder = PurePosixPath(named).as_posix()
    inside = "" if folder == "." else f"{folder}/"
    return any(one.path.startswith(inside) and one.path.endswith("/SKILL.md") for one in tree.entries)


def _skill_names(tree: Tree) -> Iterator[str]:
    """The folders with a SKILL.md."""
    return (PurePosixPath(one.path).parent.name for one in tree.entries if one.path.endswith("/SKILL.md"))


def _read(tree: Tree, path: str) -> dict[str, Any] | None:
    data = tree.data(path)
    return None if data is None else _object(data)


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
