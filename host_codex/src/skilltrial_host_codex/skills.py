"""How far each of the suite's skills came: known by its path in the project and the digest of its SKILL.md.

A read counts where the printed text holds the very body (a run of whole lines with the digest of SKILL.md), or
where a reader printed at least one line behind the front matter of that path and ended well. A whole `cat` whose
text has another digest was not this skill. Where a command can't be followed (`$(…)`, an interpreter), only the
digest counts. A script counts as run where a command that ended well started a file below the skill's folder.
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import basename, join, normpath

from skilltrial.api import SkillPlaced, Step

from .shell import Read, Uses, uses

_MOST_LINES = 4_000
_MOST_STARTS = 20
_BODY = "SKILL.md"
_MENTION = re.compile(r"<skill>\n<name>(.*?)</name>\n<path>(.*?)</path>\n(.*)\n</skill>\s*", re.S)
_ROOT = re.compile(r"^- `(\w+)` = `(.+)`$", re.M)
_ENTRY = re.compile(r"^- (?P<name>[^:\n]+(?::[^:\s]+)?): .*\(file: (?P<file>.+)\)$", re.M)
_LIST = "### Available skills"
_NUMBERED = re.compile(r"^\s*\d+\t", re.M)


@dataclass(frozen=True, slots=True)
class Printed:
    """How a command ended and what it printed; both None where it did not end, or was not carried out.

    `changed`: a redaction may have touched the text, so that its digest says nothing.
    """

    exit: int | None
    output: str | None
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Skills:
    """The placed skills, and the project's absolute path where the session log says it."""

    placed: tuple[SkillPlaced, ...]
    root: str | None

    def of_command(self, script: str, cwd: str, printed: Printed) -> Iterator[tuple[str, Step]]:
        """The steps of a command in `cwd`."""
        if not self.placed or not script.strip():
            return
        found = uses(script, cwd)
        for skill in self.placed:
            path = join(skill.path, _BODY)
            reads = [read for read in found.reads if self._is(read, path)]
            unclear = bool(reads) or not found.understood
            body = unclear and printed.output is not None and holds(printed.output, skill.body_sha256)
            if reads or body:
                yield skill.skill, Step.REQUESTED
                if body or (self.root is not None and _shown(reads, printed)):
                    yield skill.skill, Step.READ
                elif printed.exit not in {0, None} and found.commands == 1:
                    yield skill.skill, Step.ERRORED
            if self._ran(found, skill.path):
                yield skill.skill, Step.SCRIPT_RUN if printed.exit == 0 else Step.ERRORED

    def of_message(self, text: str, *, changed: bool) -> Iterator[tuple[str, Step]]:
        """The steps of a message that the program wrote for a `$name` in the prompt."""
        found = _MENTION.fullmatch(text)
        if found is None:
            return
        for skill in self.placed:
            if self._same(found[2], join(skill.path, _BODY)):
                yield skill.skill, Step.MENTIONED
                if changed or hashlib.sha256(_bytes(found[3])).hexdigest() == skill.body_sha256:
                    yield skill.skill, Step.READ

    def of_offer(self, text: str) -> Iterator[tuple[str, Step]]:
        """The steps of the list of skills that the program gave its model."""
        roots = {found[1]: found[2] for found in _ROOT.finditer(text)}
        files = {_rooted(found["file"], roots) for found in _ENTRY.finditer(text.partition(_LIST)[2])}
        for skill in self.placed:
            if any(self._same(file, join(skill.path, _BODY)) for file in files):
                yield skill.skill, Step.OFFERED

    def _is(self, read: Read, path: str) -> bool:
        if read.glob:
            absolute = self.root is not None and read.path.startswith("/")
            wanted = normpath(join(self.root or "/", path)) if absolute else path
            return fnmatch.fnmatchcase(wanted, read.path)
        return self._same(read.path, path)

    def _same(self, path: str, wanted: str) -> bool:
        """Whether `path` is `wanted` of the project. Where the project is unknown, an absolute path's end counts."""
        if not path.startswith("/"):
            return normpath(path) == wanted
        return path.endswith("/" + wanted) if self.root is None else normpath(path) == normpath(join(self.root, wanted))

    def _ran(self, found: Uses, folder: str) -> bool:
        folders = [folder] if self.root is None else [folder, normpath(join(self.root, folder))]
        return any(run.startswith(f"{each}/") and basename(run) != _BODY for run in found.runs for each in folders)


def offered(text: str) -> tuple[str, ...] | None:
    """The names of the offered skills, by the developer text that lists them; None where it is no such list."""
    if _LIST not in text:
        return None
    return tuple(found["name"] for found in _ENTRY.finditer(text.partition(_LIST)[2]))


def holds(output: str, sha256: str) -> bool:
    """Whether a run of whole lines of `output` has that digest.

    Looks where a SKILL.md may begin: at the beginning, and at lines that open a front matter.
    """
    wanted = bytes.fromhex(sha256)
    lines = _bytes(output).splitlines(keepends=True)[:_MOST_LINES]
    starts = [0, *(number for number, line in enumerate(lines) if number and line.rstrip() == b"---")]
    for start in starts[:_MOST_STARTS]:
        running = hashlib.sha256()
        for line in lines[start:]:
            running.update(line)
            if running.digest() == wanted:
                return True
    return False


def _shown(reads: list[Read], printed: Printed) -> bool:
    if printed.exit != 0 or printed.output is None or not printed.output.strip():
        return False
    if any(read.whole for read in reads) and not printed.changed and "bytes omitted" not in printed.output:
        return False  # all of a file was printed, and its digest is another one
    return _behind_front_matter(printed.output)


def _behind_front_matter(output: str) -> bool:
    lines = [line.rstrip() for line in _NUMBERED.sub("", output).split("\n")]
    if lines[0] != "---":
        return True
    return "---" in lines[1:] and any(lines[lines.index("---", 1) + 1 :])


def _rooted(file: str, roots: dict[str, str]) -> str:
    root, slash, rest = file.partition("/")
    return join(roots[root], rest) if slash and root in roots else file


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
