"""OpenAI Responses, asked over real HTTP as Codex does."""

from __future__ import annotations

import json
from typing import Any

import pytest

PATH = "/v1/responses"
SHELL = {"type": "function", "name": "shell", "description": "Run.", "parameters": {"type": "object"}}


def item(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def body(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "m", "instructions": "Be good.", "input": list(items), "tools": [SHELL], "stream": True, **more}


BEGIN = (
    item("developer", "<permissions instructions>all</permissions instructions>"),
    item("user", "# AGENTS.md instructions for the project\n\nBe nice."),
    item("user", "<environment_context>\n<cwd>/p</cwd>\n</environment_context>"),
)


def done(stream: list[tuple[str, Any]]) -> Any:
    """The item of a stream, which must end as its last event says."""
    assert [name for name, _ in stream] == [data["type"] for _, data in stream]
    assert [data["sequence_number"] for _, data in stream] == list(range(len(stream)))
    (finished,) = [data["item"] for name, data in stream if name == "response.output_item.done"]
    assert stream[-1][1]["response"]["output"] == [finished]
    return finished


def test_an_agent_loop_plays_the_script(program: Any, act: Any, events: Any) -> None:
    agent = program([act(run="ls"), act(read_file="free"), act(say="All seen.")])
    conversation = [*BEGIN, item("user", "Do it.")]

    call = done(events(agent.post(PATH, body(*conversation)).text))
    conversation += [call, {"type": "function_call_output", "call_id": call["call_id"], "output": "ok"}]
    free = done(events(agent.post(PATH, body(*conversation)).text))
    output = [{"type": "input_text", "text": "ok"}]
    conversation += [free, {"type": "custom_tool_call_output", "call_id": free["call_id"], "output": output}]
    last = done(events(agent.post(PATH, body(*conversation)).text))

    assert (call["type"], call["name"], json.loads(call["arguments"])) == ("function_call", "shell", {"command": "ls"})
    assert (free["type"], free["name"], free["input"]) == ("custom_tool_call", "patch", "*** free text\n")
    assert last["content"][0]["text"] == "All seen."


def test_deltas_add_up_to_the_item(program: Any, act: Any, events: Any) -> None:
    agent = program([act(run="ls -la"), act(say="A sentence in pieces.")])
    call = [item("user", "Do it."), {"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{}"}]

    first = events(agent.post(PATH, body(item("user", "Do it."))).text)
    second = events(agent.post(PATH, body(*call, {"type": "function_call_output", "call_id": "c", "output": ""})).text)

    arguments = "".join(data["delta"] for name, data in first if name == "response.function_call_arguments.delta")
    assert json.loads(arguments) == {"command": "ls -la"}
    text = "".join(data["delta"] for name, data in second if name == "response.output_text.delta")
    assert text == "A sentence in pieces."
    usage = second[-1][1]["response"]["usage"]
    assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]


def test_plain_json_is_what_the_stream_completes_with(program: Any, act: Any, events: Any) -> None:
    agent = program([act(say="Hello.")])

    plain = agent.post(PATH, body(item("user", "Do it."), stream=False)).json()
    streamed = events(agent.post(PATH, body(item("user", "Do it."))).text)[-1][1]["response"]

    assert plain["status"] == "completed"
    assert plain["output"] == streamed["output"]


def test_an_injected_skill_is_no_prompt(program: Any, act: Any, events: Any) -> None:
    agent = program([act(run="ls"), act(say="One.")], prompts=("Use $fmt.",))
    skill = item("user", "<skill>\n<name>fmt</name>\nUse $fmt. Always.\n</skill>")
    call = {"type": "function_call", "name": "shell", "call_id": "c", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c", "output": ""}

    asked = body(*BEGIN, item("user", "Use $fmt."), skill, {"type": "reasoning", "summary": []}, call, output, skill)

    assert done(events(agent.post(PATH, asked).text))["content"][0]["text"] == "One."


def test_tools_are_found_wherever_a_request_offers_them(program: Any, act: Any) -> None:
    agent = program([act(say="One.")])
    space = {"type": "namespace", "name": "mcp__orders", "tools": [{"type": "function", "name": "look_up"}]}
    added = {"type": "additional_tools", "role": "developer", "tools": [{"type": "custom", "name": "exec"}, space]}
    asked = {"model": "m", "input": [added, item("user", "Do it.")], "tools": [{"type": "tool_search"}], "stream": True}

    agent.post(PATH, asked)

    (request,) = agent.notebook.of("request")
    assert request["tools"] == ["tool_search", "exec", "mcp__orders/look_up"]


def test_a_refusal_is_a_filtered_message(program: Any, act: Any, events: Any) -> None:
    agent = program([act(refuse="I will not.")])

    stream = events(agent.post(PATH, body(item("user", "Do it."))).text)

    assert done(stream)["content"][0]["text"] == "I will not."
    assert stream[-1][0] == "response.incomplete"
    assert stream[-1][1]["response"]["incomplete_details"] == {"reason": "content_filter"}


def test_an_input_may_be_a_text(program: Any, act: Any) -> None:
    agent = program([act(say="One.")])

    answer = agent.post(PATH, {"model": "m", "input": "Do it."}).json()

    assert answer["output"][0]["content"][0]["text"] == "One."


@pytest.mark.parametrize(
    "wrong", [{}, {"model": "m"}, {"model": "m", "input": 5}, {"model": "m", "input": ["secret"]}, []]
)
def test_a_wrong_request_is_named_without_its_content(program: Any, act: Any, wrong: Any) -> None:
    agent = program([act(say="One.")])

    answer = agent.post(PATH, wrong)

    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert "secret" not in answer.text
    assert agent.notebook.of("request")[0]["problem"]
