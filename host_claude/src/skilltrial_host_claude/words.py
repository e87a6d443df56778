"""Words of a shell command, as far as they mean the same whatever the environment holds."""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

_PATTERN = re.compile(r"(?<!\\)[*?\[]")
_QUOTED = re.compile(r'\\([$`"\\\n])')
_ESCAPE = re.compile(r"\\(\n|.)")


class Word(NamedTuple):
    """A word without its quotes and escapes. `pattern`: the shell would put matching paths in its place."""

    text: str
    pattern: bool = False


def word(node: Node) -> Word | None:
    """What `node` stands for; None where only the running shell could say (variables, substitutions)."""
    kind = node.type
    if kind == "command_name":
        inner = node.children
        return word(inner[0]) if inner else None
    raw = source(node)
    match kind:
        case "word" | "number" | "extglob_pattern":
            return Word(_bare(raw), bool(_PATTERN.search(raw)) or raw.startswith("~"))
        case "raw_string":
            return Word(raw[1:-1])
        case "string":
            return _joined(node.named_children)
        case "string_content":
            return Word(_QUOTED.sub(_escaped, raw) if "\\" in raw else raw)
        case "concatenation":
            # Braces make several words of one.
            return None if any(source(child) == "{" for child in node.children) else _joined(node.children)
        case _:
            return None


def source(node: Node) -> str:
    """The text of a node as it was written."""
    return (node.text or b"").decode("utf-8", "replace")


def _joined(nodes: list[Node]) -> Word | None:
    parts = [word(node) for node in nodes]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Word("".join(part.text for part in known), any(part.pattern for part in known))


def _bare(raw: str) -> str:
    return _ESCAPE.sub(_escaped, raw) if "\\" in raw else raw


def _escaped(found: re.Match[str]) -> str:
    return "" if found[1] == "\n" else found[1]
