"""How a record is written: as one line, by who reads none and needs no reader for it."""

from __future__ import annotations

from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .words import Source


def line_of(seq: int, at: float, source: Source, turn: int, raw: str, redacted: int) -> str:
    """The line of a record file, with its newline. See `records.Record` for what the parts are."""
    return (
        f'{{"seq":{seq},"at":{at:.6f},"source":"{source}","turn":{turn},'
        f'"raw":{encode_basestring_ascii(raw)},"redacted":{redacted}}}\n'
    )
