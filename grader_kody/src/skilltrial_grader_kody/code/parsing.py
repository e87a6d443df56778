"""Code as a syntax tree: TypeScript, and where that does not fit JavaScript; with its sizes bounded."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Parser

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 250_000
"""Bytes of code that are looked at."""

_LOOKS, _BYTES_PER_LOOK = 300, 10
"""What the parser may take. A look is a hundred of its steps; code takes one for 20 to 60 bytes."""
_CHUNK = 65_536
_SMALL = 600
"""Bytes of code that are parsed at once: so few can't take long."""

_COMMENTS = frozenset({"comment", "html_comment", "hash_bang_line"})
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([0-7]{1,3})|(\r\n|[\s\S]))", re.ASCII
)
_NAMED = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "\n": "",
    "\r\n": "",
    "\r": "",
    "\u2028": "",
}


class Unparsable(Exception):
    """The code is none, as far as both grammars say."""


@cache
def _parsers() -> tuple[Parser, Parser]:
    return (
        Parser(Language(tree_sitter_typescript.language_typescript())),
        Parser(Language(tree_sitter_javascript.language())),
    )


def parse(code: str) -> Node:
    """The root of the syntax tree. Raises Unparsable."""
    data = code.encode("utf-8", "replace")
    if len(data) > LONGEST:
        raise Unparsable
    for parser in _parsers():
        if len(data) <= _SMALL or _fits(parser, data):
            root = parser.parse(data).root_node
            if not root.has_error:
                return root
    raise Unparsable


def _fits(parser: Parser, data: bytes) -> bool:
    """Whether code is of the grammar; no, where the parser needs far more looks than code of that size ever does.

    It mends errors in a time that grows with the square of their number; a program has none. The tree of this look
    is thrown away: its nodes would read their texts through a callback, which crashes where Python's stack is full.
    """
    left = _LOOKS + len(data) // _BYTES_PER_LOOK

    def enough(offset: int, has_error: bool) -> bool:
        nonlocal left
        left -= 1
        return left < 0

    try:
        tree = parser.parse(lambda offset, point: data[offset : offset + _CHUNK], progress_callback=enough)
    except ValueError:
        parser.reset()
        return False
    return not tree.root_node.has_error


def children(node: Node) -> list[Node]:
    """The named parts of a node, without comments."""
    return [child for child in node.named_children if child.type not in _COMMENTS]


def text(node: Node) -> str:
    """The source of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def name(node: Node) -> str:
    """An identifier, with its unicode escapes resolved."""
    found = text(node)
    return unescaped(found) if "\\" in found else found


def unescaped(source: str) -> str:
    """A text with its escape sequences resolved; halves of a surrogate pair are joined."""
    found = _ESCAPE.sub(_character, source)
    if any("\ud800" <= mark <= "\udfff" for mark in found):
        found = found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return found


def _character(match: re.Match[str]) -> str:
    long, short, byte, octal, other = match.groups()
    if octal is not None:
        return chr(int(octal, 8))
    if other is not None:
        return _NAMED.get(other, other)
    point = int(long or short or byte, 16)
    return chr(point) if point < 0x110000 else "\ufffd"
