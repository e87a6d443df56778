"""A folder as a value: entries and bytes. Listings, digests and copies of workspaces and skills."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from pydantic import TypeAdapter

from skilltrial.model.evidence import Entry, FileKind
from skilltrial.model.part import canonical


def path_bytes(path: str) -> bytes:
    """The bytes of a path: what sorts and what is hashed. Undecodable names keep their bytes."""
    return path.encode("utf-8", "surrogateescape")


def sha256(data: bytes) -> str:
    """Digest of bytes."""
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder: its entries by path (the folder itself is not among them) and the bytes of its files by digest."""

    entries: tuple[Entry, ...] = ()
    contents: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, entries: Iterable[Entry], contents: Mapping[str, bytes]) -> Tree:
        """A tree of entries in any order."""
        return cls(tuple(sorted(entries, key=lambda entry: path_bytes(entry.path))), contents)

    @classmethod
    def of_texts(cls, texts: Mapping[str, str]) -> Tree:
        """A tree of text files, with the folders above them."""
        entries: dict[str, Entry] = {}
        contents: dict[str, bytes] = {}
        for path, text in texts.items():
            data = text.encode()
            digest = sha256(data)
            contents[digest] = data
            parts = path.split("/")
            for depth in range(1, len(parts)):
                folder = "/".join(parts[:depth])
                entries.setdefault(folder, Entry(path=folder, kind=FileKind.FOLDER))
            entries[path] = Entry(path=path, kind=FileKind.FILE, size=len(data), sha256=digest)
        return cls.of(entries.values(), contents)

    @property
    def by_path(self) -> dict[str, Entry]:
        """The entries by their paths."""
        return {entry.path: entry for entry in self.entries}

    def digest(self) -> str:
        """An injective SHA-256: every part length-prefixed, entries in the order of their path's bytes."""
        return tree_digest(self.entries)

    def data(self, path: str) -> bytes | None:
        """The bytes of the file at `path`, None where there is none."""
        entry = self.by_path.get(path)
        return None if entry is None or entry.sha256 is None else self.contents.get(entry.sha256)

    def under(self, folder: str) -> Tree:
        """The same tree, moved below `folder`; the folders above it are entries too."""
        parts = folder.split("/")
        above = [Entry(path="/".join(parts[:depth]), kind=FileKind.FOLDER) for depth in range(1, len(parts) + 1)]
        moved = [entry.model_copy(update={"path": f"{folder}/{entry.path}"}) for entry in self.entries]
        return Tree.of([*above, *moved], self.contents)

    def with_(self, other: Tree) -> Tree:
        """Both trees together; raises ValueError where they disagree about a path that is not a common folder."""
        mine = self.by_path
        for entry in other.entries:
            known = mine.setdefault(entry.path, entry)
            if known is not entry and not (known.kind is entry.kind is FileKind.FOLDER):
                raise ValueError(entry.path)
        return Tree.of(mine.values(), {**self.contents, **other.contents})

    def size(self) -> int:
        """Bytes of all files."""
        return sum(entry.size for entry in self.entries)


def tree_digest(entries: Iterable[Entry]) -> str:
    """See `Tree.digest`. The entries must be sorted."""
    digest = hashlib.sha256(b"skilltrial tree 1\n")
    for entry in entries:
        held = entry.sha256 or entry.target or ""
        for part in (
            path_bytes(entry.path),
            entry.kind.encode(),
            b"x" if entry.executable else b"-",
            path_bytes(held),
        ):
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
    return digest.hexdigest()


def listing(entries: Iterable[Entry]) -> bytes:
    """The entries as JSON bytes."""
    return canonical(as_json(entries))


def as_json(entries: Iterable[Entry]) -> list[dict[str, object]]:
    """The entries as JSON values, without defaults."""
    return _all_entries().dump_python(tuple(entries), mode="json", exclude_defaults=True)  # type: ignore[no-any-return]


def of_json(values: Iterable[Mapping[str, object]]) -> tuple[Entry, ...]:
    """Read what `as_json` made. Raises pydantic's ValidationError."""
    return _all_entries().validate_python(tuple(values), strict=False)


@cache
def _all_entries() -> TypeAdapter[tuple[Entry, ...]]:
    """Reads and writes whole listings: one call instead of one for each entry."""
    return TypeAdapter(tuple[Entry, ...])


def read_listing(data: bytes, read_blob: Callable[[str], bytes]) -> Tree:
    """A tree from its listing; the bytes of each file are asked of `read_blob` by digest."""
    entries = of_json(json.loads(data))
    contents = {entry.sha256: read_blob(entry.sha256) for entry in entries if entry.sha256 is not None}
    return Tree.of(entries, contents)
