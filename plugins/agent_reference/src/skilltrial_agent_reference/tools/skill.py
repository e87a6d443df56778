"""The tool that loads the instructions of a skill."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..skills import Skill, SkillUnusable, read
from .base import Argument, Tool, ToolFailed

NAME = "load_skill"


@dataclass(frozen=True, slots=True)
class Skills:
    """The skills that a model may load."""

    project: Path
    skills: tuple[Skill, ...]

    def tools(self) -> tuple[Tool, ...]:
        """Load; nothing where there is no skill."""
        if not self.skills:
            return ()
        listed = "\n".join(f"- {skill.name}: {skill.description}" for skill in self.skills)
        names = tuple(skill.name for skill in self.skills)
        return (
            Tool(
                NAME,
                "Load the instructions of a skill. Do it before you begin, where a skill fits the request. "
                f"The skills of this project:\n{listed}",
                self.load,
                {"name": Argument("The skill's name.", values=names)},
            ),
        )

    def load(self, name: str) -> str:
        """The body as it is now, and where the skill's other files lie."""
        known = next(skill for skill in self.skills if skill.name == name)
        try:
            skill = read(self.project, known.path)
        except SkillUnusable as error:
            raise ToolFailed(f"the skill can't be loaded: {error}") from error
        return f"Files of this skill are in {Path(skill.path).parent.as_posix()}/\n\n{skill.body}"
