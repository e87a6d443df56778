"""What a host laid into the home of a place before its first program, by digests that two arms can be compared by."""

from __future__ import annotations

from pathlib import Path

from skilltrial.archive.redaction import Redactor
from skilltrial.archive.trees import sha256
from skilltrial.model.likeness import placeheld, unplaced
from skilltrial.model.notes import Furnished

from .workspace import Folders

MOST_FILES = 200
"""A home with more is a copy of the operator's: it is told by `ambient`, and its files are not read."""
MOST_BYTES = 1 << 20
"""A bigger file is told by its size alone."""


def furnished(folders: Folders, redactor: Redactor) -> Furnished:
    """The note. Secrets, the place's own paths and ports are replaced before a digest is made."""
    paths: list[Path] = []
    for path in sorted(folders.home.rglob("*")):
        if path.is_file() and not path.is_symlink():
            paths.append(path)
        if len(paths) > MOST_FILES:
            return Furnished(files={}, whole=False)
    own = {"project": folders.project, "home": folders.home, "tmp": folders.tmp, "plugins": folders.plugins}
    return Furnished(files={path.relative_to(folders.home).as_posix(): _digest(path, own, redactor) for path in paths})


def _digest(path: Path, own: dict[str, Path], redactor: Redactor) -> str:
    size = path.stat().st_size
    if size > MOST_BYTES:
        return f"{size} bytes"
    data, _ = redactor.data(path.read_bytes())
    text = unplaced(placeheld(data.decode("utf-8", "surrogateescape"), own))
    return sha256(text.encode("utf-8", "surrogateescape"))
