"""The skills of a project: `.agents/skills/<folder>/SKILL.md`, offered by name and description, read on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SKILLS = ".agents/skills"
BODY_LIMIT = 200_000
"""Bytes of a SKILL.md; a larger one is not offered."""
_FENCE = "---"


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that the project has. `path` is of its SKILL.md, POSIX, relative to the project."""

    name: str
    description: str
    path: str
    text: str
    sha256: str
    """Of the bytes of SKILL.md."""

    @property
    def body(self) -> str:
        """The instructions: what follows the front matter."""
        return _split(self.text)[1]


def discover(project: Path) -> tuple[list[Skill], list[str]]:
    """The skills of `project` in the order of their folders, and a sentence on each that can't be offered."""
    skills: dict[str, Skill] = {}
    faults: list[str] = []
    for path in _candidates(project):
        shown = path.relative_to(project).as_posix()
        try:
            skill = read(project, shown)
        except SkillUnusable as error:
            faults.append(f"{shown}: {error}")
            continue
        if skill.name in skills:
            faults.append(f"{shown}: {skills[skill.name].path} has the same name")
            continue
        skills[skill.name] = skill
    return list(skills.values()), faults


def _candidates(project: Path) -> Iterator[Path]:
    root = project / SKILLS
    if not root.is_dir():
        return
    for folder in sorted(root.iterdir()):
        if (folder / "SKILL.md").is_file():
            yield folder / "SKILL.md"


class SkillUnusable(Exception):
    """A SKILL.md that can't be offered; the message says why."""


def read(project: Path, path: str) -> Skill:
    """Read the SKILL.md at `path`, relative to `project`. Raises SkillUnusable."""
    file = project / path
    if not file.resolve().is_relative_to(project.resolve()):
        raise SkillUnusable("it leads out of the project")
    try:
        data = file.read_bytes()
        text = data.decode("utf-8")
        path.encode("utf-8")
    except OSError as error:
        raise SkillUnusable(f"it can't be read ({error.strerror})") from error
    except UnicodeError as error:
        raise SkillUnusable("its text or its path is not UTF-8") from error
    if len(data) > BODY_LIMIT:
        raise SkillUnusable(f"it is larger than {BODY_LIMIT} bytes")
    name, description = _front_matter(text)
    if not _split(text)[1].strip():
        raise SkillUnusable("it has no instructions after its front matter")
    return Skill(name or file.parent.name, description, path, text, hashlib.sha256(data).hexdigest())


def _split(text: str) -> tuple[str, str]:
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if lines and lines[0].strip() == _FENCE:
        for at, line in enumerate(lines[1:], start=1):
            if line.strip() == _FENCE:
                return "".join(lines[1:at]), "".join(lines[at + 1 :])
    return "", text


def _front_matter(text: str) -> tuple[str, str]:
    front, _ = _split(text)
    if not front:
        raise SkillUnusable("it has no front matter between two lines of ---")
    # Only a project that has skills pays for the import.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        value = YAML(typ="safe", pure=True).load(front)
    except YAMLError as error:
        raise SkillUnusable("its front matter is not YAML") from error
    if not isinstance(value, dict):
        raise SkillUnusable("its front matter is not a mapping")
    name, description = value.get("name"), value.get("description")
    if not isinstance(description, str) or not description.strip():
        raise SkillUnusable("its front matter has no description")
    return (name.strip() if isinstance(name, str) else ""), " ".join(description.split())
