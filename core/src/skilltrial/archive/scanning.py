"""Looks for what has the shape of a credential, before an archive is shared. It finds shapes, not secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .unpacking import MOST, is_packed, unpacked
from .writing import walk

_START = r"(?:\b|(?<=\\[nrt]))"
"""Where a word begins: also after the escaped line break or tab of a JSON text, whose letter is no part of it."""

SHAPES: dict[str, str] = {
    "private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "Anthropic key": r"sk-ant-[A-Za-z0-9_-]{20,}",
    "OpenAI key": r"sk-(?!ant-)(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}",
    "GitHub token": r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})",
    "GitLab token": r"glpat-[A-Za-z0-9_-]{20,}",
    "AWS access key": _START + r"(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "Google key": _START + r"AIza[A-Za-z0-9_-]{35}\b",
    "Slack token": r"xox[abeoprs]-[A-Za-z0-9-]{10,}",
    "Stripe key": _START + r"[rs]k_live_[A-Za-z0-9]{20,}",
    "npm token": _START + r"npm_[A-Za-z0-9]{36}\b",
    "PyPI token": _START + r"pypi-[A-Za-z0-9_-]{50,}",
    "Hugging Face token": _START + r"hf_[A-Za-z0-9]{30,}\b",
    "JSON Web Token": _START + r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "bearer header": r"(?i)" + _START + r"authorization\\*[\"']?\s*[:=]\s*\\*[\"']?bearer\s+[A-Za-z0-9._~+/-]{20,}",
    "password in an address": _START + r"[a-z][a-z0-9+.-]*://[^\s/:@\"']+:[^\s/:@\"']{3,}@",
}
"""Name → the shape. Kept narrow: what cries at every digest is not read."""

_CHUNK, _OVERLAP = 8_000_000, 4_096


@dataclass(frozen=True, order=True, slots=True)
class Hit:
    """A place that has such a shape. The text itself is not given: it would be in one more place then."""

    file: str
    line: int
    shape: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.shape}"


def scan(root: Path) -> Iterator[Hit]:
    """Every hit in the files below `root`, in order. Raises OSError."""
    shapes = [(name, re.compile(shape.encode())) for name, shape in SHAPES.items()]
    for name in walk(root):
        yield from sorted(set(_hits(name, root / name, shapes)))


def _hits(name: str, path: Path, shapes: list[tuple[str, re.Pattern[bytes]]]) -> Iterator[Hit]:
    """Read in pieces that overlap, so that a file of any size takes little memory and no key falls between two."""
    if path.is_symlink() or not path.is_file():
        return
    lines, tail = 1, b""
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            data = tail + piece
            yield from (Hit(name, line, shape) for line, shape in _shapes(data, lines, shapes))
            kept = data[-_OVERLAP:]
            lines += data.count(b"\n") - kept.count(b"\n")
            tail = kept
    with path.open("rb") as file:
        packed = is_packed(file.read(8)) and path.stat().st_size <= MOST
    for content in unpacked(path.read_bytes()) if packed else ():
        # A line within something compressed leads nowhere: the file alone is told.
        yield from (Hit(name, 1, shape) for _, shape in _shapes(content, 1, shapes))


def _shapes(data: bytes, first: int, shapes: list[tuple[str, re.Pattern[bytes]]]) -> Iterator[tuple[int, str]]:
    """Each shape in the data and its line; in UTF-16 too, which is ASCII with a zero beside each letter."""
    for text in (data, data.replace(b"\0", b"")) if b"\0" in data else (data,):
        for shape, pattern in shapes:
            for match in pattern.finditer(text):
                yield first + text.count(b"\n", 0, match.start()), shape
