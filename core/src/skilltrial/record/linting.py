"""Remarks on a suite that has no fault: what probably was not meant, or will surprise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from skilltrial.model.capabilities import Sees
from skilltrial.model.errors import DocumentInvalid
from skilltrial.model.suite import ENDS_TURN, Case, SkillSource, Workspace

from .fixturefaults import FixtureDirectory, fixture_faults, plugin_faults
from .loading import Loaded
from .quoting import names, quotes
from .skillspec import breaches
from .sources import scan
from .suitefile.checking import GraderDirectory
from .suitefile.document import Path as Place
from .suitefile.frontmatter import read_frontmatter
from .suitefile.paths import device_name
from .suitefile.wording import named
from .untouched import can_not_fail


@dataclass(frozen=True, order=True)
class Remark:
    """A remark, and where in the suite file it belongs. Holds no prompt and no file content.

    A `fault` makes the suite worthless or the skill invalid; anything else is a note.
    """

    file: str
    line: int
    column: int
    text: str
    fault: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


Found = tuple[Place, str, bool]
"""Where, what, and whether it is a fault."""


def lint(loaded: Loaded, graders: GraderDirectory, fixtures: FixtureDirectory) -> tuple[Remark, ...]:
    """Every remark, in the order of the file."""
    found = [
        *((place, text, True) for place, text in plugin_faults(loaded, fixtures)),
        *((place, text, True) for place, text in fixture_faults(loaded, fixtures)),
        *(one for at, skill in enumerate(loaded.suite.skills) for one in _on_skill(loaded, skill, at)),
        *(one for at, case in enumerate(loaded.suite.cases) for one in _on_case(loaded, case, at)),
        *(one for at, case in enumerate(loaded.suite.cases) for one in _on_worth(loaded, case, at, graders)),
    ]
    remarks = []
    for place, text, fault in dict.fromkeys(found):
        mark = loaded.document.mark(place)
        # Another tool's suite is judged by that tool's rules.
        remarks.append(Remark(loaded.document.file, mark.line, mark.column, text, fault and not loaded.conversion))
    return tuple(sorted(remarks))


def _folder(loaded: Loaded, skill: SkillSource) -> Path:
    return (loaded.skills_root or loaded.root) / skill.folder


def _on_skill(loaded: Loaded, skill: SkillSource, at: int) -> Iterator[Found]:
    place: Place = ("skills", at, "folder")
    folder = _folder(loaded, skill)
    about = f"skill{named(skill.id)}"
    try:
        matter = read_frontmatter("SKILL.md", (folder / "SKILL.md").read_bytes())
    except DocumentInvalid:  # a suite of ours is refused with it; other tools do not look
        yield place, f"{about}: the head of its SKILL.md can't be read, so no agent will find it", False
        return
    if matter.name != skill.id:
        yield place, f"{about}: its SKILL.md has another `name`, or none: no agent will find it", False
    if folder.resolve().name != skill.id:
        yield place, f"{about}: its folder has another name; the format wants them equal", False
    yield from ((place, f"{about}: {text}", fault) for text, fault in breaches(matter, folder))
    allowed = frozenset(loaded.suite.allow)
    missing = [tool for tool in matter.allowed_tools if allowed.isdisjoint((tool, tool.partition("(")[0]))]
    if missing:
        names = dict.fromkeys(_tool(tool) for tool in missing)
        tools = ", ".join(f"`{name}`" if name else "a tool" for name in names)
        told = f"{about}: it asks for {tools}, which `allow` does not name: calls may be refused"
        yield place, told + _proposal(loaded, [name for name in names if name]), False
    elif not loaded.suite.allow and (folder / "scripts").is_dir():
        told = f"{about}: it has scripts, but the suite's `allow` is empty: running them may be refused"
        yield place, told + _proposal(loaded, ["Bash"]), False


def _proposal(loaded: Loaded, names: Sequence[str]) -> str:
    """What to write so that these tools need no asking. What the suite already has in brackets is not shown."""
    if not names:
        return ""
    if loaded.suite.allow:
        return f"; add to it, for all arms alike: {', '.join(names)}"
    return f"; `allow: [{', '.join(names)}]` lets all arms alike"


def _tool(tool: str) -> str | None:
    """A tool's name, None where it is none; what stands in brackets behind it is content and is not shown."""
    base = tool.partition("(")[0]
    return base if len(base) <= 64 and base.replace("_", "").replace("-", "").isalnum() else None


def _place(loaded: Loaded, case: Case, at: int) -> Place:
    return ("cases", case.id if isinstance(loaded.document.at(("cases",)), dict) else at)


def _checks(loaded: Loaded, path: Place) -> str:
    """The key under which the case at `path` has its checks."""
    return "expect" if loaded.document.at((*path, "expect")) is not None else "checks"


def _on_case(loaded: Loaded, case: Case, at: int) -> Iterator[Found]:
    path = _place(loaded, case, at)
    there = _files_of(loaded.root, case.workspace)
    for path_ in case.workspace.files or ():
        if device_name(path_):
            yield (
                (*path, "workspace"),
                f"case{named(case.id)}: a file has a name that Windows keeps for a device",
                False,
            )
    key = _checks(loaded, path)
    for number, check in enumerate(case.checks):
        options = loaded.checks[case.id, check.id]
        asks_unchanged = getattr(options, "unchanged", False)
        if there is None or not asks_unchanged:
            continue
        for project_path in options.paths():
            if project_path.rstrip("/") not in there:
                text = f"case{named(case.id)}: a path that must stay unchanged is not in the workspace"
                yield (*path, key, number), text, False
    for number, rehearsal in enumerate(case.rehearsals):
        if sum(isinstance(act, ENDS_TURN) for act in rehearsal.script) > len(case.turns):
            text = f"case{named(case.id)}: a script has more last words than the case has turns; the rest is never said"
            yield (*path, "rehearsals", number), text, False


def _on_worth(loaded: Loaded, case: Case, at: int, graders: GraderDirectory) -> Iterator[Found]:
    """What makes a case say less than it seems to."""
    path = _place(loaded, case, at)
    key, about = _checks(loaded, path), f"case{named(case.id)}"
    if can_not_fail(loaded, case, graders):
        yield (*path, key), f"{about}: an agent that does nothing passes it: all its checks hold from the start", True
    if case.polarity == "positive" and _only_prose(loaded, case, graders) and _about_files(loaded, case):
        text = "it is about files, but only what the agent says is asked; an answer is no proof of an act"
        yield (*path, key), f"{about}: {text}", False
    turns = "turns" if loaded.document.at((*path, "turns")) is not None else "prompt"
    for number, prompt in enumerate(case.turns):
        place: Place = (*path, turns, number) if turns == "turns" else (*path, turns)
        for skill in loaded.suite.skills:
            try:
                text = (_folder(loaded, skill) / "SKILL.md").read_text("utf-8", "replace")
            except OSError:
                continue
            if shared := quotes(prompt, text):
                told = f"{shared} words of the prompt are those of skill{named(skill.id)}"
                yield place, f"{about}: {told}: the arm without it is told them too", False
            if names(prompt, skill.id):
                told = f"the prompt names skill{named(skill.id)}"
                yield place, f"{about}: {told}: whether the agent finds it by itself is not seen then", False


_FILE_NAME = re.compile(r"(?<![\w/.@])[\w./-]*[\w-]\.[A-Za-z][A-Za-z0-9]{1,4}\b(?!\.\w)")


def _only_prose(loaded: Loaded, case: Case, graders: GraderDirectory) -> bool:
    asked = [check for check in case.checks if not check.advisory]
    needs = [graders.find(check.grader).check_needs(loaded.checks[case.id, check.id]) for check in asked]
    return bool(needs) and all(need == {Sees.ANSWERS} for need in needs)


def _about_files(loaded: Loaded, case: Case) -> bool:
    there = _files_of(loaded.root, case.workspace) or frozenset()
    return any(_FILE_NAME.search(turn) or any(path in turn for path in there) for turn in case.turns)


def _files_of(root: Path, workspace: Workspace) -> frozenset[str] | None:
    """Paths of the workspace's files and folders; None where they are not known without asking git."""
    if workspace.git is not None:
        return None
    if workspace.folder is not None:
        return frozenset(entry.path for entry in scan(root / workspace.folder, links="inside").entries)
    files = workspace.files or {}
    above = (path.split("/")[:end] for path in files for end in range(1, path.count("/") + 1))
    return frozenset(files) | {"/".join(parts) for parts in above}
