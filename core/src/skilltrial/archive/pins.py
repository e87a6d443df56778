"""What a pin says of a folder, and how a folder differs from it."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.model.evidence import FileKind
from skilltrial.model.pins import SkillLock

from .trees import Tree, sha256

_LOOKED_AT = 8000
"""Bytes in which a NUL makes a file binary, as git sees it."""


def content_sha256(data: bytes) -> str:
    """Digest of a file with line ends as LF, so that a checkout has it everywhere; of a binary file as it is."""
    return sha256(data if b"\0" in data[:_LOOKED_AT] else data.replace(b"\r\n", b"\n"))


def digests(tree: Tree) -> dict[str, str]:
    """The files of a folder → digest of their content. Links have none."""
    return {
        entry.path: content_sha256(tree.contents[entry.sha256]) for entry in tree.entries if entry.sha256 is not None
    }


def executables(tree: Tree) -> tuple[str, ...]:
    """The files that may be executed."""
    return tuple(entry.path for entry in tree.entries if entry.kind is FileKind.FILE and entry.executable)


def differences(pin: SkillLock, tree: Tree) -> Iterator[str]:
    """How a folder differs from its pin, a few words a file; nothing where it is what was pinned."""
    found = digests(tree)
    for path in sorted(pin.files.keys() | found.keys()):
        if path not in found:
            yield f"{path} is gone"
        elif path not in pin.files:
            yield f"{path} was added"
        elif found[path] != pin.files[path]:
            yield f"{path} was changed"
    yield from (f"{entry.path} is a link" for entry in tree.entries if entry.kind is FileKind.LINK)
    for path in sorted(set(pin.executable) ^ set(executables(tree))):
        if path in found and path in pin.files:
            yield f"{path} can{'not' if path in pin.executable else ''} be executed"
