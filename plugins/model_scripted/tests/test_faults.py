"""Faults of the wire, and acts that can't be played."""

from __future__ import annotations

import itertools
import re
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


IN_A_STREAM = {
    "/v1/chat/completions": ('data: {"error": ', "insufficient_quota", "server_error"),
    "/v1/responses": ("event: response.failed\n", '"code":"insufficient_quota"', '"code":"server_error"'),
    "/v1/messages": ("event: error\n", '"billing_error"', '"overloaded_error"'),
}


@every_protocol
def test_an_error_in_the_stream_is_the_providers_last_word(program: Any, act: Any, path: str) -> None:
    script = [
        act(error=402, at="stream", times=1),
        act(error=529, at="stream", times=1),
        act(run="echo of-some-length"),
    ]
    agent = program(script)
    asked = {**BODIES[path], "stream": True}
    begins, quota, overloaded = IN_A_STREAM[path]

    for word, status in ((quota, 402), (overloaded, 529)):
        answer = agent.post(path, asked)
        *first, last = texts_in(answer).rstrip("\n").split("\n\n")
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert first, "it began well"
        assert last.startswith(begins)
        assert word in last
        assert f"scripted error {status}" in last
        for mark in ("output_item.done", "message_stop", "content_block_stop", "[DONE]", '"finish_reason":"'):
            assert mark not in answer.text
        numbers = [int(one) for one in re.findall(r'"sequence_number":(\d+)', answer.text)]
        assert numbers == list(range(len(numbers)))

    assert "of-some-length" in agent.post(path, {**asked, "stream": False}).text
    assert [(note["kind"], note["status"]) for note in agent.notebook.of("reply")] == [
        ("error", 200), ("error", 200), ("run", 200),
    ]  # fmt: skip


@every_protocol
def test_an_error_in_the_stream_is_a_plain_one_where_no_stream_is_asked_for(program: Any, act: Any, path: str) -> None:
    agent = program([act(error=529, at="stream"), act(say="never")])

    assert agent.post(path, BODIES[path]).status_code == 529


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


@every_protocol
@streamed_or_not
def test_garbage_is_a_success_that_is_none(program: Any, act: Any, path: str, stream: bool) -> None:
    agent = program([act(garbage="body", times=1), act(say="word-after")])
    asked = {**BODIES[path], "stream": stream}

    first, second = agent.post(path, asked), agent.post(path, {**asked, "stream": False})

    assert first.status_code == 200
    with pytest.raises(ValueError, match="Expecting value"):
        first.json()
    assert "word-after" in texts_in(second)
    assert [note["kind"] for note in agent.notebook.of("reply")] == ["garbage", "say"]


@every_protocol
@streamed_or_not
def test_garbage_in_the_stream_begins_well_and_completes_nothing(
    program: Any, act: Any, path: str, stream: bool
) -> None:
    agent = program([act(garbage="stream"), act(run="echo a-command-of-some-length")])

    text = texts_in(agent.post(path, {**BODIES[path], "stream": stream}))

    assert text.startswith(("event: ", "data: {") if stream else "{")
    assert "<html>" in text
    for mark in ("output_item.done", "message_stop", "content_block_stop", "[DONE]", '"finish_reason":"'):
        assert mark not in text


@every_protocol
@streamed_or_not
def test_a_stall_in_the_stream_sends_half_waits_and_sends_the_rest(
    program: Any, act: Any, path: str, stream: bool
) -> None:
    agent = program([act(stall=0.4, at="stream"), act(say="word-after " * 20)])
    plain = program([act(say="word-after " * 20)])
    asked, times, pieces = {**BODIES[path], "stream": stream}, [], []

    with agent.http.stream("POST", f"{agent.endpoint.url}{path}", json=asked) as answer:
        for piece in answer.iter_raw():
            times.append(time.monotonic())
            pieces.append(piece)

    assert max(after - before for before, after in itertools.pairwise(times)) >= 0.3
    assert b"".join(pieces) == plain.post(path, asked).content
    assert [note["kind"] for note in agent.notebook.of("reply")] == ["stall", "say"]


def test_a_program_that_hangs_up_in_the_middle_of_a_stream_is_on_record(program: Any, act: Any) -> None:
    agent = program([act(stall=3600, at="stream"), act(say="One.")])

    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{agent.endpoint.url}{CHAT}", json=chat(stream=True), timeout=0.3, trust_env=False)

    deadline = time.monotonic() + 5
    while not agent.notebook.of("gone") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [note["number"] for note in agent.notebook.of("gone")] == [1]


ENDS_OF_LENGTH = {
    "/v1/chat/completions": '"finish_reason":"length"',
    "/v1/responses": '"incomplete_details":{"reason":"max_output_tokens"}',
    "/v1/messages": '"stop_reason":"max_tokens"',
}


@every_protocol
@streamed_or_not
def test_a_reply_that_is_cut_off_by_its_length_says_so_and_stands(
    program: Any, act: Any, path: str, stream: bool
) -> None:
    agent = program([act(max_tokens="Q"), act(say="never")])
    asked = {**BODIES[path], "stream": stream}

    first = texts_in(agent.post(path, asked))

    assert ENDS_OF_LENGTH[path] in first.replace('": ', '":').replace(", ", ",")
    assert "Q" in first
    assert first == texts_in(agent.post(path, asked))
    assert "never" not in first


def test_who_goes_on_after_a_reply_of_full_length_is_cut_off_again(program: Any, act: Any) -> None:
    agent = program([act(max_tokens="half a sen"), act(say="never")])
    later = [PROMPT, {"role": "assistant", "content": "half a sen"}, {"role": "user", "content": "Do it. Go on."}]

    assert '"length"' in texts_in(agent.post(CHAT, chat(messages=later)))


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
