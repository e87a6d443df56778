"""Packages that begin as a whole: `skilltrial new` writes one from the templates of this release."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from skilltrial.model.errors import InvalidRequest, SourceUnusable
from skilltrial.plugins.discovery import Discovery

TEMPLATES = Path(__file__).parents[1] / "templates"
"""A folder for each kind. Files end with `.txt`, so that nothing takes them for our own code."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST = 40


def make(kind: str, name: str, into: Path, discovery: Discovery) -> Path:
    """Write the package of a new part below `into`; return its folder. Raises InvalidRequest.

    What is there already is never written over; a package is written whole or not at all.
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise InvalidRequest(
            f"{name!r} can't be the name of a {kind}: small letters and digits, parted by single hyphens, a letter "
            f"first, at most {_LONGEST} characters"
        )
    for one in discovery.installed:
        if (one.kind, one.name) == (kind, name):
            raise InvalidRequest(f"a {kind} {name!r} is installed already ({one.distribution}); choose another name")
    folder = into / f"{kind}_{name.replace('-', '_')}"
    if folder.exists() or folder.is_symlink():
        raise InvalidRequest(f"{folder} exists already; nothing is written over")
    words = {
        "@name@": name,
        "@module@": name.replace("-", "_"),
        "@Class@": "".join(part.capitalize() for part in name.split("-")),
    }
    try:
        _write(TEMPLATES / kind, folder, words)
    except OSError as error:
        raise SourceUnusable(f"{folder} can't be written: {error.strerror}") from error
    return folder


def _write(template: Path, folder: Path, words: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix=".skilltrial-new-", dir=folder.parent) as beside:
        whole = Path(beside) / folder.name
        for source in sorted(template.rglob("*.txt")):
            target = whole / _filled(source.relative_to(template).as_posix().removesuffix(".txt"), words)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(_filled(source.read_text(encoding="utf-8"), words), encoding="utf-8")
        whole.rename(folder)


def _filled(text: str, words: dict[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text
