"""OpenAI Responses, streaming and not: what Codex speaks.

A refusal is a message that a content filter ended. The API also has content of a type `refusal`, which Codex drops
without a trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import JsonValue

from skilltrial.api import ToolCall, ToolOffer
from skilltrial_model_scripted.conversation import Answer, Conversation, Role, Said

from .wire import Event, Loose, Wire, compact, openai_error, parse, pieces, put_in, texts

PUT_IN = (
    "environment_context",
    "user_instructions",
    "skill",
    "skills_instructions",
    "turn_aborted",
    "collaboration_mode",
    "subagent_notification",
)
"""Elements that Codex puts into user texts."""
OPENINGS = ("# AGENTS.md instructions", "<permissions instructions>")
"""How other texts of its own begin."""

SEARCH = "tool_search"
"""The tool that finds deferred tools; it has item types of its own."""

FAILED = "response.failed"

Json = dict[str, JsonValue]


class Tool(Loose):
    """One offered tool, or a namespace of tools. A tool of the API's own has a type only."""

    type: str
    name: str | None = None
    description: str | None = None
    parameters: dict[str, JsonValue] | None = None
    tools: list[Tool] | None = None


class Item(Loose):
    """One item of the input. What is a text depends on its type."""

    type: str = "message"
    role: str | None = None
    content: JsonValue = None
    output: JsonValue = None
    name: str | None = None
    tools: list[Tool] | None = None


class Request(Loose):
    """The parts of a request that matter here."""

    model: str
    input: str | list[Item]
    instructions: str | None = None
    tools: list[Tool] | None = None
    stream: bool | None = None


class Responses(Wire):
    """`POST /v1/responses`."""

    name: ClassVar[str] = "responses"
    path: ClassVar[str] = "/v1/responses"
    freeform: ClassVar[bool] = True

    def read(self, body: JsonValue) -> Conversation:
        """See Wire."""
        request = parse(Request, body)
        items = [Item(role="user", content=request.input)] if isinstance(request.input, str) else request.input
        tools = [*(request.tools or ()), *(tool for item in items for tool in item.tools or ())]
        said = [Said(Role.SYSTEM, request.instructions)] if request.instructions else []
        return Conversation(
            model=request.model,
            stream=bool(request.stream),
            tools=tuple(offer for tool in tools for offer in _offers(tool)),
            said=(*said, *(one for item in items for one in _said(item))),
        )

    def whole(self, asked: Conversation, answer: Answer) -> JsonValue:
        """See Wire."""
        return _response(asked, answer, [_item(answer)])

    def events(self, asked: Conversation, answer: Answer) -> Iterator[Event]:
        """See Wire."""
        for number, (kind, value) in enumerate(_steps(asked, answer)):
            yield Event(compact({"type": kind, "sequence_number": number, **value}), kind)

    def error(self, status: int, message: str) -> JsonValue:
        """See Wire."""
        return openai_error(status, message)

    def failure(self, asked: Conversation, answer: Answer, number: int, error: JsonValue) -> Event:
        """See Wire."""
        told = error["error"] if isinstance(error, dict) else None
        what: Json = told if isinstance(told, dict) else {}
        why: JsonValue = {"code": what.get("code") or what.get("type"), "message": what.get("message")}
        response: Json = {**_response(asked, answer, []), "status": "failed", "error": why}
        return Event(compact({"type": FAILED, "sequence_number": number, "response": response}), FAILED)


def _offers(tool: Tool) -> Iterator[ToolOffer]:
    if tool.type == "namespace":
        for inner in tool.tools or ():
            for offer in _offers(inner):
                yield ToolOffer(f"{tool.name}/{offer.name}", offer.description, offer.parameters)
    else:
        yield ToolOffer(tool.name or tool.type, tool.description or "", tool.parameters or {})


def _said(item: Item) -> Iterator[Said]:
    if item.type == "message":
        if item.role == "user":
            for text in texts(item.content):
                yield Said(Role.USER, text, put_in(text, PUT_IN, OPENINGS))
        else:
            role = Role.ASSISTANT if item.role == "assistant" else Role.SYSTEM
            yield Said(role, "\n".join(texts(item.content)))
    elif item.type.endswith("_call"):
        yield Said(Role.ASSISTANT, item.name or item.type)
    elif item.type.endswith("_output"):
        yield Said(Role.TOOL, "\n".join(texts(item.output)))


def _response(asked: Conversation, answer: Answer, output: list[JsonValue]) -> Json:
    done = bool(output)
    why = "content_filter" if answer.reply.refused else "max_output_tokens"
    usage: JsonValue = {
        "input_tokens": answer.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.input_tokens + answer.output_tokens,
    }
    return {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": 0,  # no clock: a repeated request gets the same bytes
        "status": _status(answer) if done else "in_progress",
        "model": asked.model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": {"reason": why} if done and answer.reply.stands else None,
        "metadata": {},
        "usage": usage if done else None,
    }


def _status(answer: Answer) -> str:
    return "incomplete" if answer.reply.stands else "completed"


def _part(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": []}


def _item(answer: Answer) -> Json:
    call = answer.reply.call
    if call is None:
        return {
            "id": f"msg_{answer.id}",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [_part(answer.reply.text)],
        }
    item: Json = {"status": "completed", "call_id": f"call_{answer.id}"}
    if call.name == SEARCH and not isinstance(call.arguments, str):
        item |= {"execution": "client", "arguments": dict(call.arguments)}
        return {"id": f"tsc_{answer.id}", "type": f"{SEARCH}_call", **item}
    item["name"] = call.name
    if call.namespace is not None:
        item["namespace"] = call.namespace
    if isinstance(call.arguments, str):
        return {"id": f"ctc_{answer.id}", "type": "custom_tool_call", "input": call.arguments, **item}
    return {"id": f"fc_{answer.id}", "type": "function_call", "arguments": compact(call.arguments), **item}


def _steps(asked: Conversation, answer: Answer) -> Iterator[tuple[str, Json]]:
    """The events of a stream: kind, and what it holds beside kind and number."""
    item = _item(answer)
    yield "response.created", {"response": _response(asked, answer, [])}
    yield "response.in_progress", {"response": _response(asked, answer, [])}
    yield from _message(item, answer) if answer.reply.call is None else _call(item, answer.reply.call)
    yield "response.output_item.done", {"output_index": 0, "item": item}
    yield f"response.{_status(answer)}", {"response": _response(asked, answer, [item])}


def _message(item: Json, answer: Answer) -> Iterator[tuple[str, Json]]:
    text = answer.reply.text
    place: Json = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    yield "response.output_item.added", {"output_index": 0, "item": {**item, "status": "in_progress", "content": []}}
    yield "response.content_part.added", {**place, "part": _part("")}
    for piece in pieces(text):
        yield "response.output_text.delta", {**place, "delta": piece}
    yield "response.output_text.done", {**place, "text": text}
    yield "response.content_part.done", {**place, "part": _part(text)}


def _call(item: Json, call: ToolCall) -> Iterator[tuple[str, Json]]:
    if item["type"] == f"{SEARCH}_call":
        yield "response.output_item.added", {"output_index": 0, "item": item}
        return
    kind, key, text = (
        ("custom_tool_call_input", "input", call.arguments)
        if isinstance(call.arguments, str)
        else ("function_call_arguments", "arguments", compact(call.arguments))
    )
    place: Json = {"item_id": item["id"], "output_index": 0}
    yield "response.output_item.added", {"output_index": 0, "item": {**item, "status": "in_progress", key: ""}}
    for piece in pieces(text):
        yield f"response.{kind}.delta", {**place, "delta": piece}
    yield f"response.{kind}.done", {**place, key: text}
