"""What a session did to the files of its project, as a diff. For the archive's holder."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Literal

from skilltrial.model.evidence import ContentUnavailable, Files

MOST_LINES = 200
"""Lines of one file's diff that are shown."""
_BINARY = b"\0"


def file_diffs(files: Files, *, whole: bool = False) -> Iterator[str]:
    """The diff of every changed path, line by line; `whole` shows all of it."""
    for change in files.changes:
        lines = list(_diff(files, change.path))
        yield f"{change.change}: {change.path}"
        yield from lines if whole else lines[:MOST_LINES]
        if not whole and len(lines) > MOST_LINES:
            yield f"... and {len(lines) - MOST_LINES} lines more (--full)"
    if not files.complete:
        yield "the project had too many files to list: what is not here may have changed all the same"


def _diff(files: Files, path: str) -> Iterator[str]:
    try:
        before, after = _text(files, path, "before"), _text(files, path, "after")
    except ContentUnavailable as error:
        yield f"  (its bytes are not shown: {error.reason.replace('_', ' ')})"
        return
    except UnicodeDecodeError:
        yield "  (no text)"
        return
    # The two header lines would only repeat the path.
    yield from list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]


def _text(files: Files, path: str, when: Literal["before", "after"]) -> list[str]:
    try:
        data = files.read(path, when=when)
    except ContentUnavailable as error:
        if error.reason == "missing":
            return []
        raise
    if _BINARY in data:
        raise ContentUnavailable("not_a_file")
    return data.decode("utf-8").splitlines()
