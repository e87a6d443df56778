"""YAML 1.2 → nodes, from ruamel's parse events, with the values of JSON only.

Plain scalars are read by the core schema of YAML 1.2: `yes` and `2026-01-31` are text. Anchors and aliases work,
within the bound on values that any document has; tags, merge keys and several documents are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from .nodes import MAX_DEPTH, MAX_DIGITS, MAX_NODES, Mark, Node, Unreadable, doubled, end_of

_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    spelling: word == "true" for word in ("true", "false") for spelling in (word, word.title(), word.upper())
}
_INT = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_STR_TAG = "tag:yaml.org,2002:str"


def read_yaml(text: str) -> tuple[Node, list[Unreadable]]:
    """The root node, and every key that is given twice. Raises Unreadable."""
    try:
        return _Builder(text).build()
    except MarkedYAMLError as error:
        raise _syntax(error, text) from None
    except YAMLError as error:
        position = getattr(error, "position", 0)
        raise Unreadable(
            end_of(text[:position]),
            "a character that can't be shown stands here",
            r'write it in double quotes as an escape such as "\x07"',
        ) from None
    except RecursionError:
        raise Unreadable(Mark(1, 1), f"values are nested more than {MAX_DEPTH} deep", "flatten them") from None


class _Builder:
    def __init__(self, text: str) -> None:
        self.events: Iterator[Any] = YAML(typ="safe", pure=True).parse(text)
        self.anchors: dict[str, Node | None] = {}
        self.double: list[Unreadable] = []
        self.nodes = 0

    def build(self) -> tuple[Node, list[Unreadable]]:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, DocumentStartEvent):
                self._refuse_other_version(event)
            elif isinstance(event, ScalarEvent | SequenceStartEvent | MappingStartEvent | AliasEvent):
                if root is not None:
                    raise Unreadable(_mark(event), "the file holds a second document", "put it into a file of its own")
                root = self._node(event, 0)
        if root is None or (root.value is None and root.size == 1):
            raise Unreadable(Mark(1, 1), "the file is empty", "a suite has at least `cases`")
        return root, self.double

    def _refuse_other_version(self, event: Any) -> None:
        if event.version is not None and tuple(event.version) != (1, 2):
            raise Unreadable(Mark(1, 1), "suites are YAML 1.2", "remove the line that begins with %YAML")

    def _node(self, event: Any, depth: int) -> Node:
        if isinstance(event, AliasEvent):
            return self._alias(event, depth)
        if depth > MAX_DEPTH:
            raise Unreadable(_mark(event), f"values are nested more than {MAX_DEPTH} deep", "flatten them")
        if event.tag is not None and not (event.tag == _STR_TAG and isinstance(event, ScalarEvent)):
            raise Unreadable(_mark(event), "tags (`!…`) mean nothing in a suite", "remove the tag")
        self._count(event, 1)
        if event.anchor:
            self.anchors[event.anchor] = None
        if isinstance(event, ScalarEvent):
            node = Node(_mark(event), _scalar(event))
        elif isinstance(event, SequenceStartEvent):
            node = self._list(event, depth)
        else:
            node = self._mapping(event, depth)
        if event.anchor:
            self.anchors[event.anchor] = node
        return node

    def _count(self, event: Any, values: int) -> None:
        self.nodes += values
        if self.nodes > MAX_NODES:
            raise Unreadable(_mark(event), f"the file holds more than {MAX_NODES} values", "split the suite")

    def _alias(self, event: Any, depth: int) -> Node:
        if event.anchor not in self.anchors:
            raise Unreadable(_mark(event), "an alias (`*…`) has no anchor before it", "define it with `&` first")
        node = self.anchors[event.anchor]
        if node is None:
            raise Unreadable(_mark(event), "an alias stands inside its own anchor", "a value can't contain itself")
        if depth + node.height > MAX_DEPTH:
            raise Unreadable(_mark(event), f"values are nested more than {MAX_DEPTH} deep", "flatten them")
        self._count(event, node.size)
        return node

    def _list(self, start: Any, depth: int) -> Node:
        node = Node(_mark(start), [])
        while not isinstance(event := next(self.events), SequenceEndEvent):
            node.put(len(node.children), self._node(event, depth + 1))
        return node

    def _mapping(self, start: Any, depth: int) -> Node:
        node = Node(_mark(start), {})
        while not isinstance(event := next(self.events), MappingEndEvent):
            key = self._key(event, depth)
            child = self._node(next(self.events), depth + 1)
            if key in node.keys:
                self.double.append(doubled(key, _mark(event), node.keys[key]))
            else:
                node.put(key, child, _mark(event))
        return node

    def _key(self, event: Any, depth: int) -> str:
        if isinstance(event, ScalarEvent) and event.value == "<<" and not event.style:
            raise Unreadable(_mark(event), "merge keys (`<<`) are not part of YAML 1.2", "write the keys out")
        key = self._node(event, depth + 1).value
        if not isinstance(key, str):
            raise Unreadable(_mark(event), "a key must be text", "put it in double quotes")
        return key


def _scalar(event: Any) -> object:
    text: str = event.value
    if event.style or event.tag == _STR_TAG:
        return _whole(event, text)
    if text in _WORDS:
        return _WORDS[text]
    if _BASED.fullmatch(text):
        return int(text, 0)
    if _NOT_FINITE.fullmatch(text):
        raise Unreadable(_mark(event), "infinity and not-a-number are no JSON values", "write a number, or quote it")
    if _INT.fullmatch(text) or _FLOAT.fullmatch(text):
        number = int(text) if _INT.fullmatch(text) and len(text) <= MAX_DIGITS else float(text)
        if len(text) > MAX_DIGITS or not math.isfinite(number):
            raise Unreadable(_mark(event), "the number is too large", "write it as text")
        return number
    return _whole(event, text)


def _whole(event: Any, text: str) -> str:
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    try:
        # YAML's escapes name one code unit each, as JSON's do; a pair of them is one character.
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise Unreadable(_mark(event), "text holds half of a surrogate pair", "write the whole character") from None


def _mark(event: Any) -> Mark:
    return Mark(event.start_mark.line + 1, event.start_mark.column + 1)


_SYNTAX = (
    ("mapping values are not allowed", "`:` can't stand here", "put text with a colon in quotes, or check the indent"),
    ("tab", "a tab can't stand here", "indent with spaces"),
    ("'\\t'", "a tab can't stand here", "indent with spaces"),
    ("unexpected end of stream", "quoted text does not end", "close the quotes"),
    (
        "unknown escape",
        "a backslash begins no escape that YAML knows",
        r"write \\ for a backslash, or use single quotes",
    ),
    ("cannot start any token", "plain text can't begin with this character", "put the text in quotes"),
    ("<block end>", "this line does not belong to what stands before it", "check the indent"),
    ("expected ',' or", "`,` or a closing bracket is missing here", ""),
    ("stream end", "the file ends in the middle of a value", "close what is open"),
    ("could not find expected ':'", "`:` is missing after a key", ""),
    ("anchor", "an anchor or alias has no usable name", "use letters and digits"),
)


def _syntax(error: MarkedYAMLError, text: str) -> Unreadable:
    """ruamel's problem in our words; its own may quote the file."""
    problem = error.problem or ""
    place = error.problem_mark or error.context_mark
    mark = Mark(place.line + 1, place.column + 1) if place else end_of(text)
    for part, what, right in _SYNTAX:
        if part in problem:
            return Unreadable(mark, f"not valid YAML: {what}", right)
    return Unreadable(mark, "not valid YAML here", "check indent, quotes and brackets")
