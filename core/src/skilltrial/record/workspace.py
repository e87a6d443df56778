"""The fresh place of one trial: made from memory, removed whole. The only module that lays out folders for agents."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from skilltrial.archive.trees import Tree
from skilltrial.archive.writing import write_all
from skilltrial.model.evidence import FileKind

PLUGINS = "plugins"
"""The folder beside the project in which a plugin lies."""
SHOP = "local"
"""The folder in it: what programs call the marketplace of a plugin."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of a place. Their names tell an agent nothing, and nothing else lies beside or above them."""

    root: Path
    project: Path
    home: Path
    tmp: Path

    @property
    def plugins(self) -> Path:
        """Where a plugin lies; made where there is one."""
        return self.root / PLUGINS


def name_folders(base: Path | None = None) -> Folders:
    """Names for the folders of a place below `base` (default: the system's folder for temporary files)."""
    root = Path(base or tempfile.gettempdir()).resolve() / secrets.token_hex(6)
    return Folders(root, root / "project", root / "home", root / "tmp")


def make_folders(folders: Folders) -> Folders:
    """Make them, and give them back."""
    for folder in (folders.root, folders.project, folders.home, folders.tmp):
        folder.mkdir(mode=0o700)
    return folders


def write_tree(tree: Tree, folder: Path) -> None:
    """Write a tree into an existing folder, with executable bits, empty folders and inner links."""
    base = os.fspath(folder)
    for entry in tree.entries:
        path = f"{base}/{entry.path}"
        if entry.kind is FileKind.FOLDER:
            # 0700 already for our own folders above it, hence exist_ok.
            Path(path).mkdir(exist_ok=True)
        elif entry.kind is FileKind.LINK:
            Path(path).symlink_to(entry.target or "")
        elif entry.sha256 is not None:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755 if entry.executable else 0o644)
            try:
                write_all(descriptor, tree.contents[entry.sha256])
            finally:
                os.close(descriptor)


def remove(root: Path) -> None:
    """Remove a folder, also one in which an agent took rights away. Never raises."""
    try:
        shutil.rmtree(root)
    except OSError:
        _give_rights(root)
        shutil.rmtree(root, ignore_errors=True)


def _give_rights(root: Path) -> None:
    for folder, _, _ in os.walk(root):
        try:
            if stat.S_ISDIR(os.lstat(folder).st_mode):
                Path(folder).chmod(0o700)
        except OSError:
            continue
