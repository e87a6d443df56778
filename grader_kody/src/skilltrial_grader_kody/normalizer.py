"""The normalizer `kody`: the lifecycle events of a transcript as calls of a server `kody`, with their results.

The tool is the event's action; the input holds what else was noted of it (`toolName`, `callId`, `match` ...), the call
is the event's number, since several lifecycle events may share one `callId`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pydantic import ConfigDict, JsonValue
from pydantic.dataclasses import dataclass

from skilltrial.api import Ending, Event, Record, SessionEnded, Source, ToolRequested, ToolResult, Unrecognized

RECORDS = "kody"
"""The name of this record format."""
SERVER = "kody"
SKIPPED = "skipped"
"""The tool of the one call that stands for a skip."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class KodyNormalizer:
    """Reads records that an import made of a transcript."""

    def normalize(self, records: Sequence[Record]) -> Iterator[Event]:
        """See NormalizerSpec."""
        last = 1
        for record in records:
            last = record.seq
            if record.source is not Source.RUNNER:
                yield from _events(record)
        yield SessionEnded(seq=last, turn=1, ending=Ending.COMPLETED)


def _events(record: Record) -> Iterator[Event]:
    try:
        value: JsonValue = json.loads(record.raw)
    except (ValueError, RecursionError):
        yield Unrecognized(seq=record.seq, turn=record.turn, why="not_json")
        return
    call = str(record.seq)
    if not isinstance(value, dict):
        yield Unrecognized(seq=record.seq, turn=record.turn)
        return
    action, outcome = value.get("action"), value.get("outcome")
    if isinstance(action, str) and "output" in value:
        noted = {key: one for key, one in value.items() if key not in ("action", "output")}
        yield ToolRequested(seq=record.seq, turn=record.turn, call=call, tool=action, server=SERVER, input=noted)
        failed = value.get("status") == "failed"
        yield ToolResult(seq=record.seq, turn=record.turn, call=call, content=value["output"], is_error=failed)
    elif isinstance(outcome, str) and "caseId" in value:
        yield ToolRequested(seq=record.seq, turn=record.turn, call=call, tool=SKIPPED, server=SERVER, input=value)
    else:
        yield Unrecognized(seq=record.seq, turn=record.turn)
