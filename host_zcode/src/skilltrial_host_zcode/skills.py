"""How far the suite's skills came: by where the very skill lies that was placed, never by its name alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import join, normpath

from pydantic import JsonValue

from skilltrial.api import SkillPlaced, Step
from skilltrial.shellwords import plain_commands

from .answers import PATHS
from .lines import Object, several, shown, text

Steps = Iterator[tuple[str, Step]]

LOADER = "Skill"
_BODY = "SKILL.md"
_GIVEN = "<skill_content"
_BASE = re.compile(r"Base directory for this skill: ([^\n]+)")
_NUMBERED = re.compile(r"^ *\d+(?:\t|→|: )", re.M)
_READERS = frozenset({"cat", "head", "tail", "less", "more", "nl", "bat", "sed"})
_STARTS = 4
"""Lines at which a skill's own words may begin, behind what the program puts before them."""
_WRITERS = frozenset({"Write", "Edit"})


@dataclass
class Skills:
    """The placed skills; `project` is where the session works."""

    project: str = "/"
    placed: list[SkillPlaced] = field(default_factory=list)
    plugin: str | None = None
    changed: set[str] = field(default_factory=set)
    """Skills whose SKILL.md was written to since: what is loaded then is another one."""

    def offered(self, result: Object) -> Steps:
        """Steps of the program's list of the skills that a session has."""
        paths = [text(one, "path") or "" for one in several(result, "skills")]
        for skill in self.placed:
            if any(self._is(path, skill) for path in paths):
                yield skill.skill, Step.OFFERED

    def asked(self, tool: str, given: JsonValue) -> Steps:
        """Steps of a call that was asked for."""
        if tool == LOADER:
            name = (text(given, "skill") or "").removeprefix("/")
            for skill in self.placed:
                if name in (skill.skill, f"{self.plugin}:{skill.skill}"):
                    yield skill.skill, Step.REQUESTED
            return
        for skill in self.placed:
            if self._reads(tool, given, skill):
                yield skill.skill, Step.REQUESTED

    def came(self, tool: str, given: JsonValue, content: JsonValue) -> Steps:
        """Steps of a call that was carried out."""
        told = shown(content)
        base = _BASE.search(told) if tool == LOADER and told.lstrip().startswith(_GIVEN) else None
        for skill in self.placed:
            if tool in _WRITERS and any(self._file(path, skill) for path in _paths(given)):
                self.changed.add(skill.skill)
            elif skill.skill not in self.changed and (
                (base is not None and self._same(base[1].strip(), skill.path) and _gives(told[base.end() :], skill))
                or (self._reads(tool, given, skill) and _behind_front_matter(told))
                or _is_body(told, skill)
            ):
                yield skill.skill, Step.READ

    def failed(self, tool: str, given: JsonValue) -> Steps:
        """Steps of a call that failed."""
        return ((skill, Step.ERRORED) for skill, _ in self.asked(tool, given))

    def _reads(self, tool: str, given: JsonValue, skill: SkillPlaced) -> bool:
        if tool == "Read":
            return any(self._file(path, skill) for path in _paths(given))
        commands = plain_commands(text(given, "command") or "") if tool == "Bash" else None
        return any(
            command[0] in _READERS and any(self._file(word, skill) for word in command[1:])
            for command in commands or ()
            if command
        )

    def _is(self, path: str, skill: SkillPlaced) -> bool:
        """Whether a path is the skill's, of its folder or of its file."""
        return self._same(path, skill.path) or self._file(path, skill)

    def _file(self, path: str, skill: SkillPlaced) -> bool:
        return self._same(path, join(skill.path, _BODY))

    def _same(self, path: str, wanted: str) -> bool:
        return bool(path) and normpath(join(self.project, path)) == normpath(join(self.project, wanted))


def _paths(given: JsonValue) -> Iterator[str]:
    return (path for name in PATHS if (path := text(given, name)))


def _behind_front_matter(content: str) -> bool:
    """Whether a file, shown from its first line, is shown beyond its front matter; lines may be numbered."""
    lines = [line.rstrip() for line in _NUMBERED.sub("", content).lstrip("\ufeff").split("\n")]
    if not any(lines):
        return False
    return lines[0] != "---" or ("---" in lines[1:] and any(lines[lines.index("---", 1) + 1 :]))


def _gives(told: str, skill: SkillPlaced) -> bool:
    """Whether what the loader gave holds the skill's own words: some lines of it, from an early one on."""
    if skill.text_sha256 is None:
        return True
    lines = told.replace("\r\n", "\n").split("\n")
    starts = [at for at, line in enumerate(lines) if line.strip()][:_STARTS]
    return any(_begins(lines[at:], skill.text_sha256) for at in starts)


def _begins(lines: Sequence[str], sha256: str) -> bool:
    """Whether some first lines, without white space at their ends, have this digest."""
    running = hashlib.sha256(lines[0].strip().encode("utf-8", "surrogatepass"))
    gap = lines[0].lstrip()[len(lines[0].strip()) :]
    for line in lines[1:]:
        if running.hexdigest() == sha256:
            return True
        gap += f"\n{line}"
        if line.strip():
            end = len(gap.rstrip())
            running.update(gap[:end].encode("utf-8", "surrogatepass"))
            gap = gap[end:]
    return running.hexdigest() == sha256


def _is_body(content: str, skill: SkillPlaced) -> bool:
    """Whether a result is the whole SKILL.md, whatever printed it."""
    return any(_digest(each) == skill.body_sha256 for each in (content, f"{content}\n"))


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
