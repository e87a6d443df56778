"""What a fixture puts on record, as the texts of its records: the second witness, in one form for all fixtures.

The same as the models of `skilltrial.api` say (`Connected`, `Called`, `Answered` ..., held by a test), without them: a
call is recorded many thousand times, and a server that runs as a process of its own needs none of the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skilltrial.model.words import Source

from .strictjson import compact

if TYPE_CHECKING:
    from pydantic import JsonValue

WIRE = Source.WIRE
"""The source of all these records."""


def connected(era: str, client: str | None, transport: str) -> str:
    """A client spoke for the first time."""
    return compact({"wire": "connected", "era": era, "client": client, "transport": transport})


def tools_listed(count: int, sha256: str) -> str:
    """The client asked for the tools and got so many; the digest is of the list as it was sent."""
    return compact({"wire": "tools_listed", "count": count, "sha256": sha256})


def called(number: int, rpc_id: JsonValue, tool: str, arguments: JsonValue, joins: str | None) -> str:
    """A tool was called."""
    return compact(
        {"wire": "called", "number": number, "rpc_id": rpc_id, "tool": tool, "arguments": arguments, "joins": joins}
    )


def answered(
    number: int, result: JsonValue, *, is_error: bool, because: str, state: JsonValue, marks: JsonValue = None
) -> str:
    """What a call was answered."""
    return compact(
        {
            "wire": "answered",
            "number": number,
            "result": result,
            "is_error": is_error,
            "because": because,
            "state": state,
            "marks": marks,
        }
    )


def forwarded(number: int, sent: JsonValue, got: JsonValue = None, failed: str | None = None) -> str:
    """What a real server was asked and what it said."""
    return compact({"wire": "forwarded", "number": number, "sent": sent, "got": got, "failed": failed})


def left(number: int, what: str) -> str:
    """What a call left on a real server, or may leave there."""
    return compact({"wire": "left", "number": number, "what": what})


def refused(why: str) -> str:
    """A request that is no call and was not served."""
    return compact({"wire": "refused", "why": why})
