"""From a conversation to a step, and from a script and a step to a move: pure, so properties say it best."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from skilltrial.api import Act, ActAbsent, HttpError, Refuse, Run, Say, Stall, ToolCall
from skilltrial_model_scripted.conversation import Conversation, Role, Said
from skilltrial_model_scripted.player import Move, due
from skilltrial_model_scripted.wires.chat import ChatCompletions
from skilltrial_model_scripted.wires.messages import Messages
from skilltrial_model_scripted.wires.responses import Responses
from skilltrial_model_scripted.wires.wire import BadRequest

WORDS = st.text("abc ", min_size=1, max_size=6).map(str.strip).filter(bool)
ASIDES = st.sampled_from(["<system-reminder>x</system-reminder>", "nudge", "PROMPT and more"])


def spell(act: Act) -> ToolCall:
    assert isinstance(act, Run)
    if act.run == "absent":
        raise ActAbsent
    return ToolCall("shell", {"command": act.run})


runs = st.sampled_from(["a", "b", "absent"]).map(lambda command: Run(run=command))
faults = st.sampled_from([HttpError(error=500, times=1), Stall(stall=1.0)])
ends = st.sampled_from([Say(say="end"), Refuse(refuse="no")])
turns = st.builds(
    lambda acts, last: (*acts, *last), st.lists(st.one_of(runs, faults), max_size=8), st.lists(ends, max_size=1)
)


def moves(acts: Sequence[Act], count: int) -> list[Move]:
    return [due(acts, step, spell) for step in range(count)]


@given(turns)
def test_playing_a_turn_through_does_every_act_once_and_in_order(acts: tuple[Act, ...]) -> None:
    played = moves(acts, len(acts) + 1)

    calls = [move for move in played if move.reply.call]
    possible = [place for place, act in enumerate(acts) if isinstance(act, Run) and act.run != "absent"]
    assert [move.act for move in calls] == possible
    assert all(move.reply.call for move in played[: len(possible)])
    assert not any(move.reply.call for move in played[len(possible) :])
    # Faults and acts that are passed over belong to exactly one step each.
    met = sorted(
        [place for move in played for place, _ in move.faults] + [place for move in played for place in move.passed]
    )
    assert met == [
        place for place, act in enumerate(acts) if place not in possible and not isinstance(act, Say | Refuse)
    ]


@given(turns)
def test_the_last_word_is_said_when_all_acts_are_done(acts: tuple[Act, ...]) -> None:
    last = next(move for move in moves(acts, len(acts) + 1) if move.reply.call is None)

    said: dict[type[object], str] = {Say: "end", Refuse: "no"}
    wanted = said.get(type(acts[-1]) if acts else Run, "Done.")
    assert last.reply.text == wanted


@given(turns, st.integers(0, 20))
def test_the_same_step_always_gets_the_same_move(acts: tuple[Act, ...], step: int) -> None:
    assert due(acts, step, spell) == due(acts, step, spell)


@given(st.lists(st.one_of(st.just("reply"), ASIDES), max_size=12), st.lists(WORDS, max_size=4))
def test_the_step_is_the_number_of_replies_since_the_prompt(since: list[str], before: list[str]) -> None:
    earlier = [one for text in before for one in (Said(Role.USER, text), Said(Role.ASSISTANT, "x"))]
    later = [
        Said(Role.ASSISTANT, "call") if text == "reply" else Said(Role.USER, text, aside=text != "nudge")
        for text in since
    ]
    conversation = Conversation("m", False, (), (*earlier, Said(Role.USER, "PROMPT"), *later))

    assert conversation.step("PROMPT") == since.count("reply")


@given(st.integers(0, 6), st.booleans())
def test_all_protocols_count_alike(replies: int, noisy: bool) -> None:
    noise = "<system-reminder>be nice</system-reminder>" if noisy else "<environment_context>x</environment_context>"
    chat: list[Any] = [{"role": "system", "content": "s"}, {"role": "user", "content": "PROMPT"}]
    responses: list[Any] = [{"role": "developer", "content": "s"}, {"role": "user", "content": "PROMPT"}]
    messages: list[Any] = [
        {"role": "user", "content": [{"type": "text", "text": noise}, {"type": "text", "text": "PROMPT"}]}
    ]
    for n in range(replies):
        id = f"c{n}"
        call = {"id": id, "type": "function", "function": {"name": "shell", "arguments": "{}"}}
        chat += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": id, "content": "PROMPT"},
        ]
        responses += [
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": id, "name": "shell", "arguments": "{}"},
            {"type": "function_call_output", "call_id": id, "output": "PROMPT"},
        ]
        messages += [
            {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "shell", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "PROMPT"}]},
        ]

    read = [
        ChatCompletions().read({"model": "m", "messages": chat}),
        Responses().read({"model": "m", "input": responses}),
        Messages().read({"model": "m", "messages": messages}),
    ]

    assert [one.step("PROMPT") for one in read] == [replies] * 3


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["role", "content", "text", "type", "output", "name", "tools"]), inner)
        ),
        max_leaves=8,
    )
)
def test_any_message_is_read_or_refused_never_a_crash(value: Any) -> None:
    bodies = [
        (ChatCompletions(), {"model": "m", "messages": [value], "tools": value}),
        (Responses(), {"model": "m", "input": [value], "tools": value}),
        (Messages(), {"model": "m", "messages": [value], "system": value}),
    ]
    for wire, body in bodies:
        with suppress(BadRequest):
            assert wire.read(body).step("PROMPT") >= 0
