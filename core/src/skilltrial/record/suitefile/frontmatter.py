"""The head of a SKILL.md: `name` and `description` in YAML between `---` lines, and the body behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from skilltrial.model.errors import DocumentInvalid, Fault

from .document import MAX_BYTES, Document, read

_HEAD = re.compile(r"\A---[ \t]*\n(?P<head>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a SKILL.md says of itself; None where it does not, or not as text."""

    name: str | None
    description: str | None
    body: str
    allowed_tools: tuple[str, ...] = ()
    """As written, one tool each: `Bash(git *)`, `Read`."""
    fields: dict[str, object] = field(default_factory=dict)
    """All of the front matter, as plain JSON values."""


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
    if not any(line.strip() and not line.lstrip().startswith("#") for line in match["head"].splitlines()):
        raise DocumentInvalid((Fault(file, 2, 1, "the front matter is empty", "write `name: …`, `description: …`"),))
    # The line of `---` stays in front, so that lines count as in the file.
    document = read(file, ("---\n" + match["head"]).encode())
    if document.double:
        raise DocumentInvalid(document.double)
    if not isinstance(document.value, dict):
        raise DocumentInvalid((Fault(file, 2, 1, "the front matter is no mapping", "write `name: …`"),))
    return FrontMatter(
        _text(document, "name"),
        _text(document, "description"),
        text[match.end() :],
        _tools(document.at(("allowed-tools",))),
        document.value,
    )


def _tools(value: object) -> tuple[str, ...]:
    """Tools as people list them: a list, or a text with commas or blanks between, brackets kept whole.

    A bracket that is never closed reaches to the end: what stands behind it may be content and is no tool's name.
    """
    if isinstance(value, list):
        return tuple(tool for one in value for tool in _tools(one))
    if not isinstance(value, str):
        return ()
    depth, tools = 0, [""]
    for sign in value:
        if depth == 0 and (sign == "," or sign.isspace()):
            tools.append("")
            continue
        depth = max(0, depth + {"(": 1, ")": -1}.get(sign, 0))
        tools[-1] += sign
    return tuple(tool for tool in tools if tool.partition("(")[0])


def _text(document: Document, key: str) -> str | None:
    value = document.at((key,))
    return value if isinstance(value, str) else None
