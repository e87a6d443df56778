"""The rules for paths in a suite: relative, POSIX, below their root, and the same on every system."""

from __future__ import annotations

import re
from collections.abc import Callable

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DEVICE = re.compile(r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?", re.IGNORECASE)
MAX_LENGTH = 1024
MAX_PART = 255
"""Bytes of one name, on the file systems that people have."""


_RULES: tuple[tuple[Callable[[str], object], str, str], ...] = (
    (lambda path: not path, "the path is empty", "name a file"),
    (lambda path: len(path) > MAX_LENGTH, f"the path is longer than {MAX_LENGTH} characters", "shorten it"),
    (
        lambda path: any(len(part.encode("utf-8", "surrogatepass")) > MAX_PART for part in path.split("/")),
        f"a name in the path is longer than {MAX_PART} bytes",
        "shorten it",
    ),
    (_CONTROL.search, "the path holds a control character or line break", "remove it (a trailing one too)"),
    (_SURROGATE.search, "the path holds half of a surrogate pair", "write the whole character"),
    (lambda path: "\\" in path, "the path holds a backslash", "separate folders with `/`"),
    (lambda path: ":" in path.split("/", 1)[0], "the path names a drive", "paths are relative"),
    (lambda path: path.startswith("/"), "the path is absolute", "paths are relative"),
    (lambda path: "" in path.split("/"), "the path holds `//` or ends with `/`", "write each folder once"),
    (lambda path: "." in path.split("/"), "the path holds `.`", "leave that part out"),
    (lambda path: ".." in path.split("/"), "the path holds `..`", "name files below the folder they start from"),
)
"""Test of a path, what is wrong where it holds, and what would be right."""


def path_fault(path: str) -> tuple[str, str] | None:
    """What is wrong with a path and what would be right; None for a good one."""
    return next(((what, right) for wrong, what, right in _RULES if wrong(path)), None)


def device_name(path: str) -> bool:
    """Whether a part of the path is a name that Windows reserves for a device."""
    return any(_DEVICE.fullmatch(part) for part in path.split("/"))
