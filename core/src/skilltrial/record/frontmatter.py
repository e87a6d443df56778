"""The head of a SKILL.md: `name` and `description` in YAML between `---` lines, and the body behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skilltrial.model.errors import DocumentInvalid, Fault

from .document import MAX_BYTES, Document, read

_HEAD = re.compile(r"\A---[ \t]*\n(?P<head>.*?)(?:^|\n)---[ \t]*(?:\n|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a SKILL.md says of itself; None where it does not, or not as text."""

    name: str | None
    description: str | None
    body: str
    allowed_tools: tuple[str, ...] = ()
    """As written, one tool each: `Bash(git *)`, `Read`."""


def read_frontmatter(file: str, data: bytes) -> FrontMatter:
    """Read a SKILL.md's bytes; `file` is its name in messages. Raises DocumentInvalid."""
    if len(data) > MAX_BYTES:
        raise DocumentInvalid((Fault(file, 1, 1, "the file is too long for a SKILL.md", "put details into files"),))
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise DocumentInvalid((Fault(file, 1, 1, "the file is not UTF-8 text", "save it as UTF-8"),)) from None
    match = _HEAD.match(text)
    if match is None:
        raise DocumentInvalid(
            (
                Fault(
                    file,
                    1,
                    1,
                    "the file has no front matter",
                    "begin it with `---`, `name: …`, `description: …`, `---`",
                ),
            )
        )
    # The line of `---` stays in front, so that lines count as in the file.
    document = read(file, ("---\n" + match["head"] + "\n").encode())
    if document.double:
        raise DocumentInvalid(document.double)
    if not isinstance(document.value, dict):
        raise DocumentInvalid((Fault(file, 2, 1, "the front matter is no mapping", "write `name: …`"),))
    return FrontMatter(
        _text(document, "name"),
        _text(document, "description"),
        text[match.end() :],
        _tools(document.at(("allowed-tools",))),
    )


_TOOL = re.compile(r"[^\s,()]+(?:\([^)]*\))?")


def _tools(value: object) -> tuple[str, ...]:
    """Tools as people list them: a list, or a text with commas or blanks between, brackets kept whole."""
    if isinstance(value, list):
        return tuple(tool for one in value for tool in _tools(one))
    return tuple(_TOOL.findall(value)) if isinstance(value, str) else ()


def _text(document: Document, key: str) -> str | None:
    value = document.at((key,))
    return value if isinstance(value, str) else None
