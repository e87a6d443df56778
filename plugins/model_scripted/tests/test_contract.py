"""The contract of the scripted model, on each of its three wires."""

from __future__ import annotations

import json

import httpx
import pytest

from skilltrial.testing.models import TOOL, ModelContract, ModelSubject, Said
from skilltrial_model_scripted.model import ScriptedModel

SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}


def post(endpoint, path, body):
    with httpx.Client(trust_env=False, verify=False, timeout=20) as http:
        answer = http.post(f"{endpoint.url}{path}", json={"model": endpoint.model, **body})
    answer.raise_for_status()
    return answer.json()


def chat(endpoint, said):
    prompt, *results = said
    messages = [{"role": "user", "content": prompt}]
    for number, result in enumerate(results):
        call = {"id": f"call-{number}", "type": "function", "function": {"name": TOOL, "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call-{number}", "content": result})
    tools = [{"type": "function", "function": {"name": TOOL, "parameters": SCHEMA}}]
    message = post(endpoint, "/v1/chat/completions", {"messages": messages, "tools": tools})["choices"][0]["message"]
    for call in message.get("tool_calls") or ():
        return Said(tool=call["function"]["name"], arguments=call["function"]["arguments"])
    return Said(message["content"])


def responses(endpoint, said):
    prompt, *results = said
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]}]
    for number, result in enumerate(results):
        items.append({"type": "function_call", "call_id": f"call-{number}", "name": TOOL, "arguments": "{}"})
        items.append({"type": "function_call_output", "call_id": f"call-{number}", "output": result})
    tools = [{"type": "function", "name": TOOL, "parameters": SCHEMA}]
    value = post(endpoint, "/v1/responses", {"input": items, "tools": tools, "stream": False})
    for item in value["output"]:
        if item["type"] == "function_call":
            return Said(tool=item["name"], arguments=item["arguments"])
    return Said("".join(part["text"] for item in value["output"] for part in item.get("content", ())))


def messages(endpoint, said):
    prompt, *results = said
    turns = [{"role": "user", "content": prompt}]
    for number, result in enumerate(results):
        turns.append(
            {"role": "assistant", "content": [{"type": "tool_use", "id": f"c-{number}", "name": TOOL, "input": {}}]}
        )
        turns.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c-{number}", "content": result}]}
        )
    tools = [{"name": TOOL, "input_schema": SCHEMA}]
    value = post(endpoint, "/v1/messages", {"messages": turns, "tools": tools, "max_tokens": 100})
    for block in value["content"]:
        if block["type"] == "tool_use":
            return Said(tool=block["name"], arguments=json.dumps(block["input"]))
    return Said("".join(block["text"] for block in value["content"] if block["type"] == "text"))


class TestModel(ModelContract):
    @pytest.fixture
    def subject(self) -> ModelSubject:
        return ModelSubject(ScriptedModel(), {"chat": chat, "responses": responses, "messages": messages})
