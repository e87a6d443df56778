"""A file in JSON or YAML 1.2 → its value, with places for the faults that are found in it."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass

from pydantic import JsonValue
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from .faults import Faults, Path
from .strictjson import MAX_DEPTH, NotStrict, depth, read, whole

MAX_NODES = 500_000


class Unreadable(ValueError):
    """The file can't be read; the message is a sentence with its place."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read. `name` is how people know it."""

    name: str
    text: str
    value: JsonValue

    def sentences(self, faults: Faults) -> list[str]:
        """The faults as sentences with line and column."""
        if not faults.found:
            return []
        root = _compose(self.text)
        return [f"{self.name}:{_place(root, path)}: {says}" for path, says in faults.found.items()]


def read_document(name: str, data: bytes) -> Document:
    """Read a file; one whose name ends in `.json` is JSON, any other YAML. Raises Unreadable."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Unreadable(f"{name}: not a text in UTF-8") from None
    if name.endswith(".json"):
        try:
            return Document(name, text, read(text))
        except NotStrict as error:
            raise Unreadable(f"{name}: {error}") from None
    return Document(name, text, _yaml(name, text))


def _yaml(name: str, text: str) -> JsonValue:
    try:
        value: JsonValue = YAML(typ="safe", pure=True).load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = "" if mark is None else f":{mark.line + 1}:{mark.column + 1}"
        why = "a key is given twice" if "duplicate" in str(error.problem) else "not valid YAML"
        raise Unreadable(f"{name}{place}: {why}") from None
    except (YAMLError, ValueError, RecursionError):
        raise Unreadable(f"{name}: not valid YAML") from None
    if depth(value) > MAX_DEPTH:
        raise Unreadable(f"{name}: values are nested more than {MAX_DEPTH} deep")
    _json_only(name, value)
    if not whole(value):
        raise Unreadable(f"{name}: it has half a character (a lone surrogate)")
    return value


def _json_only(name: str, value: JsonValue) -> None:
    left: list[object] = [value]
    seen = 0
    while left:
        one = left.pop()
        seen += 1
        if seen > MAX_NODES:
            raise Unreadable(f"{name}: it has more than {MAX_NODES} values")
        if isinstance(one, dt.date):
            raise Unreadable(f"{name}: a date is no value of JSON; write it in quotes")
        if isinstance(one, dict):
            if not all(isinstance(key, str) for key in one):
                raise Unreadable(f"{name}: a key that is no text; write it in quotes")
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
        elif isinstance(one, float) and not math.isfinite(one):
            raise Unreadable(f"{name}: a number that is not finite")
        elif one is not None and not isinstance(one, str | int | float):
            raise Unreadable(f"{name}: a value that JSON does not have")


def _compose(text: str) -> Node | None:
    try:
        return YAML(typ="safe", pure=True).compose(text)  # type: ignore[no-any-return]
    except YAMLError:
        return None


def _place(root: Node | None, path: Path) -> str:
    """Line and column, from 1, of the value at `path`, or of the nearest one above it that stands in the file."""
    node = root
    mark = None if root is None else root.start_mark
    for step in path:
        if isinstance(node, MappingNode):
            pair = next(((key, value) for key, value in node.value if key.value == step), None)
            if pair is None:
                break
            mark, node = pair[0].start_mark, pair[1]
        elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            mark = node.start_mark
        else:
            break
    return "1:1" if mark is None else f"{mark.line + 1}:{mark.column + 1}"
