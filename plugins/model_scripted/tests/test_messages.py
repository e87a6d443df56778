"""Anthropic Messages, asked over real HTTP as Claude Code does."""

from __future__ import annotations

import json
from typing import Any

PATH = "/v1/messages"
SHELL = {"name": "shell", "description": "Run.", "input_schema": {"type": "object"}}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def result(call: dict[str, Any], value: str = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": [text(value)]}


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "model": "m",
        "max_tokens": 9,
        "system": [text("Be good.")],
        "messages": list(messages),
        "tools": [SHELL],
        **more,
    }


def message(stream: list[tuple[str, Any]]) -> dict[str, Any]:
    """Put a stream together again, as a client does."""
    assert [name for name, _ in stream] == [data["type"] for _, data in stream]
    names = [name for name, _ in stream if name not in ("ping", "content_block_delta")]
    assert names == ["message_start", "content_block_start", "content_block_stop", "message_delta", "message_stop"]
    whole = dict(stream[0][1]["message"])
    block = next(dict(data["content_block"]) for name, data in stream if name == "content_block_start")
    pieces = [data["delta"] for name, data in stream if name == "content_block_delta"]
    if block["type"] == "tool_use":
        block["input"] = json.loads("".join(piece["partial_json"] for piece in pieces))
    else:
        block["text"] = "".join(piece["text"] for piece in pieces)
    last = next(data for name, data in stream if name == "message_delta")
    return {**whole, "content": [block], **last["delta"], "usage": last["usage"]}


def test_an_agent_loop_plays_the_script(program: Any, act: Any) -> None:
    agent = program([act(run="ls"), act(say="All seen.")])

    first = agent.post(f"{PATH}?beta=true", body(user(text("Do it.")))).json()
    (call,) = first["content"]
    last = agent.post(
        PATH, body(user(text("Do it.")), {"role": "assistant", "content": [call]}, user(result(call)))
    ).json()

    assert (call["type"], call["name"], call["input"]) == ("tool_use", "shell", {"command": "ls"})
    assert (first["stop_reason"], last["stop_reason"]) == ("tool_use", "end_turn")
    assert last["content"] == [text("All seen.")]


def test_a_stream_adds_up_to_plain_json(program: Any, act: Any, events: Any) -> None:
    agent = program([act(run="ls -la"), act(say="A sentence in several pieces.")])
    call = {"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {}}
    later = (user(text("Do it.")), {"role": "assistant", "content": [call]}, user(result(call)))

    for conversation in ((user(text("Do it.")),), later):
        plain = agent.post(PATH, body(*conversation)).json()
        streamed = message(events(agent.post(PATH, body(*conversation, stream=True)).text))
        assert streamed == {**plain, "usage": streamed["usage"]}


def test_a_skill_body_beside_a_result_is_no_prompt(program: Any, act: Any) -> None:
    agent = program([act(run="ls"), act(say="One.")])
    call = {"type": "tool_use", "id": "toolu_1", "name": "Skill", "input": {}}
    skill = text("How to be nice: Do it. Slowly.")

    answer = agent.post(
        PATH, body(user(text("Do it.")), {"role": "assistant", "content": [call]}, user(result(call), skill))
    )

    assert answer.json()["content"] == [text("One.")]


def test_a_prompt_beside_a_lost_call_is_a_prompt(program: Any, act: Any) -> None:
    agent = program([act(run="sleep 9")], [act(say="Two.")])
    agent.notebook.turn = 2
    call = {"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {}}
    resumed = user(result(call, "[Tool call interrupted]"), text("Go on."))

    answer = agent.post(PATH, body(user(text("Do it.")), {"role": "assistant", "content": [call]}, resumed))

    assert answer.json()["content"] == [text("Two.")]


def test_system_messages_in_the_middle_count_for_nothing(program: Any, act: Any) -> None:
    agent = program([act(run="ls"), act(say="One.")])
    reminder = {"role": "system", "content": "The date has changed."}
    call = {"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {}}
    asked = body(
        user(text("<system-reminder>Be nice.</system-reminder>"), text("Do it.")),
        reminder,
        {"role": "assistant", "content": [call]},
        user(result(call)),
        reminder,
    )

    assert agent.post(PATH, asked).json()["content"] == [text("One.")]


def test_a_refusal_has_its_stop_reason_and_stands_when_asked_again(program: Any, act: Any, events: Any) -> None:
    agent = program([act(refuse="I will not.")])
    again = [
        user(text("Do it.")),
        {"role": "assistant", "content": "I will not."},
        user(text("Your response was stopped.")),
    ]

    first = agent.post(PATH, body(user(text("Do it.")))).json()
    second = message(events(agent.post(PATH, body(*again, stream=True)).text))

    assert (first["stop_reason"], second["stop_reason"]) == ("refusal", "refusal")
    assert second["content"] == [text("I will not.")]


def test_tokens_are_counted_beside_the_turn(program: Any, act: Any) -> None:
    agent = program([act(error=500), act(say="One.")])

    answer = agent.post(f"{PATH}/count_tokens", body(user(text("Do it."))))

    assert answer.status_code == 200
    assert answer.json()["input_tokens"] > 1
    assert [note["side"] for note in agent.notebook.of("request")] == [True]


def test_a_free_form_call_is_not_possible_here(program: Any, act: Any) -> None:
    agent = program([act(read_file="free")])

    answer = agent.post(PATH, body(user(text("Do it."))))

    assert answer.json()["content"] == [text("Done.")]
    assert [note["why"] for note in agent.notebook.of("not_possible")] == ["dialect"]


def test_errors_have_the_shape_of_the_provider(program: Any, act: Any) -> None:
    agent = program([act(error=529)])

    fault = agent.post(PATH, body(user(text("Do it."))))
    wrong = agent.post(PATH, {"model": "m", "messages": []})

    assert (fault.status_code, fault.json()["error"]["type"]) == (529, "overloaded_error")
    assert (wrong.status_code, wrong.json()["error"]["type"]) == (400, "invalid_request_error")
    assert wrong.json()["type"] == "error"
