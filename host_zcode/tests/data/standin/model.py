"""The model that the stand-in asks: an endpoint for chat completions, streamed, or a script in its place."""

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field

TRIES = 3


class ModelFailed(Exception):
    """The model did not answer; `error` is what a turn says of it."""

    def __init__(self, **error):
        super().__init__(error["message"])
        self.error = error


@dataclass
class Reply:
    """What the model said: `calls` are id, name and the text of the arguments."""

    pieces: list = field(default_factory=list)
    calls: list = field(default_factory=list)
    input: int = 0
    output: int = 0

    @property
    def text(self):
        return "".join(self.pieces)


class Scripted:
    """Replies of a script, one after the other; the last one again where there are no more."""

    def __init__(self, replies, turn):
        self.replies = replies
        self.at = 0
        self.turn = turn

    def ask(self, messages, tools, retried):
        reply = self.replies[min(self.at, len(self.replies) - 1)]
        self.at += 1
        if "status" in reply:
            raise ModelFailed(type="model_error", message=f"the model answered {reply['status']}", code=reply["status"])
        calls = [
            (f"call_{self.turn}_{self.at}_{n}", name, given if isinstance(given, str) else json.dumps(given))
            for n, (name, given) in enumerate(reply.get("calls", []))
        ]
        text = reply.get("text", "")
        half = len(text) // 2
        return Reply([piece for piece in (text[:half], text[half:]) if piece], calls, 120, 34)


class Endpoint:
    """What the personal table of providers names."""

    def __init__(self, rule, model):
        self.url = rule["config"]["api"]["baseUrl"]
        self.api = rule["config"]["api"]["type"]
        self.key = rule["config"]["access"]["apiKey"]
        self.model = model

    def ask(self, messages, tools, retried):
        """One reply. Failures that may pass are tried again; `retried` hears of each."""
        if self.api == "anthropic-messages":
            body = _as_messages(self.model, messages, tools)
        elif self.api == "openai-chat-completions":
            body = {"model": self.model, "messages": messages, "tools": tools, "stream": True}
            body["stream_options"] = {"include_usage": True}
        else:
            raise ModelFailed(type="configuration_error", message=f"the stand-in does not speak {self.api}")
        for attempt in range(1, TRIES + 1):
            try:
                return self._once(body)
            except urllib.error.HTTPError as error:
                failed = {"code": error.code, "message": f"the model answered {error.code}"}
                passing = error.code == 429 or error.code >= 500
            except (OSError, ValueError, KeyError) as error:
                failed, passing = {"message": f"network: {type(error).__name__} (fetch failed)"}, True
            if attempt == TRIES or not passing:
                raise ModelFailed(type="model_error", retryable=passing, **failed)
            retried({"attempt": attempt, **failed})
            time.sleep(0.02 * attempt)
        raise AssertionError("the loop returns or raises")

    def _once(self, body):
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.key}"}
        url = f"{self.url}/chat/completions"
        if self.api == "anthropic-messages":
            headers |= {"x-api-key": self.key, "anthropic-version": "2023-06-01"}
            url = f"{self.url.removesuffix('/v1')}/v1/messages"
        request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=120) as answer:
            return _streamed(answer) if body["stream"] else _whole(json.load(answer))


def _streamed(answer):
    reply, calls, done = Reply(), {}, False
    for raw in answer:
        line = raw.decode("utf-8").strip()
        if not line.startswith("data:"):
            continue
        if line == "data: [DONE]":
            done = True
            break
        chunk = json.loads(line[5:])
        usage = chunk.get("usage") or {}
        reply.input = usage.get("prompt_tokens", reply.input)
        reply.output = usage.get("completion_tokens", reply.output)
        for choice in chunk.get("choices", []):
            delta = choice.get("delta", {})
            if delta.get("content"):
                reply.pieces.append(delta["content"])
            for call in delta.get("tool_calls") or []:
                one = calls.setdefault(call["index"], ["", "", ""])
                function = call.get("function", {})
                one[0] += call.get("id") or ""
                one[1] += function.get("name") or ""
                one[2] += function.get("arguments") or ""
    if not done:
        raise ValueError("the stream was cut")
    reply.calls = [tuple(call) for _, call in sorted(calls.items())]
    return reply


def _as_messages(model, messages, tools):
    """A request for the protocol of messages, in one piece."""
    told = []
    for one in messages[1:]:
        if one["role"] == "user":
            told.append({"role": "user", "content": one["content"]})
        elif one["role"] == "tool":
            result = {"type": "tool_result", "tool_use_id": one["tool_call_id"], "content": one["content"]}
            if told[-1]["role"] == "assistant":
                told.append({"role": "user", "content": []})
            told[-1]["content"].append(result)
        else:
            said = [{"type": "text", "text": one["content"]}] if one["content"] else []
            for call in one.get("tool_calls", []):
                name, given = call["function"]["name"], json.loads(call["function"]["arguments"])
                said.append({"type": "tool_use", "id": call["id"], "name": name, "input": given})
            told.append({"role": "assistant", "content": said})
    offered = [one["function"] for one in tools]
    named = [
        {"name": one["name"], "description": one["description"], "input_schema": one["parameters"]} for one in offered
    ]
    whole = {"model": model, "max_tokens": 4096, "system": messages[0]["content"], "messages": told}
    return {**whole, "tools": named, "stream": False}


def _whole(answer):
    texts = [block["text"] for block in answer["content"] if block["type"] == "text" and block["text"]]
    calls = [
        (block["id"], block["name"], json.dumps(block["input"]))
        for block in answer["content"]
        if block["type"] == "tool_use"
    ]
    usage = answer["usage"]
    return Reply(texts, calls, usage["input_tokens"], usage["output_tokens"])
