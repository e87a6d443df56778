"""What lies in a folder that the user named: a listing with links, kinds and sizes. Nothing is read or followed."""

from __future__ import annotations

import os
import posixpath
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skilltrial.model.evidence import FileKind


@dataclass(frozen=True, slots=True)
class Found:
    """One entry below the root. `path` is POSIX and relative; bytes that are not UTF-8 are lone surrogates."""

    path: str
    kind: FileKind
    executable: bool
    size: int
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an entry can't be part of a source; `path` names it."""

    path: str
    reason: Literal["link", "link_outside", "special", "unreadable"]

    @property
    def told(self) -> str:
        """What it is, and what would be right."""
        return _REFUSED[self.reason]


_REFUSED = {
    "link": "is a link; put the file itself there",
    "link_outside": "is a link that leads out of the folder; put the file itself there",
    "special": "is a pipe, a socket or a device; only files and folders can be copied",
    "unreadable": "can't be read; check its permissions",
}


@dataclass(frozen=True, slots=True)
class Scan:
    """A folder's entries in the order of their paths' bytes, and what has no place in a source."""

    root: Path
    entries: tuple[Found, ...]
    refused: tuple[Refused, ...]

    @property
    def files(self) -> int:
        """How many files and links there are."""
        return sum(entry.kind is not FileKind.FOLDER for entry in self.entries)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(entry.size for entry in self.entries)


def scan(root: Path, *, links: Literal["refuse", "inside"], most: int | None = None) -> Scan:
    """List the folder `root`. `inside` keeps links whose target lies in `root`; `refuse` keeps none.

    Where it has more than `most` entries the list ends somewhere beyond that number.

    `root` itself may be reached through links. Raises OSError where `root` can't be listed.
    """
    found: list[Found] = []
    refused: list[Refused] = []
    folders = [("", os.fspath(root))]
    real = os.path.realpath(root)
    while folders and (most is None or len(found) <= most):
        prefix, folder = folders.pop()
        try:
            with os.scandir(folder) as listing:
                items = list(listing)
        except OSError:
            if not prefix:
                raise
            refused.append(Refused(prefix.rstrip("/"), "unreadable"))
            continue
        for item in items:
            path = prefix + item.name
            try:
                info = item.stat(follow_symlinks=False)
            except OSError:  # it went away meanwhile
                refused.append(Refused(path, "unreadable"))
                continue
            if stat.S_ISLNK(info.st_mode):
                _link(item.path, path, real, links, found, refused)
            elif stat.S_ISDIR(info.st_mode):
                found.append(Found(path, FileKind.FOLDER, executable=False, size=0))
                folders.append((path + "/", item.path))
            elif stat.S_ISREG(info.st_mode):
                executable = bool(info.st_mode & stat.S_IXUSR)
                found.append(Found(path, FileKind.FILE, executable=executable, size=info.st_size))
            else:
                refused.append(Refused(path, "special"))
    found.sort(key=lambda one: os.fsencode(one.path))
    refused.sort(key=lambda one: os.fsencode(one.path))
    return Scan(root, tuple(found), tuple(refused))


def _link(
    place: str, path: str, real: str, links: Literal["refuse", "inside"], found: list[Found], refused: list[Refused]
) -> None:
    if links == "refuse":
        refused.append(Refused(path, "link"))
        return
    target = os.readlink(place)  # noqa: PTH115 (a Path would tidy the text)
    reached = os.path.realpath(place)
    # A copy must not lead back to the source, so the way counts as much as its end: no absolute target, no `..`
    # that climbs out of the folder and in again.
    way = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    inside = reached == real or reached.startswith(real + os.sep)
    if target.startswith("/") or way == ".." or way.startswith("../") or not inside:
        refused.append(Refused(path, "link_outside"))
        return
    found.append(Found(path, FileKind.LINK, executable=False, size=0, target=target))
