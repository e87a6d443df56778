"""`<TODO: ...>`: what `skilltrial init` leaves to the author. Every command refuses a suite that still holds one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .document import Faults, Path

_PLACEHOLDER = re.compile(r"\s*<TODO: [^<>]*>\s*")


def placeholder(what: str) -> str:
    """The text that stands for what the author has to say."""
    return f"<TODO: {what}>"


def check_placeholders(faults: Faults) -> None:
    """Note every value that is still a placeholder, by its line."""
    for path in _found(faults.document.value, ()):
        # Such a text breaks other rules too, and nobody has to hear of them.
        faults.settle(path, "this is still to be filled in", "write what the text between `<` and `>` asks for")


def _found(value: object, path: Path) -> Iterator[Path]:
    if isinstance(value, str) and _PLACEHOLDER.fullmatch(value):
        yield path
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _found(one, (*path, key))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from _found(one, (*path, at))
