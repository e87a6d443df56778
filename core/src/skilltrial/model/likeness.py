"""What two trials differ in by their place alone: paths, ports, ids. Without it their set-ups can be compared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_LOOPBACK = re.compile(r"(https?://)?(127\.0\.0\.1|localhost|\[::1\]):\d+[^\s\"'`,;)\]}>]*")
_ID = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    # With a word before it that says of what: ses_dd3f4ccb9ffeQDN16m5BYXa71t. A word of letters alone is none.
    r"|\b[a-z]{1,12}[_-](?=[a-z]*[0-9])[0-9a-z]{16,64}\b",
    re.I,
)


def placeheld(text: str, folders: Mapping[str, Path]) -> str:
    """The text with each of the place's folders as `{name}`, the longest first."""
    for name, folder in sorted(folders.items(), key=lambda pair: -len(str(pair[1]))):
        text = text.replace(str(folder), f"{{{name}}}")
    return text


def unplaced(text: str) -> str:
    """The text without what is a trial's own: addresses on the loopback interface, and ids of sessions."""
    return _ID.sub("{id}", _LOOPBACK.sub("{loopback}", text))
