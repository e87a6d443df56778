"""Anthropic Messages, streaming and not, and its token counts: what Claude Code speaks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import ClassVar

from pydantic import Field, JsonValue

from skilltrial.api import ToolOffer
from skilltrial_model_scripted.conversation import Answer, Conversation, Reply, Role, Said

from .wire import Event, Loose, Wire, compact, parse, pieces, put_in, texts

PUT_IN = ("system-reminder", "task-notification", "local-command-stdout", "local-command-stderr")
"""Elements that Claude Code puts into user texts."""
OPENINGS = ("Base directory for this skill:", "Caveat:", "[Request interrupted", "[SYSTEM NOTIFICATION")
"""How other texts of its own begin."""

ERROR_TYPES: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}

Json = dict[str, JsonValue]


class Message(Loose):
    """One message; systems texts occur in the middle too."""

    role: str
    content: str | list[dict[str, JsonValue]]


class Tool(Loose):
    """One offered tool. A tool of the API's own has no schema."""

    name: str
    description: str | None = None
    input_schema: dict[str, JsonValue] | None = None


class Request(Loose):
    """The parts of a request that matter here."""

    model: str
    messages: list[Message] = Field(min_length=1)
    system: JsonValue = None
    tools: list[Tool] | None = None
    stream: bool | None = None


class Messages(Wire):
    """`POST /v1/messages`."""

    name: ClassVar[str] = "messages"
    path: ClassVar[str] = "/v1/messages"

    def read(self, body: JsonValue) -> Conversation:
        """See Wire."""
        request = parse(Request, body)
        system = Said(Role.SYSTEM, "\n".join(texts(request.system)))
        return Conversation(
            model=request.model,
            stream=bool(request.stream),
            tools=tuple(
                ToolOffer(tool.name, tool.description or "", tool.input_schema or {}) for tool in request.tools or ()
            ),
            said=(system, *(one for message in request.messages for one in _said(message))),
        )

    def whole(self, asked: Conversation, answer: Answer) -> JsonValue:
        """See Wire."""
        reply = answer.reply
        block = _block(answer)
        if reply.call is None:
            block["text"] = reply.text
        else:
            block["input"] = _arguments(reply)
        return {**_head(asked, answer), "content": [block], "stop_reason": _stop(reply), "usage": _usage(answer)}

    def events(self, asked: Conversation, answer: Answer) -> Iterator[Event]:
        """See Wire."""
        for kind, value in _steps(asked, answer):
            yield Event(compact({"type": kind, **value}), kind)

    def error(self, status: int, message: str) -> JsonValue:
        """See Wire."""
        kind = ERROR_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_scripted"}

    def failure(self, asked: Conversation, answer: Answer, number: int, error: JsonValue) -> Event:
        """See Wire."""
        return Event(json.dumps(error), "error")


class CountTokens(Messages):
    """`POST /v1/messages/count_tokens`: a number, as made up as the usage of replies."""

    path: ClassVar[str] = "/v1/messages/count_tokens"
    side: ClassVar[bool] = True

    def whole(self, asked: Conversation, answer: Answer) -> JsonValue:
        """See Wire."""
        return {"input_tokens": answer.input_tokens}


def _said(message: Message) -> Iterator[Said]:
    if isinstance(message.content, str):
        blocks: list[dict[str, JsonValue]] = [{"type": "text", "text": message.content}]
    else:
        blocks = message.content
    if message.role != "user":
        role = Role.ASSISTANT if message.role == "assistant" else Role.SYSTEM
        yield Said(role, "\n".join(text for block in blocks for text in texts(block)))
        return
    # What stands beside a tool's result was put there by the program: a skill's body, a reminder.
    beside = any(block.get("type") == "tool_result" for block in blocks)
    for block in blocks:
        if block.get("type") == "tool_result":
            yield Said(Role.TOOL, "\n".join(texts(block.get("content"))))
        else:
            for text in texts(block):
                yield Said(Role.USER, text, beside or put_in(text, PUT_IN, OPENINGS))


def _head(asked: Conversation, answer: Answer) -> Json:
    return {
        "id": f"msg_{answer.id}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(answer: Answer, output_tokens: int | None = None) -> Json:
    return {
        "input_tokens": answer.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": answer.output_tokens if output_tokens is None else output_tokens,
        "service_tier": "standard",
    }


def _stop(reply: Reply) -> str:
    if reply.refused:
        return "refusal"
    if reply.cut_off:
        return "max_tokens"
    return "tool_use" if reply.call else "end_turn"


def _arguments(reply: Reply) -> Json:
    # Free-form calls do not get this far: this protocol has none.
    return dict(reply.call.arguments) if reply.call and not isinstance(reply.call.arguments, str) else {}


def _block(answer: Answer) -> Json:
    """The reply's only content block, as it begins."""
    call = answer.reply.call
    if call is None:
        return {"type": "text", "text": ""}
    return {"type": "tool_use", "id": f"toolu_{answer.id}", "name": call.name, "input": {}}


def _steps(asked: Conversation, answer: Answer) -> Iterator[tuple[str, Json]]:
    """The events of a stream: kind, and what it holds beside the kind."""
    reply = answer.reply
    yield "message_start", {"message": {**_head(asked, answer), "usage": _usage(answer, 1)}}
    yield "ping", {}
    yield "content_block_start", {"index": 0, "content_block": _block(answer)}
    kind, key, text = (
        ("text_delta", "text", reply.text)
        if reply.call is None
        else ("input_json_delta", "partial_json", compact(_arguments(reply)))
    )
    for piece in pieces(text):
        yield "content_block_delta", {"index": 0, "delta": {"type": kind, key: piece}}
    yield "content_block_stop", {"index": 0}
    stop: Json = {"stop_reason": _stop(reply), "stop_sequence": None}
    yield "message_delta", {"delta": stop, "usage": _usage(answer)}
    yield "message_stop", {}
