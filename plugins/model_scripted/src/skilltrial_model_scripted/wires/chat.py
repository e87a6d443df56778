"""Chat completions, streaming and not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import ClassVar

from pydantic import Field, JsonValue

from skilltrial.api import ToolCall, ToolOffer
from skilltrial_model_scripted.conversation import Answer, Conversation, Reply, Role, Said

from .wire import Event, Loose, Wire, compact, openai_error, parse, pieces, put_in, texts

ROLES: Mapping[str, Role] = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
PUT_IN = ("system-reminder", "environment_context")
"""Elements that programs put into user texts."""


class Message(Loose):
    """One message of a request."""

    role: str
    content: JsonValue = None


class Function(Loose):
    """What a function tool says of itself."""

    name: str
    description: str | None = None
    parameters: dict[str, JsonValue] | None = None


class Tool(Loose):
    """One offered tool: a function, or a free-form one."""

    function: Function | None = None
    custom: Function | None = None


class StreamOptions(Loose):
    """How a stream is wanted."""

    include_usage: bool = False


class Request(Loose):
    """The parts of a request that matter here."""

    model: str
    messages: list[Message] = Field(min_length=1)
    tools: list[Tool] | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None


class ChatCompletions(Wire):
    """`POST /v1/chat/completions`."""

    name: ClassVar[str] = "chat"
    path: ClassVar[str] = "/v1/chat/completions"
    freeform: ClassVar[bool] = True

    def read(self, body: JsonValue) -> Conversation:
        """See Wire."""
        request = parse(Request, body)
        return Conversation(
            model=request.model,
            stream=bool(request.stream),
            tools=tuple(_offer(tool) for tool in request.tools or ()),
            said=tuple(one for message in request.messages for one in _said(message)),
            counts=request.stream_options is not None and request.stream_options.include_usage,
        )

    def whole(self, asked: Conversation, answer: Answer) -> JsonValue:
        """See Wire."""
        reply = answer.reply
        message: dict[str, JsonValue] = {"role": "assistant", "content": None, "refusal": None}
        if reply.call:
            message["tool_calls"] = [_call(answer.id, reply.call)]
        else:
            message["refusal" if reply.refused else "content"] = reply.text
        choice: JsonValue = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(reply)}
        return {**_head(asked, answer, "chat.completion"), "choices": [choice], "usage": _usage(answer)}

    def events(self, asked: Conversation, answer: Answer) -> Iterator[Event]:
        """See Wire."""
        head = _head(asked, answer, "chat.completion.chunk")

        def chunk(delta: dict[str, JsonValue], finish: str | None = None) -> Event:
            return Event(compact({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))

        yield chunk({"role": "assistant", "content": None if answer.reply.call else ""})
        for delta in _deltas(answer):
            yield chunk(delta)
        yield chunk({}, _finish(answer.reply))
        if asked.counts:
            yield Event(compact({**head, "choices": [], "usage": _usage(answer)}))
        yield Event("[DONE]")

    def error(self, status: int, message: str) -> JsonValue:
        """See Wire."""
        return openai_error(status, message)

    def failure(self, asked: Conversation, answer: Answer, number: int, error: JsonValue) -> Event:
        """See Wire."""
        return Event(json.dumps(error))


def _offer(tool: Tool) -> ToolOffer:
    what = tool.function or tool.custom or Function(name="")
    return ToolOffer(what.name, what.description or "", what.parameters or {})


def _said(message: Message) -> Iterator[Said]:
    role = ROLES.get(message.role, Role.SYSTEM)
    found = texts(message.content)
    if role is Role.USER:
        for text in found:
            yield Said(role, text, put_in(text, PUT_IN))
    else:
        yield Said(role, "\n".join(found))


def _head(asked: Conversation, answer: Answer, kind: str) -> dict[str, JsonValue]:
    # No clock: a repeated request gets the same bytes.
    return {"id": f"chatcmpl-{answer.id}", "object": kind, "created": 0, "model": asked.model}


def _finish(reply: Reply) -> str:
    if reply.cut_off:
        return "length"
    return "tool_calls" if reply.call else "stop"


def _usage(answer: Answer) -> JsonValue:
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def _call(id: str, call: ToolCall) -> dict[str, JsonValue]:
    kind, key, text = _native(call)
    return {"id": f"call_{id}", "type": kind, kind: {"name": call.name, key: text}}


def _native(call: ToolCall) -> tuple[str, str, str]:
    """The call's kind, the key of its arguments, and their text."""
    if isinstance(call.arguments, str):
        return "custom", "input", call.arguments
    return "function", "arguments", compact(call.arguments)


def _deltas(answer: Answer) -> Iterator[dict[str, JsonValue]]:
    call = answer.reply.call
    if call is None:
        for piece in pieces(answer.reply.text):
            yield {"refusal" if answer.reply.refused else "content": piece}
        return
    kind, key, text = _native(call)
    yield {"tool_calls": [{"index": 0, "id": f"call_{answer.id}", "type": kind, kind: {"name": call.name, key: ""}}]}
    for piece in pieces(text):
        yield {"tool_calls": [{"index": 0, kind: {key: piece}}]}
