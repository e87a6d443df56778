"""Which calls of a described program show the body of a placed skill: by the path at which it was placed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import join, normpath

from pydantic import JsonValue

from skilltrial.api import Absent, SkillPlaced, Step

from .pointers import found
from .profile import Load

_BODY = "SKILL.md"
_READERS = frozenset({"awk", "bat", "cat", "head", "less", "more", "nl", "sed", "tail", "view"})
_BETWEEN = frozenset({"&&", "||", ";", "|", "&", "(", ")", "\n"})
_NUMBERED = re.compile(r"^\s*\d+(?:[:|→]|\t)\s?", re.M)
_WRAPPING = re.compile(r"^\s*</?[a-z_]+[^>]*>\s*$|^\(End of file.*$", re.M)


@dataclass
class Loads:
    """The placed skills, and what was asked for so far. `project` is the path of the project, None where unknown."""

    ways: tuple[Load, ...]
    project: str | None = None
    placed: list[SkillPlaced] = field(default_factory=list)
    asked: dict[str, tuple[SkillPlaced, Load]] = field(default_factory=dict)
    """Call → the skill that it asks for, and the way in which it does."""

    def called(self, call: str, tool: str, given: JsonValue | Absent) -> Iterator[tuple[str, Step]]:
        """Steps of a call."""
        for way in self.ways:
            if way.tool != tool or isinstance(given, Absent):
                continue
            for skill in self._meant(way, given):
                self.asked[call] = (skill, way)
                yield skill.skill, Step.REQUESTED

    def returned(self, call: str, content: JsonValue, *, failed: bool) -> Iterator[tuple[str, Step]]:
        """Steps of what a call returned. A file of which only the front matter was shown was not read."""
        asked = self.asked.pop(call, None)
        if asked is None:
            return
        skill, way = asked
        if failed:
            yield skill.skill, Step.ERRORED
        elif self._shown(skill, way, _texts(content)):
            yield skill.skill, Step.READ

    def doubtful(self, call: str, content: JsonValue, *, failed: bool) -> bool:
        """Whether a call returned a skill of the right name and nobody can say whose. To be asked before `returned`."""
        skill, way = self.asked.get(call, (None, None))
        if skill is None or way is None or way.mark is None or failed:
            return False
        return not self._shown(skill, way, _texts(content))

    def folders(self) -> dict[str, str]:
        """The placed skills and the paths of their folders."""
        return {one.skill: self._folder(one) for one in self.placed}

    def _shown(self, skill: SkillPlaced, way: Load, text: str) -> bool:
        if way.name is None:
            return behind_front_matter(text)
        return way.mark is None or way.mark.replace("{folder}", self._folder(skill)) in text

    def _folder(self, skill: SkillPlaced) -> str:
        return normpath(join(self.project or "", skill.path))

    def _meant(self, way: Load, given: JsonValue) -> Iterator[SkillPlaced]:
        pointer = way.name if way.name is not None else way.path if way.path is not None else way.command
        for value in found(given, pointer or ""):
            if not isinstance(value, str):
                continue
            for skill in self.placed:
                path = join(skill.path, _BODY)
                if way.name is not None:
                    meant = value.rpartition(":")[2] == skill.skill
                elif way.path is not None:
                    meant = self._same(value, path)
                else:
                    meant = any(self._same(word, path) for word in read_by(value))
                if meant:
                    yield skill

    def _same(self, path: str, wanted: str) -> bool:
        if not path:
            return False
        if self.project is None:
            return normpath(path) == wanted or (path.startswith("/") and normpath(path).endswith(f"/{wanted}"))
        return normpath(join(self.project, path)) == normpath(join(self.project, wanted))


def read_by(command: str) -> Iterator[str]:
    """The words of a shell command that are given to programs which show files, each below its last `cd`."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return
    folder, simple = "", list[str]()
    for word in (*words, ";"):
        if word not in _BETWEEN and not set(word) <= set("();<>|&"):
            simple.append(word)
            continue
        if simple[:1] == ["cd"] and len(simple) > 1:
            folder = join(folder, simple[1])
        elif simple and simple[0].rpartition("/")[2] in _READERS:
            yield from (join(folder, one) for one in simple[1:])
        simple = []


def behind_front_matter(content: str) -> bool:
    """Whether a shown file is shown beyond its front matter; lines may be numbered and wrapped in elements."""
    plain = _NUMBERED.sub("", _WRAPPING.sub("", content))
    lines = [line.rstrip() for line in plain.lstrip("\ufeff\n").split("\n")]
    if not any(lines):
        return False
    if lines[0] != "---":
        return True
    return "---" in lines[1:] and any(lines[lines.index("---", 1) + 1 :])


def _texts(value: JsonValue) -> str:
    """The texts of what a tool returned: itself, or those of its content items."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _texts(value.get("text"))
    return "\n".join(_texts(one) for one in value) if isinstance(value, list) else ""
