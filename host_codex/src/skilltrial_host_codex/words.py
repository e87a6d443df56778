"""The words of a shell command that mean the same whatever the environment holds."""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

_PATTERN = re.compile(r"(?<!\\)[*?\[]")
_QUOTED = re.compile(r'\\([\\"$`\n])')
_ESCAPE = re.compile(r"\\(\n|.)")


class Word(NamedTuple):
    """A word after quotes and escapes are taken away. `glob`: the shell would replace it by matching paths."""

    text: str
    glob: bool = False


def literal(node: Node, cwd: str | None) -> Word | None:
    """What `node` stands for; None where only a running shell could say (`$(…)`, variables but `PWD`)."""
    match node.type:
        case "command_name":
            inner = node.children
            return literal(inner[0], cwd) if inner else None
        case "word" | "number" | "extglob_pattern":
            text = _text(node)
            return Word(_ESCAPE.sub(_unescaped, text) if "\\" in text else text, bool(_PATTERN.search(text)))
        case "raw_string":
            return Word(_text(node)[1:-1])
        case "string":
            return _joined(node.children[1:-1], cwd)
        case "string_content":
            return Word(_QUOTED.sub(_unescaped, _text(node)))
        case "simple_expansion" | "expansion":
            return Word(cwd) if cwd is not None and _text(node) in {"$PWD", "${PWD}"} else None
        case "concatenation":
            return None if any(_text(child) == "{" for child in node.children) else _joined(node.children, cwd)
        case _:
            return None


def _joined(nodes: list[Node], cwd: str | None) -> Word | None:
    text, glob = "", False
    for node in nodes:
        part = literal(node, cwd)
        if part is None:
            return None
        text, glob = text + part.text, glob or part.glob
    return Word(text, glob)


def _unescaped(found: re.Match[str]) -> str:
    return "" if found[1] == "\n" else found[1]


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
