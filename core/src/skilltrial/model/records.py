"""A record: one native line of a host, fixture or model endpoint, kept as it came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from .jsontext import read_json
from .recordlines import line_of
from .words import Source

_SOURCES = {source.value: source for source in Source}


@dataclass(frozen=True, slots=True)
class Record:
    """One line of `host.jsonl`, `fixture-*.jsonl` or `model.jsonl`.

    `seq` counts from 1 without a gap; `at` is seconds since the trial began; `turn` counts from 1 (0 before the
    first prompt); `raw` is the line as it came, bytes that are not UTF-8 as lone surrogates (`surrogateescape`);
    `redacted` counts the credential values replaced in it.
    """

    seq: int
    at: float
    source: Source
    turn: int
    raw: str
    redacted: int = 0

    def line(self) -> str:
        """The record as a line of a record file, with its newline."""
        return line_of(self.seq, self.at, self.source, self.turn, self.raw, self.redacted)

    @classmethod
    def of_line(cls, line: str | bytes) -> Self:
        """Read what `line` wrote. Raises ValueError, KeyError or TypeError where it is no record."""
        value = read_json(line)
        return cls(
            value["seq"], value["at"], _SOURCES[value["source"]], value["turn"], value["raw"], value.get("redacted", 0)
        )
