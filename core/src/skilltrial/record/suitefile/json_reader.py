"""JSON → nodes. `json` reads the strings; the little scanner around it knows where each value stands."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from json.decoder import scanstring  # type: ignore[attr-defined]

from .nodes import MAX_DEPTH, MAX_DIGITS, MAX_NODES, Mark, Node, Unreadable, doubled

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}


def read_json(text: str) -> tuple[Node, list[Unreadable]]:
    """The root node, and every key that is given twice. Raises Unreadable."""
    scanner = _Scanner(text)
    at = scanner.space(0)
    if at == len(text):
        raise Unreadable(Mark(1, 1), "the file is empty", "a suite has at least `cases`")
    root, at = scanner.value(at, 0)
    at = scanner.space(at)
    if at != len(text):
        raise Unreadable(scanner.mark(at), "there is text after the end of the JSON value", "remove it")
    return root, scanner.double


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.double: list[Unreadable] = []
        self._starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
        self._nodes = 0

    def mark(self, at: int) -> Mark:
        line = bisect_right(self._starts, at)
        return Mark(line, at - self._starts[line - 1] + 1)

    def space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> tuple[Node, int]:
        self._nodes += 1
        if depth > MAX_DEPTH:
            raise Unreadable(self.mark(at), f"values are nested more than {MAX_DEPTH} deep", "flatten them")
        if self._nodes > MAX_NODES:
            raise Unreadable(self.mark(at), f"the file holds more than {MAX_NODES} values", "split the suite")
        first = self.text[at : at + 1]
        if first == "{":
            return self._mapping(at, depth)
        if first == "[":
            return self._list(at, depth)
        if first == '"':
            string, end = self._string(at)
            return Node(self.mark(at), string), end
        for word, meaning in _WORDS.items():
            if self.text.startswith(word, at):
                return Node(self.mark(at), meaning), at + len(word)
        if match := _NUMBER.match(self.text, at):
            return Node(self.mark(at), self._number(match)), match.end()
        raise Unreadable(self.mark(at), "a JSON value is missing here", "write text in double quotes, a number, [ or {")

    def _number(self, match: re.Match[str]) -> int | float:
        number = float(match[0]) if match[1] or match[2] else None
        if len(match[0]) > MAX_DIGITS or (number is not None and not math.isfinite(number)):
            raise Unreadable(self.mark(match.start()), "the number is too large", "write it as text")
        return int(match[0]) if number is None else number

    def _string(self, at: int) -> tuple[str, int]:
        try:
            string, end = scanstring(self.text, at + 1, True)
        except json.JSONDecodeError as error:
            raise Unreadable(
                self.mark(error.pos),
                "text in double quotes does not end, or holds what must be escaped",
                r'close it with ", and write line breaks as \n and backslashes as \\',
            ) from None
        if any("\ud800" <= char <= "\udfff" for char in string):
            raise Unreadable(self.mark(at), "text holds half of a surrogate pair", "write the whole character")
        return string, end

    def _mapping(self, at: int, depth: int) -> tuple[Node, int]:
        node = Node(self.mark(at), {})
        at = self.space(at + 1)
        if self.text[at : at + 1] == "}":
            return node, at + 1
        while True:
            if self.text[at : at + 1] != '"':
                raise Unreadable(self.mark(at), "a key in double quotes is missing here", "remove a comma too many")
            mark = self.mark(at)
            key, at = self._string(at)
            at = self.space(at)
            if self.text[at : at + 1] != ":":
                raise Unreadable(self.mark(at), "`:` is missing after a key")
            child, at = self.value(self.space(at + 1), depth + 1)
            if key in node.keys:
                self.double.append(doubled(key, mark, node.keys[key]))
            else:
                node.put(key, child, mark)
            at = self.space(at)
            if self.text[at : at + 1] == "}":
                return node, at + 1
            at = self._comma(at, "}")

    def _list(self, at: int, depth: int) -> tuple[Node, int]:
        node = Node(self.mark(at), [])
        at = self.space(at + 1)
        if self.text[at : at + 1] == "]":
            return node, at + 1
        while True:
            child, at = self.value(at, depth + 1)
            node.put(len(node.children), child)
            at = self.space(at)
            if self.text[at : at + 1] == "]":
                return node, at + 1
            at = self._comma(at, "]")

    def _comma(self, at: int, end: str) -> int:
        if self.text[at : at + 1] != ",":
            raise Unreadable(self.mark(at), f"`,` or `{end}` is missing here")
        return self.space(at + 1)
