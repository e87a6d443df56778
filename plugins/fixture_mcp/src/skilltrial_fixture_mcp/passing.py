"""What a real server said → what the host gets, unchanged, and what the evidence shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from skilltrial.replies.strictjson import NotStrict, read

from .answers import Answer
from .revisions import INTERNAL_ERROR
from .rpc import Failure, Id, Params

if TYPE_CHECKING:
    from pydantic import JsonValue


class UpstreamFailed(Exception):
    """The real server did not do its part; `why` is a word."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Said(NamedTuple):
    """What a server answered: the members of a result, or of an error."""

    result: Params | None = None
    error: Params | None = None


def passed_on(said: Said) -> Answer:
    """The answer of a call. On record: structured content, else a text that is alone (its JSON where it has some)."""
    if said.result is None:
        return Answer({"error": said.error}, {}, is_error=True)
    return Answer(_shown(said.result), said.result, is_error=said.result.get("isError") is True)


def refused(error: Params, id: Id) -> Failure:
    """An error of the server's own, as the host gets it."""
    code, says = error.get("code"), error.get("message")
    return Failure(
        code if isinstance(code, int) else INTERNAL_ERROR,
        says if isinstance(says, str) else "Internal error",
        "forwarded",
        error.get("data"),
        id,
    )


def _shown(result: Params) -> JsonValue:
    if "structuredContent" in result:
        return result["structuredContent"]
    content = result.get("content")
    match content:
        case [{"type": "text", "text": str(text)}]:
            try:
                value = read(text)
            except NotStrict:
                return text
            return value if isinstance(value, dict | list) else text
    return content
