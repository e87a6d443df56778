"""EmbrAIon's rules for paths: relative, POSIX, no step that is empty, `.` or `..`, and no drive of Windows."""

from __future__ import annotations

import re
from collections.abc import Callable

_DRIVE = re.compile(r"[A-Za-z]:")
_RULES: tuple[tuple[Callable[[str], object], str, str], ...] = (
    (lambda path: not path, "the path is empty", "name a file or folder"),
    (lambda path: "\\" in path, "the path holds a backslash", "separate folders with `/`"),
    (lambda path: "\0" in path, "the path holds a NUL character", "remove it"),
    (_DRIVE.match, "the path names a drive", "paths are relative"),
    (lambda path: "" in path.split("/"), "the path has an empty step", "no `/` at its ends, and none twice"),
    (lambda path: {".", ".."} & {*path.split("/")}, "the path has a step `.` or `..`", "name what lies below the root"),
)
"""Test of a path, what is wrong where it holds, and what would be right."""


def path_fault(path: str) -> tuple[str, str] | None:
    """What is wrong with a path and what would be right; None for a good one."""
    return next(((what, right) for wrong, what, right in _RULES if wrong(path)), None)
