"""What lies in a project, and what became of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skilltrial.archive.trees import path_bytes
from skilltrial.model.evidence import Change, ChangeKind, Entry, FileKind

from .ignoring import Ignore

READ_WHOLE = 8_000_000
"""Larger files are hashed in pieces and their bytes are not kept."""
HASHED = 2_000_000_000
"""So many bytes are read in all: a hole of a terabyte costs an agent nothing, and must not cost us hours."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of a folder by path, and the bytes that were kept, by digest.

    `complete` is False where there were more than the limit's files, or a folder could not be looked into: of the rest
    nothing is known.
    """

    entries: Mapping[str, Entry]
    contents: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    complete: bool = True


def list_project(
    root: Path, ignore: Ignore, *, most_files: int, known: Mapping[str, Entry], most_bytes: int = 0
) -> Listing:
    """List the folder `root`. Never raises for what an agent left there: it is recorded.

    Bytes are kept of files whose digest differs from the one `known` at their path, up to `most_bytes` in all.
    What is as it was `known` is that very entry.
    """
    entries: dict[str, Entry] = {}
    contents: dict[str, bytes] = {}
    room, readable = most_bytes, HASHED
    unseen: list[str] = []
    for path, found in _walk(root, ignore, unseen):
        if len(entries) >= most_files:
            return Listing(entries, contents, complete=False)
        before = known.get(path)
        entry, data = _entry(path, found, before, readable)
        readable -= entry.size if entry.sha256 is not None else 0
        entries[path] = entry
        if entry is before or data is None or entry.sha256 is None or entry.sha256 in contents:
            continue
        if (before is None or before.sha256 != entry.sha256) and len(data) <= room:
            room -= len(data)
            contents[entry.sha256] = data
    return Listing(entries, contents, complete=not unseen)


def _walk(root: Path, ignore: Ignore, unseen: list[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Every path below `root` that is not ignored, folders before what is in them, by the order of their bytes.

    Folders that are there and could not be looked into are added to `unseen`.
    """
    pending: list[tuple[str, str]] = [("", os.fspath(root))]
    while pending:
        prefix, folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: path_bytes(entry.name))
        except (FileNotFoundError, NotADirectoryError):
            continue  # the agent removed it, with all that was in it
        except OSError:
            # The agent took away the right to look into it, or dug too deep: nothing below it was seen to be removed.
            unseen.append(prefix)
            continue
        below: list[tuple[str, str]] = []
        for entry in found:
            path = f"{prefix}{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            if ignore.skips(path, folder=is_folder):
                continue
            yield path, entry
            if is_folder:
                below.append((f"{path}/", entry.path))
        pending.extend(reversed(below))


def _entry(path: str, found: os.DirEntry[str], known: Entry | None, readable: int) -> tuple[Entry, bytes | None]:
    """What lies at a path, and a file's bytes; `known` itself where it says the same.

    A file of more than `readable` bytes is not read.
    """
    try:
        if found.is_symlink():
            return Entry(path=path, kind=FileKind.LINK, target=os.readlink(found.path)), None  # noqa: PTH115 - speed
        if found.is_dir(follow_symlinks=False):
            return Entry(path=path, kind=FileKind.FOLDER), None
        if not found.is_file(follow_symlinks=False):
            return Entry(path=path, kind=FileKind.OTHER), None
        status = found.stat(follow_symlinks=False)
    except OSError:
        return Entry(path=path, kind=FileKind.OTHER, unread="unreadable"), None
    executable = bool(status.st_mode & 0o100)
    if status.st_size > readable:
        return Entry(path=path, kind=FileKind.FILE, executable=executable, size=status.st_size, unread="too_big"), None
    try:
        digest, data = _read(found.path, status.st_size)
    except OSError:
        return Entry(
            path=path, kind=FileKind.FILE, executable=executable, size=status.st_size, unread="unreadable"
        ), None
    size = status.st_size if data is None else len(data)
    if known is not None and (known.sha256, known.size, known.executable) == (digest, size, executable):
        return known, data
    return Entry(path=path, kind=FileKind.FILE, executable=executable, size=size, sha256=digest), data


def _read(path: str, size: int) -> tuple[str, bytes | None]:
    """A file's digest, and its bytes where they are not too many. Raises OSError.

    Descriptors and no file objects: this is done twice for every file of every trial.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if size > READ_WHOLE:
            with open(descriptor, "rb", closefd=False) as file:
                return hashlib.file_digest(file, "sha256").hexdigest(), None
        data = os.read(descriptor, size + 1)
        if len(data) != size:  # it changed since it was looked at, or comes in pieces
            data += b"".join(iter(lambda: os.read(descriptor, size + 1), b""))
        return hashlib.sha256(data).hexdigest(), data
    finally:
        os.close(descriptor)


def changes(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> tuple[Change, ...]:
    """The paths that differ, sorted by their bytes. Folders count only where they appear or go *empty*.

    A folder that holds files is told by its files; naming it too would make every new file two changes.
    """
    found: list[Change] = []
    for path in sorted({*before, *after}, key=path_bytes):
        kind = _change(before.get(path), after.get(path))
        if kind is not None:
            found.append(Change(path=path, change=kind))
    told = {
        "/".join(change.path.split("/")[:depth]) for change in found for depth in range(1, change.path.count("/") + 1)
    }
    return tuple(change for change in found if not (_only_folder(change.path, before, after) and change.path in told))


def differ(before: Entry | None, after: Entry | None) -> bool:
    """Whether something became of a path. Most entries are the same object, which is told much faster."""
    return before is not after and before != after


def _only_folder(path: str, before: Mapping[str, Entry], after: Mapping[str, Entry]) -> bool:
    return all(entry.kind is FileKind.FOLDER for entry in (before.get(path), after.get(path)) if entry is not None)


def _change(before: Entry | None, after: Entry | None) -> ChangeKind | None:
    if not differ(before, after):
        return None
    if before is None:
        return ChangeKind.CREATED
    if after is None:
        return ChangeKind.REMOVED
    if before.kind is not after.kind:
        return ChangeKind.KIND
    if (before.sha256, before.target, before.unread, before.size) == (
        after.sha256,
        after.target,
        after.unread,
        after.size,
    ):
        return ChangeKind.MODE
    return ChangeKind.CHANGED
