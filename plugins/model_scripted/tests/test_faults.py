"""Faults of the wire, and acts that can't be played."""

from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

CHAT = "/v1/chat/completions"
SHELL = {"type": "function", "function": {"name": "shell", "description": "Run."}}
PROMPT = {"role": "user", "content": "Do it."}


def chat(**more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [PROMPT], "tools": [SHELL], **more}


BODIES = {
    "/v1/chat/completions": chat(),
    "/v1/responses": {"model": "m", "input": "Do it."},
    "/v1/messages": {"model": "m", "messages": [PROMPT]},
}
every_protocol = pytest.mark.parametrize("path", list(BODIES))
streamed_or_not = pytest.mark.parametrize("stream", [False, True])


def texts_in(response: httpx.Response) -> str:
    assert response.status_code == 200
    return response.text


@every_protocol
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 529])
def test_an_error_is_the_providers_error(program: Any, act: Any, path: str, status: int) -> None:
    agent = program([act(error=status), act(say="never")])

    answers = [agent.post(path, BODIES[path]) for _ in range(3)]

    assert {answer.status_code for answer in answers} == {status}
    assert all(answer.json()["error"]["message"] and answer.json()["error"]["type"] for answer in answers)
    assert all("retry-after" not in answer.headers for answer in answers)


@every_protocol
def test_an_error_lasts_as_many_requests_as_it_says(program: Any, act: Any, path: str) -> None:
    agent = program([act(error=429, times=2, retry_after=7), act(say="word-after")])

    first, second, third, fourth = (agent.post(path, BODIES[path]) for _ in range(4))

    assert [first.status_code, second.status_code] == [429, 429]
    assert first.headers["retry-after"] == "7"
    assert "word-after" in texts_in(third)
    assert third.content == fourth.content


@every_protocol
@streamed_or_not
def test_a_cut_before_the_headers_leaves_nothing(program: Any, act: Any, path: str, stream: bool) -> None:
    agent = program([act(cut="before", times=1), act(say="word-after")])
    asked = {**BODIES[path], "stream": stream}

    with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
        agent.post(path, asked)

    assert "word" in texts_in(agent.post(path, {**asked, "stream": False}))


@every_protocol
@streamed_or_not
def test_a_cut_in_the_stream_leaves_half_and_completes_nothing(program: Any, act: Any, path: str, stream: bool) -> None:
    agent = program([act(cut="stream"), act(run="echo a-command-of-some-length")])
    asked = {**BODIES[path], "stream": stream}
    arrived = bytearray()

    def read() -> None:
        with agent.http.stream("POST", f"{agent.endpoint.url}{path}", json=asked) as answer:
            assert answer.status_code == 200
            for piece in answer.iter_bytes():
                arrived.extend(piece)

    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete message body"):
        read()

    assert arrived
    for mark in (b"output_item.done", b"message_stop", b"content_block_stop", b"[DONE]", b'"finish_reason":"'):
        assert mark not in arrived


def test_a_stall_waits_and_then_goes_on(program: Any, act: Any) -> None:
    agent = program([act(stall=0.3), act(error=503, times=1), act(say="One.")])

    begin = time.monotonic()
    first = agent.post(CHAT, chat())
    waited = time.monotonic() - begin

    assert (first.status_code, waited >= 0.3) == (503, True)
    assert "One." in texts_in(agent.post(CHAT, chat()))
    assert [note["kind"] for note in agent.notebook.of("reply")] == ["stall", "error", "stall", "say"]


def test_a_program_that_hangs_up_during_a_stall_is_on_record(program: Any, act: Any) -> None:
    agent = program([act(stall=3600), act(say="One.")])

    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{agent.endpoint.url}{CHAT}", json=chat(), timeout=0.2, trust_env=False)

    deadline = time.monotonic() + 5
    while not agent.notebook.of("gone") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [note["number"] for note in agent.notebook.of("gone")] == [1]


def test_faults_take_no_step_and_meet_only_their_own(program: Any, act: Any) -> None:
    agent = program([act(run="ls"), act(error=500, times=1), act(error=429, times=1), act(say="One.")])
    later = [PROMPT, {"role": "assistant", "content": "call"}, {"role": "tool", "content": "ok"}]

    statuses = [
        agent.post(CHAT, chat(messages=asked)).status_code for asked in ([PROMPT], later, later, [PROMPT], later)
    ]

    assert statuses == [200, 500, 429, 200, 200]


def test_a_fault_after_the_last_act_comes_before_the_neutral_word(program: Any, act: Any) -> None:
    agent = program([act(error=500, times=1)])

    assert agent.post(CHAT, chat()).status_code == 500
    assert "Done." in texts_in(agent.post(CHAT, chat()))


def test_a_skill_that_the_arm_lacks_is_passed_over(program: Any, act: Any) -> None:
    agent = program([act(read_skill="fmt"), act(run="ls")], skills=())
    asked = chat(tools=[SHELL, {"type": "function", "function": {"name": "skill", "description": "Skills: fmt"}}])

    answers = [texts_in(agent.post(CHAT, asked)) for _ in range(2)]

    assert '"shell"' in answers[0]
    assert answers[0] == answers[1]
    assert agent.notebook.of("passed_over") == [
        {"note": "passed_over", "turn": 1, "act": 0, "kind": "read_skill", "why": "absent"}
    ]


def test_a_skill_that_the_program_does_not_offer_is_passed_over(program: Any, act: Any) -> None:
    agent = program([act(read_skill="fmt"), act(say="One.")], skills=("fmt",))

    assert "One." in texts_in(agent.post(CHAT, chat()))
    assert [note["act"] for note in agent.notebook.of("passed_over")] == [0]


def test_a_skill_of_the_arm_is_read(program: Any, act: Any) -> None:
    agent = program([act(read_skill="fmt")], skills=("fmt@previous",))
    asked = chat(tools=[{"type": "function", "function": {"name": "skill", "description": "Skills: fmt"}}])

    assert '"skill"' in texts_in(agent.post(CHAT, asked))
    assert agent.notebook.of("passed_over") == []


@pytest.mark.parametrize(
    ("words", "why"), [({"read_file": "a.txt"}, "no_tool"), ({"write_file": {"path": "a", "text": ""}}, "dialect")]
)
def test_an_impossible_act_ends_the_turn_and_says_so(program: Any, act: Any, words: Any, why: str) -> None:
    agent = program([act(run="ls"), act(**words), act(say="never")])
    later = [PROMPT, {"role": "assistant", "content": "call"}, {"role": "tool", "content": "ok"}]

    assert '"shell"' in texts_in(agent.post(CHAT, chat()))
    assert agent.notebook.of("not_possible") == []
    for _ in range(2):
        assert "Done." in texts_in(agent.post(CHAT, chat(messages=later)))
    (name,) = words
    assert agent.notebook.of("not_possible") == [
        {"note": "not_possible", "turn": 1, "act": 1, "kind": name, "why": why}
    ]
