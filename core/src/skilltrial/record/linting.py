"""Remarks on a suite that has no fault: what probably was not meant, or will surprise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from skilltrial.model.errors import DocumentInvalid
from skilltrial.model.suite import ENDS_TURN, Case, SkillSource, Workspace

from .loading import Loaded
from .sources import scan
from .suitefile.document import Path as Place
from .suitefile.frontmatter import read_frontmatter
from .suitefile.paths import device_name
from .suitefile.wording import named

MAX_NAME, MAX_DESCRIPTION = 64, 1024
"""Characters that the Agent Skills format allows."""


@dataclass(frozen=True, order=True)
class Remark:
    """A remark, and where in the suite file it belongs. Holds no prompt and no file content."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


def lint(loaded: Loaded) -> tuple[Remark, ...]:
    """Every remark, in the order of the file."""
    found = [
        *(one for at, skill in enumerate(loaded.suite.skills) for one in _on_skill(loaded, skill, at)),
        *(one for at, case in enumerate(loaded.suite.cases) for one in _on_case(loaded, case, at)),
    ]
    remarks = []
    for place, text in dict.fromkeys(found):
        mark = loaded.document.mark(place)
        remarks.append(Remark(loaded.document.file, mark.line, mark.column, text))
    return tuple(sorted(remarks))


def _on_skill(loaded: Loaded, skill: SkillSource, at: int) -> Iterator[tuple[Place, str]]:
    place: Place = ("skills", at, "folder")
    folder = (loaded.skills_root or loaded.root) / skill.folder
    try:
        matter = read_frontmatter("SKILL.md", (folder / "SKILL.md").read_bytes())
    except DocumentInvalid:  # a suite of ours is refused with it; other tools do not look
        yield place, f"skill{named(skill.id)}: the head of its SKILL.md can't be read, so no agent will find it"
        return
    if matter.name != skill.id:
        yield place, f"skill{named(skill.id)}: its SKILL.md has another `name`, or none: no agent will find it"
    if folder.resolve().name != skill.id:
        yield place, f"skill{named(skill.id)}: its folder has another name; the format wants them equal"
    if not (matter.description or "").strip():
        yield place, f"skill{named(skill.id)}: its SKILL.md has no `description`, so no agent can tell when to use it"
    elif len(matter.description or "") > MAX_DESCRIPTION:
        yield place, f"skill{named(skill.id)}: its `description` is longer than {MAX_DESCRIPTION} characters"
    if len(skill.id) > MAX_NAME:
        yield place, f"skill{named(skill.id)}: its name is longer than {MAX_NAME} characters"
    allowed = frozenset(loaded.suite.allow)
    missing = [tool for tool in matter.allowed_tools if allowed.isdisjoint((tool, tool.partition("(")[0]))]
    if missing:
        tools = ", ".join(dict.fromkeys(_tool(tool) for tool in missing))
        yield place, f"skill{named(skill.id)}: it asks for {tools}, which `allow` does not name: calls may be refused"
    elif not loaded.suite.allow and (folder / "scripts").is_dir():
        yield (
            place,
            f"skill{named(skill.id)}: it has scripts, but the suite's `allow` is empty: running them may be refused",
        )
    if not matter.body.strip():
        yield place, f"skill{named(skill.id)}: its SKILL.md says nothing below the front matter"


def _tool(tool: str) -> str:
    """A tool's name in backquotes; what stands in brackets behind it is content and is not shown."""
    base = tool.partition("(")[0]
    return f"`{base}`" if len(base) <= MAX_NAME and base.replace("_", "").replace("-", "").isalnum() else "a tool"


def _on_case(loaded: Loaded, case: Case, at: int) -> Iterator[tuple[Place, str]]:
    written = loaded.document.at(("cases",))
    path: Place = ("cases", case.id if isinstance(written, dict) else at)
    there = _files_of(loaded.root, case.workspace)
    for path_ in case.workspace.files or ():
        if device_name(path_):
            yield (*path, "workspace"), f"case{named(case.id)}: a file has a name that Windows keeps for a device"
    key = "expect" if loaded.document.at((*path, "expect")) is not None else "checks"
    for number, check in enumerate(case.checks):
        options = loaded.checks[case.id, check.id]
        asks_unchanged = getattr(options, "unchanged", False)
        if there is None or not asks_unchanged:
            continue
        for project_path in options.paths():
            if project_path.rstrip("/") not in there:
                text = f"case{named(case.id)}: a path that must stay unchanged is not in the workspace"
                yield (*path, key, number), text
    for number, rehearsal in enumerate(case.rehearsals):
        if sum(isinstance(act, ENDS_TURN) for act in rehearsal.script) > len(case.turns):
            text = f"case{named(case.id)}: a script has more last words than the case has turns; the rest is never said"
            yield (*path, "rehearsals", number), text


def _files_of(root: Path, workspace: Workspace) -> frozenset[str] | None:
    """Paths of the workspace's files and folders; None where they are not known without asking git."""
    if workspace.git is not None:
        return None
    if workspace.folder is not None:
        return frozenset(entry.path for entry in scan(root / workspace.folder, links="inside").entries)
    files = workspace.files or {}
    above = (path.split("/")[:end] for path in files for end in range(1, path.count("/") + 1))
    return frozenset(files) | {"/".join(parts) for parts in above}
