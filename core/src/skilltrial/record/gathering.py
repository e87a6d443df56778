"""From the sources that a suite names to trees in memory: workspaces, skills, files that checks need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from skilltrial.archive.trees import Tree, sha256
from skilltrial.model.errors import DocumentInvalid, SourceUnusable
from skilltrial.model.evidence import Entry, FileKind
from skilltrial.model.suite import SkillSource, Suite, Workspace
from skilltrial.model.trial import Skill

from .loading import Elsewhere, Loaded
from .preparing import PreparedSkill, Sources
from .revisions import below_top, is_revision, resolve, tree_of_commit, tree_of_previous, with_repository
from .sources import scan
from .suitefile.folders import installed_never
from .suitefile.frontmatter import read_frontmatter


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Reads the sources of one suite. `root` is the suite file's folder, `file` the suite file itself.

    Folders of skills are relative to `skills_root`, or to `root` where there is none.
    """

    suite: Suite
    root: Path
    file: Path
    skills_root: Path | None = None
    elsewhere: Elsewhere = field(default_factory=Elsewhere)

    @classmethod
    def of(cls, loaded: Loaded) -> Gatherer:
        """The gatherer of a loaded suite."""
        return cls(loaded.suite, loaded.root, loaded.path, loaded.skills_root, loaded.elsewhere)

    def gather(self, assets: Iterable[str] = ()) -> Sources:
        """Read everything. Raises SourceUnusable for what can't be read."""
        made: dict[str, Tree] = {}
        workspaces: dict[str, Tree] = {}
        for case in self.suite.cases:
            name = case.workspace.model_dump_json()
            if name not in made:
                made[name] = self.workspace(case.workspace)
            workspaces[case.id] = made[name]
        wanted = {reference for arm in self.suite.arms for reference in arm.skills}
        skills: dict[str, PreparedSkill] = {}
        for source in self.suite.skills:
            skills[source.id] = self.skill(source)
            if f"{source.id}@previous" in wanted:
                skills[f"{source.id}@previous"] = self.previous(source)
        return Sources(workspaces, skills, self.assets(assets), self.plugin())

    def assets(self, paths: Iterable[str]) -> dict[str, bytes]:
        """The files that checks and fixtures need. Raises SourceUnusable with every one that can't be read."""
        found: dict[str, bytes] = {}
        faults: list[str] = []
        for path in sorted(set(paths)):
            try:
                found[path] = self.elsewhere.files.get(path, self.root / path).read_bytes()
            except OSError as error:
                faults.append(f"{path}, which the suite names, can't be read: {error.strerror}")
        if faults:
            raise SourceUnusable("\n".join(faults))
        return found

    def workspace(self, workspace: Workspace) -> Tree:
        """The tree of one workspace."""
        if workspace.folder is not None:
            tree = read_tree(self.root / workspace.folder)
        elif workspace.files is not None:
            tree = Tree.of_texts(workspace.files)
        elif workspace.git is not None:
            beside = self.root / workspace.git
            folder = below_top(beside)
            tree = tree_of_commit(resolve(workspace.ref or "HEAD", beside), folder, beside)
        else:
            tree = Tree()
        return with_repository(tree) if workspace.repository else tree

    def skill(self, source: SkillSource) -> PreparedSkill:
        """The skill under test."""
        tree = read_tree(self.folder(source))
        return prepared(source.id, source.id, without_answer_keys(tree, self.own(source)))

    def plugin(self) -> Tree | None:
        """The suite's plugin as it lies there; None where it brings none."""
        if self.suite.plugin is None:
            return None
        folder = self.root / self.suite.plugin.folder
        return without_answer_keys(read_tree(folder), self._own(folder))

    def folder(self, source: SkillSource) -> Path:
        """Where the skill lies."""
        return self.elsewhere.skills.get(source.id, self._skills / source.folder)

    @property
    def _skills(self) -> Path:
        return self.skills_root or self.root

    def own(self, source: SkillSource) -> set[str]:
        """The suite's path inside the skill's folder: there under any name, it must not be installed either."""
        return self._own(self.folder(source))

    def _own(self, folder: Path) -> set[str]:
        file, folder = self.file.resolve(), folder.resolve()
        return {file.relative_to(folder).as_posix()} if folder in file.parents else set()

    def previous(self, source: SkillSource) -> PreparedSkill:
        """The earlier form of a skill: a folder or a git revision."""
        previous = source.previous or source.folder
        tree = (
            tree_of_previous(previous, self._skills)[0] if is_revision(previous) else read_tree(self._skills / previous)
        )
        return prepared(f"{source.id}@previous", source.id, without_answer_keys(tree, self.own(source)))


def prepared(reference: str, id: str, tree: Tree) -> PreparedSkill:
    """A skill of a tree. Raises SourceUnusable where it has no SKILL.md."""
    body = tree.data("SKILL.md")
    if body is None:
        raise SourceUnusable(f"skill {reference!r} has no SKILL.md")
    return PreparedSkill(reference, Skill(id, tree.digest(), sha256(body)), tree, _asks(body))


def _asks(body: bytes) -> tuple[str, ...]:
    """The tools that a SKILL.md asks for; none where it can't be read (an earlier revision may be broken)."""
    try:
        tools = read_frontmatter("SKILL.md", body).allowed_tools
    except DocumentInvalid:
        return ()
    return tuple(dict.fromkeys(tool.partition("(")[0] for tool in tools))


def without_answer_keys(tree: Tree, more: set[str]) -> Tree:
    """The tree as it is installed."""
    kept = [entry for entry in tree.entries if not installed_never(entry.path) and entry.path not in more]
    used = {entry.sha256 for entry in kept}
    return Tree.of(kept, {digest: data for digest, data in tree.contents.items() if digest in used})


def read_tree(folder: Path) -> Tree:
    """The folder as a tree; `loading` has refused links out of it and special files. Raises SourceUnusable."""
    entries: list[Entry] = []
    contents: dict[str, bytes] = {}
    try:
        found = scan(folder, links="inside")
        for one in found.entries:
            if one.kind is FileKind.FILE:
                data = (folder / one.path).read_bytes()
                digest = sha256(data)
                contents[digest] = data
                entries.append(
                    Entry(path=one.path, kind=one.kind, executable=one.executable, size=len(data), sha256=digest)
                )
            else:
                entries.append(Entry(path=one.path, kind=one.kind, target=one.target))
    except OSError as error:
        raise SourceUnusable(f"a folder that the suite names can't be read: {error.strerror}") from error
    if found.refused:
        raise SourceUnusable("\n".join(f"{folder / one.path} {one.told}" for one in found.refused))
    return Tree.of(entries, contents)
