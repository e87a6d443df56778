"""What the agent tells about itself: one JSON object per line on standard output, `{"type": "ToolRequested", ...}`.

The types and field names are those of the events in skilltrial's design; a line is flushed as soon as it is written,
so that a program that dies has told all it did.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TextIO

from .values import Json


@dataclass(frozen=True, slots=True)
class Events:
    """Writes events to a stream. The text is ASCII, so that no locale of the reader can spoil it."""

    stream: TextIO

    def tell(self, type_: str, **fields: Json) -> None:
        """Write one event. Fields that are not known are left out by the caller, or null."""
        self.stream.write(json.dumps({"type": type_, **fields}) + "\n")
        self.stream.flush()

    def notice(self, text: str) -> None:
        """Tell that the user was told something; the text itself is not kept, only its digest."""
        self.tell("Notice", text_sha256=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())
