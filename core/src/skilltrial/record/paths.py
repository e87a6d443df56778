"""The rules for paths in a suite: relative, POSIX, below their root, and the same on every system."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"[A-Za-z]:")
_DEVICE = re.compile(r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?", re.IGNORECASE)
MAX_LENGTH = 1024


def path_fault(path: str) -> tuple[str, str] | None:
    """What is wrong with a project path and what would be right; None for a good one."""
    if not path:
        return "the path is empty", "name a file"
    if len(path) > MAX_LENGTH:
        return f"the path is longer than {MAX_LENGTH} characters", "shorten it"
    if any(char < " " or char == "\x7f" or "\x80" <= char <= "\x9f" for char in path):
        return "the path holds a control character or line break", "remove it (a trailing one too)"
    if any("\ud800" <= char <= "\udfff" for char in path):
        return "the path holds half of a surrogate pair", "write the whole character"
    if "\\" in path:
        return "the path holds a backslash", "separate folders with `/`"
    if _DRIVE.match(path) or any(":" in part for part in path.split("/")[:1]):
        return "the path names a drive", "paths are relative"
    if path.startswith("/"):
        return "the path is absolute", "paths are relative"
    for part in path.split("/"):
        if part == "":
            return "the path holds `//` or ends with `/`", "write each folder once, without a final `/`"
        if part in (".", ".."):
            return f"the path holds `{part}`", "name files below the folder they start from"
    return None


def device_name(path: str) -> bool:
    """Whether a part of the path is a name that Windows reserves for a device."""
    return any(_DEVICE.fullmatch(part) for part in path.split("/"))
