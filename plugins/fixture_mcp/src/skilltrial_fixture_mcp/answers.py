"""Replies → tool results, filled in from each call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from skilltrial.replies.strictjson import compact
from skilltrial.replies.templates import Template, compile_template

if TYPE_CHECKING:
    from pydantic import JsonValue

    from .plain import PlainReply


class Answer(NamedTuple):
    """A tool's result: `recorded` is what the evidence shows, `sent` the members of MCP's CallToolResult."""

    recorded: JsonValue
    sent: Mapping[str, JsonValue]
    is_error: bool = False


class Answering(NamedTuple):
    """A reply, ready to be filled in for one tool. `as_blocks`: its template is the list of content blocks."""

    template: Template
    structured: Template | None
    as_blocks: bool
    mirrored: bool
    """Whether the value is sent as structured content too."""
    is_error: bool

    @classmethod
    def of(cls, reply: PlainReply, *, has_output: bool) -> Answering:
        """The answering of a reply; `has_output` says that the tool promises structured content."""
        is_error = reply.get("isError", False)
        written = [*(reply["content"] or ())] if "content" in reply else reply.get("text", reply.get("body"))
        return cls(
            template=compile_template(written),
            structured=compile_template(reply["structuredContent"]) if "structuredContent" in reply else None,
            as_blocks="content" in reply,
            mirrored="body" in reply and has_output and not is_error,
            is_error=is_error,
        )

    @property
    def fixed(self) -> bool:
        """Whether every call gets the same."""
        return self.template.fixed and (self.structured is None or self.structured.fixed)

    def fill(self, arguments: JsonValue, state: JsonValue) -> Answer:
        """The answer of a call."""
        recorded = self.template.fill(arguments, state)
        sent: dict[str, JsonValue]
        if self.as_blocks:
            sent = {"content": recorded, "isError": self.is_error}
        else:
            sent = {"content": [in_text(recorded)], "isError": self.is_error}
        if self.mirrored:
            sent["structuredContent"] = recorded
        elif self.structured is not None:
            recorded = sent["structuredContent"] = self.structured.fill(arguments, state)
        return Answer(recorded, sent, self.is_error)


def in_text(value: JsonValue) -> JsonValue:
    """A content block with the value: a text as it is, anything else as its JSON."""
    return {"type": "text", "text": value if isinstance(value, str) else compact(value)}


def plain_answer(value: JsonValue, *, is_error: bool, has_output: bool) -> Answer:
    """A value as the answer: one text, and structured content where the tool promises it."""
    sent: dict[str, JsonValue] = {"content": [in_text(value)], "isError": is_error}
    if has_output and not is_error:
        sent["structuredContent"] = value
    return Answer(value, sent, is_error)


def own_error(code: str, message: str) -> Answer:
    """An error of the fixture's own."""
    body: JsonValue = {"error": {"code": code, "message": message}}
    return Answer(body, {"content": [in_text(body)], "isError": True}, is_error=True)
