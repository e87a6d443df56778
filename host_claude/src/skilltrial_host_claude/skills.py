"""How far the suite's skills came: by the path and content of the very skill that was placed, never by its name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from posixpath import join, normpath

from skilltrial.api import SkillPlaced, Step

from .lines import Object, inner, text, whole
from .uses import Path, Uses

Steps = Iterator[tuple[str, Step]]

_BODY = "SKILL.md"
_NO_NAMES = frozenset({"", ".", ".."})
_BASE = re.compile(r"Base directory for this skill: ([^\n]+)")
_COMMAND = re.compile(r"<command-name>/([^<\n]+)</command-name>")
_LISTED = re.compile(r"([^\s(]+) \(.*\)")
_NUMBERED = re.compile(r"^ *\d+\t", re.M)


@dataclass
class Skills:
    """The placed skills. `root` is the project's own path, as the program says it; None before it did."""

    root: str | None = None
    placed: list[SkillPlaced] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    """Skills whose SKILL.md was written to since: only the digest of a content can tell then."""

    def offered(self, ids: Iterable[str]) -> Steps:
        """Steps of the list of skills that the program says it has."""
        listed = frozenset(ids)
        return ((skill.skill, Step.OFFERED) for skill in self.placed if skill.skill in listed)

    def named(self, name: str) -> Steps:
        """Steps of a request for a skill by name: `x`, `/x` or `namespace:x`."""
        last = name.strip().removeprefix("/").rpartition(":")[2]
        return ((skill.skill, Step.REQUESTED) for skill in self.placed if skill.skill == last)

    def at(self, path: str) -> Iterator[SkillPlaced]:
        """The skills whose SKILL.md has this path; a relative one is below the project."""
        return (skill for skill in self.placed if self._same(path, join(skill.path, _BODY)))

    def loaded(self, message: str) -> Steps:
        """Steps of a text with which the program itself gives a skill's body to the model."""
        found = _BASE.match(message)
        for skill in self.placed:
            if not found or not self._same(found[1].strip(), skill.path) or skill.skill in self.changed:
                continue
            if skill.text_sha256 in (None, _digest(_given(message[found.end() :]))):
                yield skill.skill, Step.READ

    def commanded(self, message: str) -> Steps:
        """Steps of a prompt that the program took for a slash command."""
        for found in _COMMAND.finditer(message):
            yield from ((skill, Step.MENTIONED) for skill, _ in self.named(found[1]))

    def shown(self, file: Object, *, redacted: bool) -> Steps:
        """Steps of a file's content as the reading tool returns it (`filePath, content, startLine, numLines ...`)."""
        content = text(file, "content")
        first, lines, total = (whole(file, key) for key in ("startLine", "numLines", "totalLines"))
        for skill in self.at(text(file, "filePath") or ""):
            if content is None or not content.strip():
                continue
            if first == 1 and lines is not None and lines == total and not redacted:
                seen = _has_digest(content, skill.body_sha256)
            else:
                seen = skill.skill not in self.changed and (first != 1 or behind_front_matter(content))
            if seen:
                yield skill.skill, Step.READ

    def wrote(self, path: str) -> None:
        """A file was written: where it is a SKILL.md, what lies there is no longer what was placed."""
        self.changed.update(skill.skill for skill in self.at(path))

    def asked_of_shell(self, found: Uses) -> Steps:
        """Steps of a command that was asked for."""
        for skill in self.placed:
            if self._reads(found, skill):
                yield skill.skill, Step.REQUESTED

    def done_by_shell(self, found: Uses, output: str | None, *, failed: bool) -> Steps:
        """Steps of a command that was carried out; `output` is what it printed, None where that is not known."""
        for skill in self.placed:
            reads = self._reads(found, skill)
            if any(self._covers(path, join(skill.path, _BODY)) for path in found.writes):
                self.changed.add(skill.skill)
            if output is not None and _holds(output, skill.body_sha256):
                yield skill.skill, Step.READ
            elif reads and failed:
                if found.commands == 1:
                    yield skill.skill, Step.ERRORED
            elif reads and output is not None and skill.skill not in self.changed and behind_front_matter(output):
                yield skill.skill, Step.READ
            if self._runs(found, skill):
                yield skill.skill, Step.ERRORED if failed else Step.SCRIPT_RUN

    def _reads(self, found: Uses, skill: SkillPlaced) -> bool:
        return any(self._covers(path, join(skill.path, _BODY)) for path in found.reads)

    def _runs(self, found: Uses, skill: SkillPlaced) -> bool:
        folder = normpath(join(self.root or "/", skill.path))
        return any(path.text.startswith(f"{folder}/") and path.text != join(folder, _BODY) for path in found.runs)

    def _covers(self, path: Path, wanted: str) -> bool:
        if not path.pattern:
            return self._same(path.text, wanted)
        return fnmatchcase(normpath(join(self.root or "/", wanted)), path.text)

    def _same(self, path: str, wanted: str) -> bool:
        """Whether `path` is `wanted` of the project. Where the project is not known, an absolute path's end counts."""
        if not path or _other_name(path, wanted):
            return False
        if self.root is None:
            return normpath(path) == wanted or (path.startswith("/") and normpath(path).endswith(f"/{wanted}"))
        return normpath(join(self.root, path)) == normpath(join(self.root, wanted))


def _other_name(path: str, wanted: str) -> bool:
    """Whether the names alone say that these are two files: for most paths nothing more has to be asked."""
    name, other = path.rpartition("/")[2], wanted.rpartition("/")[2]
    return name != other and not {name, other} & _NO_NAMES


def id_of(listed: str) -> str:
    """The id in a list of skills: a skill whose own name is another one is listed as `ID (name)`."""
    found = _LISTED.fullmatch(listed)
    return found[1] if found else listed


def file_of(result: object) -> Object:
    """The file in what the reading tool returned; empty where there is none."""
    return inner(result, "file")


def behind_front_matter(content: str) -> bool:
    """Whether a file, shown from its first line, is shown beyond its front matter; lines may be numbered."""
    lines = [line.rstrip() for line in _NUMBERED.sub("", content).lstrip("\ufeff").split("\n")]
    if not any(lines):
        return False
    if lines[0] != "---":
        return True
    return "---" in lines[1:] and any(lines[lines.index("---", 1) + 1 :])


def _has_digest(content: str, sha256: str) -> bool:
    """Whether the file could be this content: the tool takes away a byte-order mark and carriage returns."""
    ends = (content, content.replace("\n", "\r\n"))
    return any(_digest(mark + each) == sha256 for each in ends for mark in ("", "\ufeff"))


def _holds(output: str, sha256: str) -> bool:
    """Whether a run of whole lines of `output` is that file: from its first line, or from front matter on.

    The shell tool takes away white space at both ends.
    """
    wanted = bytes.fromhex(sha256)
    lines = f"{output}\n".splitlines(keepends=True)
    starts = {0, *(place for place, line in enumerate(lines) if line.rstrip() == "---")}
    for start in sorted(starts)[:8]:
        running = hashlib.sha256()
        for line in lines[start : start + 5000]:
            running.update(line.encode("utf-8", "surrogatepass"))
            if running.digest() == wanted:
                return True
    return False


def _given(message: str) -> str:
    """The skill's text in a message: what was asked with it stands behind."""
    return message.partition("\n\nARGUMENTS: ")[0].replace("\r\n", "\n").strip()


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
