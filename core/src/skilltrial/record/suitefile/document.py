"""A file as written: its values, and where in the file each of them stands.

A value's place is a *path*: keys and list positions from the top (`("cases", 0, "prompt")`). Readers for JSON and
YAML make the same tree of nodes, so faults are placed alike in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from skilltrial.model.errors import DocumentInvalid, Fault

from .json_reader import read_json
from .nodes import Mark, Node, Unreadable, end_of

Path = tuple[str | int, ...]
MAX_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Document:
    """A file that could be read. `file` is its name in messages."""

    file: str
    root: Node
    double: tuple[Fault, ...] = ()
    """Keys that are given twice; the first of each was read."""

    @property
    def value(self) -> object:
        """The whole content as plain JSON values."""
        return self.root.value

    def at(self, path: Path) -> object:
        """The value at `path`; None where there is none."""
        node = self.root
        for key in path:
            if key not in node.children:
                return None
            node = node.children[key]
        return node.value

    def mark(self, path: Path, *, key: bool = False) -> Mark:
        """Where the value at `path` begins (or its key). The nearest value above it, where there is none."""
        node = self.root
        mark = node.mark
        for at, step in enumerate(path):
            last = at == len(path) - 1
            if step not in node.children:
                break
            key_mark = node.keys.get(step) if isinstance(step, str) else None
            node = node.children[step]
            mark = key_mark if last and key and key_mark else node.mark
        return mark

    def fault(self, path: Path, what: str, right: str = "", *, key: bool = False) -> Fault:
        """A fault at `path`."""
        mark = self.mark(path, key=key)
        return Fault(self.file, mark.line, mark.column, what, right)


class Faults:
    """The faults of one document, gathered so that all are told at once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._found: dict[Fault, None] = dict.fromkeys(document.double)
        self._settled: set[Path] = set()

    def settle(self, path: Path, what: str, right: str = "", *, key: bool = False) -> None:
        """Note a fault that explains all others at `path` and below it; those are not told any more."""
        self.add(path, what, right, key=key)
        self._settled.add(path)

    def add(self, path: Path, what: str, right: str = "", *, key: bool = False) -> None:
        """Note a fault at the value at `path`, or at its key."""
        if any(path[:end] in self._settled for end in range(1, len(path) + 1)):
            return
        self._found[self.document.fault(path, what, right, key=key)] = None

    def extend(self, faults: Iterable[Fault]) -> None:
        """Note faults of a file that this one names."""
        self._found.update(dict.fromkeys(faults))

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._found)

    def __bool__(self) -> bool:
        return bool(self._found)

    def stop(self) -> None:
        """Raise DocumentInvalid if there are any."""
        if self._found:
            raise DocumentInvalid(tuple(self._found))


def read(file: str, data: bytes) -> Document:
    """Read a file's bytes; its name tells the format: `.json` is JSON, anything else YAML 1.2.

    Values are JSON's: no dates (they are text), no NaN, no lone surrogates. Raises DocumentInvalid.
    """
    try:
        text = _decode(data)
        if file.lower().endswith(".json"):
            root, double = read_json(text)
        else:
            # Only here: what reads JSON must not wait for ruamel.
            from .yaml_reader import read_yaml

            root, double = read_yaml(text)
    except Unreadable as error:
        raise DocumentInvalid((Fault(file, error.mark.line, error.mark.column, error.what, error.right),)) from None
    return Document(
        file, root, tuple(Fault(file, one.mark.line, one.mark.column, one.what, one.right) for one in double)
    )


def _decode(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise Unreadable(Mark(1, 1), f"the file is more than {MAX_BYTES} bytes long", "put long texts into files")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", "replace")
        raise Unreadable(end_of(before), "the file is not UTF-8 text", "save it as UTF-8") from None


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []
