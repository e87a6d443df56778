"""Short texts for people: one line, cut, printable. They decide nothing."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence

_LINES = 1_000
_WIDTH = 200


def cut(text: str, width: int = 60) -> str:
    """`text` in one line of at most `width` characters, the last of them … where it was cut."""
    line = " ".join(text[: 4 * width].split())
    if len(line) > width or len(text) > 4 * width:
        line = line[: width - 1] + "…"
    return printable(line)


def printable(text: str) -> str:
    """`text` with what no file could hold (lone surrogates) and what moves a terminal's cursor written as escapes."""
    safe = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in safe)


def listed(texts: Sequence[str]) -> str:
    """`a`, `a and b` or `a, b and c`, each cut."""
    *first, last = [cut(text) for text in texts]
    return f"{', '.join(first)} and {last}" if first else last


def as_json(value: object) -> str:
    """A JSON value as one cut line."""
    try:
        return cut(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return "a deeply nested value"


def beginning(text: str) -> str:
    """The first 200 characters."""
    return printable(text[:_WIDTH] + ("…" if len(text) > _WIDTH else "")) or "(empty)"


def nearest(wanted: str, text: str) -> str:
    """The line of `text` that is most like `wanted`, or else the text's beginning."""
    lines = [line[:_WIDTH] for line in text.split("\n", _LINES)[:_LINES]]
    close = difflib.get_close_matches(wanted[:_WIDTH], lines, n=1)
    return f"nearest line: {cut(close[0], _WIDTH)}" if close else beginning(text)


def line_with(found: str, text: str) -> str:
    """The line of `text` in which `found` begins."""
    start = max(text.find(found), 0)
    line = text[text.rfind("\n", 0, start) + 1 :]
    return cut(line.partition("\n")[0], _WIDTH)


def difference(wanted: str, text: str) -> str:
    """The first lines in which two texts differ, as a diff."""
    one, other = (side.split("\n", _WIDTH)[:_WIDTH] for side in (wanted, text))
    lines = difflib.unified_diff(one, other, "expected", "seen", n=1, lineterm="")
    return printable("\n".join(cut(line, 120) for _, line in zip(range(20), lines, strict=False)))
