"""Chat completions, asked over real HTTP as an agent would."""

from __future__ import annotations

import json
from typing import Any

import pytest

PATH = "/v1/chat/completions"
SHELL = {"type": "function", "function": {"name": "shell", "description": "Run.", "parameters": {"type": "object"}}}


def body(*messages: dict[str, Any], tools: tuple[Any, ...] = (SHELL,), **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), "tools": list(tools), **more}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def result(call: dict[str, Any], text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call["id"], "content": text}


def message(response: Any) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    return response.json()["choices"][0]["message"]


def test_an_agent_loop_plays_the_script_one_act_per_reply(program: Any, act: Any) -> None:
    agent = program([act(run="ls"), act(run="pwd"), act(say="All seen.")])
    conversation = [user("Do it.")]

    for command in ("ls", "pwd"):
        answer = message(agent.post(PATH, body(*conversation)))
        (call,) = answer["tool_calls"]
        assert call["function"]["name"] == "shell"
        assert json.loads(call["function"]["arguments"]) == {"command": command}
        conversation += [answer, result(call, "ok")]

    assert message(agent.post(PATH, body(*conversation)))["content"] == "All seen."


def test_a_stream_says_the_same_as_plain_json(program: Any, act: Any, events: Any) -> None:
    agent = program([act(run="ls -la"), act(say="All of it, said in a sentence long enough for several pieces.")])
    call_of = message(agent.post(PATH, body(user("Do it."))))["tool_calls"][0]
    done = [user("Do it."), {"role": "assistant", "content": None, "tool_calls": [call_of]}, result(call_of, "ok")]

    first = events(agent.post(PATH, body(user("Do it."), stream=True)).text)
    second = events(agent.post(PATH, body(*done, stream=True)).text)

    deltas = [chunk["choices"][0]["delta"] for _, chunk in first[:-1]]
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    assert calls[0]["id"] == call_of["id"]
    assert "".join(call["function"]["arguments"] for call in calls) == call_of["function"]["arguments"]
    assert first[-2][1]["choices"][0]["finish_reason"] == "tool_calls"
    text = "".join(chunk["choices"][0]["delta"].get("content") or "" for _, chunk in second[:-1])
    assert text == message(agent.post(PATH, body(*done)))["content"]
    assert second[-1] == (None, "[DONE]")


@pytest.mark.parametrize("wanted", [True, False])
def test_a_stream_tells_usage_only_where_it_is_asked_for(program: Any, act: Any, events: Any, wanted: bool) -> None:
    agent = program([act(say="Hello.")])

    chunks = events(agent.post(PATH, body(user("Do it."), stream=True, stream_options={"include_usage": wanted})).text)

    with_usage = [chunk for _, chunk in chunks[:-1] if chunk.get("usage")]
    assert [chunk["choices"] for chunk in with_usage] == ([[]] if wanted else [])


def test_usage_is_made_up_but_adds_up_and_stays(program: Any, act: Any) -> None:
    agent = program([act(say="Hello.")])

    first, second = (agent.post(PATH, body(user("Do it."))).json()["usage"] for _ in range(2))

    assert first == second
    assert first["total_tokens"] == first["prompt_tokens"] + first["completion_tokens"] > 1


def test_a_repeated_request_gets_the_same_bytes(program: Any, act: Any) -> None:
    agent = program([act(run="ls"), act(say="Done it.")])

    for stream in (False, True):
        asked = body(user("Do it."), stream=stream)
        assert len({agent.post(PATH, asked).content for _ in range(3)}) == 1


def test_a_resumed_conversation_gets_the_next_turn(program: Any, act: Any) -> None:
    agent = program([act(say="One.")], [act(run="ls"), act(say="Two.")])
    first = message(agent.post(PATH, body(user("Do it."))))

    agent.notebook.turn = 2
    history = [user("Do it."), first, user("Go on.")]
    second = message(agent.post(PATH, body(*history)))
    third = message(agent.post(PATH, body(*history, second, result(second["tool_calls"][0], "ok"))))

    assert first["content"] == "One."
    assert second["tool_calls"][0]["function"]["name"] == "shell"
    assert third["content"] == "Two."


def test_a_turn_that_forgot_the_first_is_still_the_second(program: Any, act: Any) -> None:
    agent = program([act(say="One.")], [act(say="Two.")])
    agent.notebook.turn = 2

    assert message(agent.post(PATH, body(user("Go on."))))["content"] == "Two."


def test_the_same_prompt_twice_is_two_turns(program: Any, act: Any) -> None:
    agent = program([act(say="One.")], [act(say="Two.")], prompts=("Again.", "Again."))
    agent.notebook.turn = 2

    answer = message(agent.post(PATH, body(user("Again."), said("One."), user("Again."))))

    assert answer["content"] == "Two."


@pytest.mark.parametrize(
    "wrapped", ['"Do it."\n', "<system-reminder>Be nice.</system-reminder>\nDo it.", "  Do\n it. "]
)
def test_a_prompt_is_known_however_the_program_wraps_it(program: Any, act: Any, wrapped: str) -> None:
    agent = program([act(say="One.")], [act(run="ls"), act(say="Two.")], prompts=("First.", "Do it."))
    agent.notebook.turn = 2

    history = [user("First."), said("One."), user(wrapped), said("calling"), {"role": "tool", "content": "ok"}]

    assert message(agent.post(PATH, body(*history)))["content"] == "Two."


def test_what_a_program_puts_in_after_a_prompt_is_no_prompt(program: Any, act: Any) -> None:
    agent = program([act(run="ls"), act(say="One.")])
    reminder = user("<system-reminder>Keep going.</system-reminder>")
    nudge = user("You have tools, use them!")

    answer = message(
        agent.post(PATH, body(user("Do it."), said("call"), {"role": "tool", "content": ""}, reminder, nudge))
    )

    assert answer["content"] == "One."


def test_a_turn_without_a_last_word_ends_with_a_neutral_one(program: Any, act: Any) -> None:
    agent = program([act(run="ls")])

    history = [user("Do it."), said("call"), {"role": "tool", "content": ""}]

    assert message(agent.post(PATH, body(*history)))["content"] == "Done."
    assert message(agent.post(PATH, body(*history, said("Done."), user("More?"))))["content"] == "Done."
    assert [note["kind"] for note in agent.notebook.of("reply")] == ["neutral", "neutral"]


def test_a_turn_that_no_script_knows_gets_the_neutral_word(program: Any, act: Any) -> None:
    agent = program([act(say="One.")])
    agent.notebook.turn = 2

    assert message(agent.post(PATH, body(user("Go on."))))["content"] == "Done."


def test_a_refusal_is_told_as_one_and_stands(program: Any, act: Any, events: Any) -> None:
    agent = program([act(refuse="I will not.")])

    first = message(agent.post(PATH, body(user("Do it."))))
    streamed = events(agent.post(PATH, body(user("Do it."), stream=True)).text)
    again = message(agent.post(PATH, body(user("Do it."), said("I will not."), user("Please!"))))

    assert first["content"] is None
    assert first["refusal"] == again["refusal"] == "I will not."
    assert "".join(chunk["choices"][0]["delta"].get("refusal", "") for _, chunk in streamed[:-1]) == "I will not."


def test_a_free_form_call_is_a_custom_call(program: Any, act: Any, events: Any) -> None:
    agent = program([act(read_file="free")])

    (call,) = message(agent.post(PATH, body(user("Do it."))))["tool_calls"]
    streamed = events(agent.post(PATH, body(user("Do it."), stream=True)).text)

    assert call == {"id": call["id"], "type": "custom", "custom": {"name": "patch", "input": "*** free text\n"}}
    parts = [part for _, chunk in streamed[:-1] for part in chunk["choices"][0]["delta"].get("tool_calls", ())]
    assert "".join(part["custom"]["input"] for part in parts) == "*** free text\n"


def test_an_agent_without_tools_is_served_as_any_other(program: Any, act: Any) -> None:
    agent = program([act(say="A plain answer.")])

    assert message(agent.post(PATH, {"model": "m", "messages": [user("Do it.")]}))["content"] == "A plain answer."


@pytest.mark.parametrize(
    "side",
    [
        [{"role": "system", "content": "You are a title generator."}, user("Do it.")],
        [{"role": "system", "content": "Write a short title for the conversation."}, user("Do it.")],
        [
            {"role": "system", "content": [{"type": "text", "text": "Summarize. Generate a brief summary."}]},
            user("Do it."),
        ],
        [user("quota")],
    ],
)
def test_requests_beside_the_turn_play_no_act(program: Any, act: Any, side: list[Any]) -> None:
    agent = program([act(error=500), act(say="One.")])

    answer = message(agent.post(PATH, {"model": "m", "messages": side}))

    assert answer["content"] == "Done."
    assert [(note["side"], note["step"]) for note in agent.notebook.of("request")] == [(True, None)]
    assert [note["kind"] for note in agent.notebook.of("reply")] == ["side"]


def test_a_helper_that_repeats_the_conversation_plays_no_act(program: Any, act: Any) -> None:
    agent = program([act(run="ls"), act(say="One.")])
    helper = {"role": "system", "content": "You are the managed memory extraction subagent."}

    answer = message(agent.post(PATH, body(helper, user("Do it."))))

    assert answer["content"] == "Done."


def test_nothing_is_played_before_the_first_prompt(program: Any, act: Any) -> None:
    agent = program([act(say="One.")])
    agent.notebook.turn = 0

    assert message(agent.post(PATH, body(user("Warm up."))))["content"] == "Done."
    assert agent.notebook.of("request")[0]["side"] is True
