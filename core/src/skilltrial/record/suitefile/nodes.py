"""Values and the places where they stand: what the readers of JSON and YAML make, and why they stop."""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_DEPTH = 64
MAX_NODES = 200_000
MAX_DIGITS = 400


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file; both count from 1, columns in characters."""

    line: int
    column: int


@dataclass(slots=True)
class Node:
    """A value and its mark. `value` is plain JSON; an anchor's node may hang in several places."""

    mark: Mark
    value: object = None
    keys: dict[str, Mark] = field(default_factory=dict)
    children: dict[str | int, Node] = field(default_factory=dict)
    size: int = 1
    """How many values it is, itself included."""
    height: int = 0
    """How many levels lie below it."""

    def put(self, key: str | int, child: Node, mark: Mark | None = None) -> None:
        """Hang `child` into this mapping (or list) at `key`."""
        if isinstance(self.value, dict):
            self.value[key] = child.value
        elif isinstance(self.value, list):
            self.value.append(child.value)
        if mark is not None and isinstance(key, str):
            self.keys[key] = mark
        self.children[key] = child
        self.size += child.size
        self.height = max(self.height, child.height + 1)


class Unreadable(Exception):
    """The text is not a document of its format. `mark` says where, `what` and `right` are for the user."""

    def __init__(self, mark: Mark, what: str, right: str = "") -> None:
        super().__init__(what)
        self.mark, self.what, self.right = mark, what, right


def end_of(text: str) -> Mark:
    """The mark just behind `text`, which begins a file."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return Mark(len(lines), len(lines[-1]) + 1)


def doubled(key: str, mark: Mark, first: Mark) -> Unreadable:
    """The fault of a key that is given twice."""
    from .wording import shown

    return Unreadable(mark, f"{shown(key)} is given twice", f"it stands on line {first.line} already; keep one of them")
