"""Whether an archive is what was sealed: every file there, none added, each with its digest."""

from __future__ import annotations

import errno
import hashlib
import os
import shlex
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skilltrial.model import jsontext
from skilltrial.model.errors import ArchiveRefused, ArchiveUnsupported

from . import layout
from .trees import sha256
from .writing import walk

MOST_NAMED = 20
"""So many faults are named; the rest is counted."""

# What not every system has is 0 there.
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
_AS_IT_IS: int = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Manifest:
    """`manifest.json`: digests of all files outside trials, and of each trial's seal."""

    sha256: str
    files: Mapping[str, str]
    trials: Mapping[str, str]


def read_manifest(root: Path) -> Manifest:
    """Read the manifest. Raises ArchiveRefused where there is none, ArchiveUnsupported for another version."""
    path = root / layout.MANIFEST
    try:
        if path.is_symlink():
            raise ArchiveRefused(f"changed: {layout.MANIFEST} (a link)")
        data = path.read_bytes()
    except FileNotFoundError:
        if (root / layout.PLAN).exists():
            raise ArchiveRefused(
                f"{root} is not sealed: its run did not end; take it up with "
                f"`skilltrial run --resume {shlex.quote(str(root))}`"
            ) from None
        raise ArchiveRefused(f"{root} is no archive: it has no {layout.MANIFEST}") from None
    except OSError as error:
        raise ArchiveRefused(f"{root} can't be read: {error.strerror}") from error
    value = read_json(data, layout.MANIFEST)
    version = value.get("schema_version")
    if version != layout.SCHEMA_VERSION or isinstance(version, bool):
        raise ArchiveUnsupported(f"archive version {version!r}; this release judges version {layout.SCHEMA_VERSION}")
    return Manifest(sha256(data), digests(value, "files"), digests(value, "trials"))


def read_json(data: bytes, name: str) -> Mapping[str, object]:
    """A JSON object of the archive. Raises ArchiveRefused."""
    try:
        value = jsontext.read_json(data)
    except (ValueError, RecursionError) as error:
        raise ArchiveRefused(f"changed: {name} is no JSON") from error
    if not isinstance(value, dict):
        raise ArchiveRefused(f"changed: {name} is no JSON object")
    return value


def digests(value: Mapping[str, object], key: str) -> Mapping[str, str]:
    """A mapping of names to digests in a sealed JSON object. Raises ArchiveRefused."""
    found = value.get(key)
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise ArchiveRefused(f"changed: the list of {key} is damaged")
    for name in found:
        # What leads out of the archive is nothing of it, whatever lies there.
        if {"", ".", ".."} & {*name.split("/")}:
            raise ArchiveRefused(f"changed: {name!r} is no file of an archive")
    return found


def verified(root: Path, name: str, digest: str) -> bytes:
    """The bytes of one sealed file. Raises ArchiveRefused that names it."""
    blocks: list[bytes] = []
    _read(root, name, blocks.append)
    data = b"".join(blocks)
    if sha256(data) != digest:
        raise ArchiveRefused(f"changed: {name}")
    return data


def check(root: Path, name: str, digest: str) -> None:
    """Raise ArchiveRefused where a sealed file is not what was sealed. Holds none of it."""
    running = hashlib.sha256()
    _read(root, name, running.update)
    if running.hexdigest() != digest:
        raise ArchiveRefused(f"changed: {name}")


def _read(root: Path, name: str, take: Callable[[bytes], None]) -> None:
    """Give the bytes of a file to `take`, in pieces. Raises ArchiveRefused that names it.

    A descriptor and no file object: judging does this for every file of every trial.
    """
    try:
        descriptor = _opened(f"{root}/{name}")
        try:
            while block := os.read(descriptor, _BLOCK):
                take(block)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise ArchiveRefused(f"missing: {name}") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise ArchiveRefused(f"changed: {name} (a link)") from None
        raise ArchiveRefused(f"unreadable: {name} ({error.strerror})") from error
    except ValueError as error:
        raise ArchiveRefused(f"changed: {name!r} is no file's name") from error


def _opened(path: str) -> int:
    """A descriptor of a file. Raises OSError, with ELOOP where it is a link."""
    if not _NO_LINK and os.path.islink(path):  # noqa: PTH114 - a text, as below
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return os.open(path, os.O_RDONLY | _NO_LINK | _AS_IT_IS)


def trial_seal(root: Path, folder: str, digest: str) -> Mapping[str, str]:
    """The files of a sealed trial and their digests. Raises ArchiveRefused."""
    seal = read_json(verified(root, f"{folder}/{layout.SEAL}", digest), f"{folder}/{layout.SEAL}")
    if seal.get("trial") != folder:
        raise ArchiveRefused(f"changed: {folder}/{layout.SEAL} is the seal of another trial")
    return digests(seal, "files")


def faults(root: Path, manifest: Manifest, present: list[str]) -> Iterator[str]:
    """Every way in which the folder differs from what was sealed, by name. Reads every file."""
    expected: dict[str, str] = dict(manifest.files)
    for folder, digest in manifest.trials.items():
        try:
            expected.update({f"{folder}/{name}": one for name, one in trial_seal(root, folder, digest).items()})
        except ArchiveRefused as error:
            yield str(error)
    for name, digest in sorted(expected.items()):
        try:
            check(root, name, digest)
        except ArchiveRefused as error:
            yield str(error)
    yield from additional(manifest, present, expected)


def additional(manifest: Manifest, present: list[str], expected: Container[str]) -> Iterator[str]:
    """Files that nobody sealed."""
    seals = {f"{folder}/{layout.SEAL}" for folder in manifest.trials}
    for name in present:
        if name == layout.MANIFEST or name in seals or name in expected or ("/" not in name and layout.derived(name)):
            continue
        yield f"additional: {name}"


def verify(root: Path) -> Manifest:
    """Check everything. Raises ArchiveRefused that names what differs."""
    manifest = read_manifest(root)
    refuse(root, list(faults(root, manifest, walk(root))))
    return manifest


def refuse(root: Path, found: list[str]) -> None:
    """Raise ArchiveRefused where there are faults."""
    if found:
        shown = "\n".join(f"  {fault}" for fault in found[:MOST_NAMED])
        more = f"\n  and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        raise ArchiveRefused(f"{root} is not what was sealed:\n{shown}{more}")
