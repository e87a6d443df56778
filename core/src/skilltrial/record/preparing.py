"""Everything of a run in memory before its first session: workspaces, skills, and the projects they make together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from skilltrial.archive.trees import Tree, sha256
from skilltrial.model.errors import InvalidRequest, PluginMismatch
from skilltrial.model.evidence import Entry
from skilltrial.model.plan import SkillIdentity
from skilltrial.model.suite import Arm, Suite
from skilltrial.model.trial import Command, Finished, Place, Recorder, Skill
from skilltrial.plugins.facades import HostFacade

from .suitefile.frontmatter import read_frontmatter
from .workspace import PLUGINS, SHOP

SUBSTITUTED = ("$", "!`")
"""With these begins what programs replace in a skill's text: arguments, variables, what a command prints."""


@dataclass(frozen=True, slots=True)
class PreparedSkill:
    """A skill that can be installed. `reference` is what an arm calls it: `id`, or `id@previous`."""

    reference: str
    skill: Skill
    tree: Tree
    asks: tuple[str, ...] = ()
    """The tools that its SKILL.md asks for, without what stands in brackets."""

    @property
    def identity(self) -> SkillIdentity:
        """Its name and digests, for the plan."""
        return SkillIdentity(
            id=self.reference, sha256=self.skill.sha256, body_sha256=self.skill.body_sha256, asks=self.asks
        )

    @property
    def text_sha256(self) -> str | None:
        """Digest of the text that a program gives to its model (see `SkillPlaced`)."""
        text = read_frontmatter("SKILL.md", self.tree.data("SKILL.md") or b"").body.strip()
        return None if any(mark in text for mark in SUBSTITUTED) else sha256(text.encode())


@dataclass(frozen=True, slots=True)
class Sources:
    """What trials are made from: a tree per case, and the skills by reference."""

    workspaces: Mapping[str, Tree]
    skills: Mapping[str, PreparedSkill]
    assets: Mapping[str, bytes] = field(default_factory=dict)
    plugin: Tree | None = None
    """The suite's plugin as it lies there; None where it brings none."""


@dataclass(frozen=True, slots=True)
class Package:
    """The plugin as one arm has it."""

    name: str
    version: str
    tree: Tree
    skills: Mapping[str, str]
    """Reference of a skill of the suite → its folder in the plugin."""
    skill_names: tuple[str, ...]
    """All skills in it, the suite's and others."""
    servers: tuple[str, ...]
    """Its MCP servers: fixtures of these names."""

    @property
    def folder(self) -> str:
        """Where it lies, POSIX, relative to the project: as in a store of plugins, by shop, name and version."""
        return f"../{PLUGINS}/{SHOP}/{self.name}/{self.version}"


@dataclass(frozen=True, slots=True)
class Project:
    """What lies in a place before the first prompt: the workspace and the arm's skills, each below its folder.

    With a `package` the skills lie in it, not in the project.
    """

    tree: Tree
    skills: Mapping[str, str]
    """Skill reference → its folder, POSIX, relative to the project."""
    package: Package | None = None


Packages = Mapping[str, Package]
"""Arm → its plugin."""


def assemble(
    suite: Suite, sources: Sources, host: HostFacade, packages: Packages | None = None
) -> dict[tuple[str, str], Project]:
    """The project of each case and arm, with `packages` where the host installs the suite's plugin.

    Raises InvalidRequest: a skill's way is taken, too big.
    """
    if packages is not None:
        return {
            (case.id, arm.id): _packaged(suite, case.id, arm, sources, packages[arm.id])
            for case in suite.cases
            for arm in suite.arms
        }
    folders = {reference: skill_folder(host, skill.skill) for reference, skill in sources.skills.items()}
    return {
        (case.id, arm.id): _project(suite, case.id, arm, sources, folders) for case in suite.cases for arm in suite.arms
    }


def skill_folder(host: HostFacade, skill: Skill) -> str:
    """Where this host looks for the skill, POSIX, below the project."""
    root = Path("/place/project")
    place = Place(
        project=root, home=root.parent / "home", tmp=root.parent / "tmp", environment={}, launcher=_NoLauncher()
    )
    return PurePosixPath(host.place_skill(skill, place).relative_to(root)).as_posix()


class _NoLauncher:
    """A launcher for a place that is only a name: asking where a skill goes must start nothing."""

    def run(self, command: Command, recorder: Recorder, on_line: Callable[[str], None] | None = None) -> Finished:
        """Refuse."""
        raise PluginMismatch("hook place_skill must only name a folder; it started a program")


def _project(suite: Suite, case: str, arm: Arm, sources: Sources, folders: Mapping[str, str]) -> Project:
    tree = sources.workspaces[case]
    for reference in arm.skills:
        folder = folders[reference]
        if any(entry.path == folder or entry.path.startswith(f"{folder}/") for entry in tree.entries):
            raise InvalidRequest(
                f"case {case!r}: its workspace already has {folder}, where skill {reference!r} of arm {arm.id!r} is "
                "installed; take it out of the workspace"
            )
        try:
            tree = tree.with_(sources.skills[reference].tree.under(folder))
        except ValueError as error:
            raise InvalidRequest(
                f"case {case!r}: its workspace has {error} in the way of {folder}, where skill "
                f"{reference!r} is installed"
            ) from None
    _hold_to_limits(suite, case, arm, tree.entries)
    return Project(tree, {reference: folders[reference] for reference in arm.skills})


def _packaged(suite: Suite, case: str, arm: Arm, sources: Sources, package: Package) -> Project:
    tree = sources.workspaces[case]
    _hold_to_limits(suite, case, arm, (*tree.entries, *package.tree.entries))
    places = {reference: f"{package.folder}/{folder}" for reference, folder in package.skills.items()}
    return Project(tree, places, package)


def _hold_to_limits(suite: Suite, case: str, arm: Arm, entries: Sequence[Entry]) -> None:
    for name, value, limit in (
        ("files_in", sum(entry.sha256 is not None for entry in entries), suite.limits.files_in),
        ("bytes_in", sum(entry.size for entry in entries), suite.limits.bytes_in),
    ):
        if value > limit:
            raise InvalidRequest(
                f"case {case!r} with arm {arm.id!r}: workspace and skills together are over `limits.{name}` "
                f"({value} > {limit})"
            )
