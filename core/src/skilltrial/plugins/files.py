"""A host in a file, while it is being written: `--host ./file.py:Class`.

Only a command line can name one. No suite, policy or archive makes us import a path: what they name is looked for
among the installed parts.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import importlib.util
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from importlib.abc import SourceLoader
from pathlib import Path

from skilltrial.model.errors import InvalidRequest, PluginBroken, PluginMismatch, PluginNotFound
from skilltrial.model.plan import PartIdentity
from skilltrial.model.visible import written_out

from .inputs import read_input
from .kinds import Kind

MOST_SOURCE = 10_000_000
"""Bytes of a host's file."""
_WRITTEN = re.compile(r"(?P<file>.+\.py)(?::(?P<name>.*))?", re.DOTALL)
UNPACKAGED = "unpackaged"
"""The version of a part that is a file."""


def in_file(text: str) -> bool:
    """Whether what was given for a part's name means a file."""
    return _WRITTEN.fullmatch(text) is not None


@dataclass(frozen=True)
class PartFile:
    """A class in a file of its own. What is imported, and what is told of it, are the same bytes, read once."""

    kind: Kind
    path: Path
    attribute: str
    source: bytes

    @property
    def name(self) -> str:
        """How it is called from now on: without the folder, which is nobody's business."""
        return f"{self.path.name}:{self.attribute}"

    @cached_property
    def loaded(self) -> type:
        """The class. Raises PluginBroken with the cause, PluginNotFound, PluginMismatch."""
        label = f"{self.kind} {self.name!r}"
        name = f"_skilltrial_file_{hashlib.sha256(self.source).hexdigest()[:16]}"
        spec = importlib.util.spec_from_loader(name, _Loader(self.path, self.source))
        if spec is None or spec.loader is None:  # pragma: no cover - a loader was given
            raise PluginBroken(f"{label} can't be loaded")
        module = importlib.util.module_from_spec(spec)
        # Dataclasses look for their annotations' names in the module that `sys.modules` knows.
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            raise PluginBroken(f"{label} can't be loaded: {type(error).__name__}: {written_out(str(error))}") from error
        found: object = getattr(module, self.attribute, None)
        if found is None:
            raise PluginNotFound(f"{self.path.name} has no {self.attribute!r}; {_classes(self.source, self.attribute)}")
        if not isinstance(found, type):
            raise PluginMismatch(f"{label}: a class is needed, not {type(found).__name__}")
        return found

    def identify(self) -> PartIdentity:
        """What the archive says of it: that it was a file, and the digest of its bytes."""
        return PartIdentity(
            kind=self.kind.name,  # type: ignore[arg-type]
            name=self.name,
            distribution=self.path.name,
            version=UNPACKAGED,
            source_sha256=hashlib.sha256(self.source).hexdigest(),
            origin="file",
        )


def read_part_file(kind: Kind, text: str) -> PartFile:
    """The class that `FILE.py:CLASS` names; imports nothing yet. Raises InvalidRequest."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        raise InvalidRequest(f"{text!r} names no class in a file; it is written ./file.py:Class")
    path = Path(match["file"])
    try:
        source = read_input(path, MOST_SOURCE)
    except OSError as error:
        raise PluginNotFound(f"{kind} file {match['file']} can't be read: {error.strerror}") from error
    if not (match["name"] or "").isidentifier():
        raise InvalidRequest(
            f"which class of {path.name} is the {kind}? write {match['file']}:Class; {_classes(source, '')}"
        )
    return PartFile(kind, path.absolute(), match["name"], source)


class _Loader(SourceLoader):
    """Loads bytes that were read already; leaves no compiled file beside them."""

    def __init__(self, path: Path, source: bytes) -> None:
        self._path = str(path)
        self._source = source

    def get_filename(self, fullname: str) -> str:
        """Where the bytes came from."""
        return self._path

    def get_data(self, path: str) -> bytes:
        """The bytes of the source; of nothing else."""
        if path != self._path:
            raise FileNotFoundError(path)
        return self._source


def _classes(source: bytes, meant: str) -> str:
    """Which classes a source has, without running it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return "it can't be read as Python"
    names = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
    close = difflib.get_close_matches(meant, names, n=1)
    return (f"did you mean {close[0]!r}? " if close else "") + f"it has {', '.join(names) or 'no class'}"
