"""What a session needs around it: a temporary folder of a short name, and a project that no folder above reaches."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SOCKET = len("/znr-00000000-0000-0000-0000-000000000000.sock")
_LONGEST = 103
"""Bytes of a socket's path. The program makes one in TMPDIR, and ends at once where the path is longer."""


@contextmanager
def short(folder: Path) -> Iterator[Path]:
    """The folder under a name that leaves room for a socket: its own, or a link to it that is gone afterwards."""
    if len(os.fsencode(folder)) + _SOCKET <= _LONGEST:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="z", dir="/tmp") as made:
        link = Path(made, "t")
        link.symlink_to(folder)
        yield link


def fence(project: Path) -> None:
    """Make a project that lies within a repository one of its own: settings and skills are looked for up to a root."""
    git = project / ".git"
    if git.exists() or not any((folder / ".git").exists() for folder in project.parents):
        return
    for folder in ("objects", "refs"):
        (git / folder).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="ascii")
