"""Endings, causes and owners: a broken run is never a misbehaving agent, and never a pass."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from skilltrial.api import (
    Cause,
    Ending,
    Event,
    Exited,
    Interrupted,
    Leftovers,
    LimitHit,
    Owner,
    Record,
    SessionEnded,
    Source,
    TurnSent,
    Unavailable,
)
from skilltrial_host_codex.causes import cause_of, owner_of

Normalize = Callable[[Sequence[Record]], tuple[Event, ...]]
ANSWER = {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "Done."}}
OPENED = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
USED = {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 1}}
FAILED = {"type": "turn.failed", "error": {"message": "unexpected status 500 Internal Server Error: x"}}
SHA = "0" * 64


def session(tape: Any, lines: Sequence[object], *notes: object, stderr: str = "", turn: int = 1) -> list[Record]:
    tape.turn = turn
    tape.note(TurnSent(turn=turn, prompt_sha256=SHA))
    for line in lines:
        tape.add(Source.STDOUT, json.dumps(line))
    for text in stderr.splitlines():
        tape.add(Source.STDERR, text)
    for note in notes:
        tape.note(note)
    return tape.records


def ending(events: tuple[Event, ...]) -> tuple[Ending, Cause | None, Owner | None]:
    (ended,) = [event for event in events if isinstance(event, SessionEnded)]
    return ended.ending, ended.cause, ended.owner


def test_a_turn_that_ended_well_completes(tape: Any, normalize: Normalize):
    assert ending(normalize(session(tape, [*OPENED, ANSWER, USED], Exited(code=0)))) == (Ending.COMPLETED, None, None)


@pytest.mark.parametrize(
    "lines",
    [
        [*OPENED, FAILED],
        [*OPENED, ANSWER, FAILED],
        [*OPENED, ANSWER, USED, FAILED],
        [*OPENED, FAILED, ANSWER, USED],
        [*OPENED, ANSWER, {"type": "error", "message": "unexpected status 500 Internal Server Error: x"}],
    ],
)
def test_r42_a_failed_turn_with_exit_code_0_is_no_success(lines: list[dict[str, Any]], tape: Any, normalize: Normalize):
    found = ending(normalize(session(tape, lines, Exited(code=0))))

    assert found == (Ending.HOST_FAILED, Cause.SERVER, Owner.MODEL)


def test_r42_an_api_that_refuses_before_the_first_turn_is_a_failed_host(tape: Any, normalize: Normalize):
    lines = [*OPENED, {"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized: no"}}]

    assert ending(normalize(session(tape, lines, Exited(code=1)))) == (Ending.HOST_FAILED, Cause.AUTH, Owner.OPERATOR)


def test_r42_a_success_that_exits_with_an_error_is_none(tape: Any, normalize: Normalize):
    found = ending(normalize(session(tape, [*OPENED, ANSWER, USED], Exited(code=1))))

    assert found == (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST)


@pytest.mark.parametrize("answer", [None, "", "  \n"])
def test_r42_a_turn_without_an_answer_is_empty(answer: str | None, tape: Any, normalize: Normalize):
    said = [] if answer is None else [{**ANSWER, "item": {**ANSWER["item"], "text": answer}}]  # type: ignore[dict-item]

    found = ending(normalize(session(tape, [*OPENED, *said, USED], Exited(code=0))))

    assert found == (Ending.HOST_FAILED, Cause.EMPTY, Owner.MODEL)


def test_a_warning_in_mid_turn_does_not_spoil_the_turn(tape: Any, normalize: Normalize):
    lines = [*OPENED, {"type": "error", "message": "something was slow"}, ANSWER, USED]

    assert ending(normalize(session(tape, lines, Exited(code=0))))[0] is Ending.COMPLETED


@pytest.mark.parametrize("lines", [[], OPENED, [*OPENED, ANSWER]])
def test_a_stream_without_its_terminal_event_is_invalid(lines: list[dict[str, Any]], tape: Any, normalize: Normalize):
    found = ending(normalize(session(tape, lines, Exited(code=0))))

    assert found == (Ending.INVALID_EVENTS, None, Owner.HOST)


def test_nothing_at_all_is_invalid(normalize: Normalize):
    assert ending(normalize([])) == (Ending.INVALID_EVENTS, None, Owner.HOST)


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        (LimitHit(limit="seconds", value=600), Ending.TIME_LIMIT),
        (LimitHit(limit="stdout", value=10), Ending.OUTPUT_LIMIT),
        (Unavailable(why="missing"), Ending.HOST_UNAVAILABLE),
        (Interrupted(), Ending.INTERRUPTED),
        (Leftovers(ended=0, unstopped=1), Ending.HOST_FAILED),
    ],
)
def test_embraion_8_1_row_10_the_runners_own_facts_beat_a_good_stream(
    note: object, expected: Ending, tape: Any, normalize: Normalize
):
    assert ending(normalize(session(tape, [*OPENED, ANSWER, USED], note)))[0] is expected


@pytest.mark.parametrize(
    ("code", "stderr", "owner"),
    [
        (2, "error: unexpected argument '--x' found", Owner.OPERATOR),
        (1, "Error loading config.toml: unknown field", Owner.OPERATOR),
        (1, "Error: failed to open state: Permission denied (os error 13)", Owner.OPERATOR),
        (1, "Error: Read-only file system (os error 30)", Owner.OPERATOR),
        (1, "Error: No space left on device", Owner.OPERATOR),
        (1, "Error: required MCP servers failed to initialize: memory", Owner.FIXTURE),
        (1, "Error: thread/resume: no rollout found", Owner.HOST),
        (101, "thread 'main' panicked at src/main.rs", Owner.HOST),
        (-11, "", Owner.HOST),
    ],
)
def test_embraion_8_1_row_12_a_program_that_never_began_a_turn_is_a_failed_host_and_somebodys(
    code: int, stderr: str, owner: Owner, tape: Any, normalize: Normalize
):
    found = ending(normalize(session(tape, [], Exited(code=code), stderr=stderr)))

    assert found == (Ending.HOST_FAILED, Cause.UNCLASSIFIED, owner)


def test_the_second_turn_decides_too(tape: Any, normalize: Normalize):
    session(tape, [*OPENED, ANSWER, USED], Exited(code=0))
    found = ending(normalize(session(tape, [*OPENED, FAILED], Exited(code=1), turn=2)))

    assert found == (Ending.HOST_FAILED, Cause.SERVER, Owner.MODEL)


def test_a_turn_that_was_sent_and_left_nothing_is_not_completed(tape: Any, normalize: Normalize):
    session(tape, [*OPENED, ANSWER, USED], Exited(code=0))
    found = ending(normalize(session(tape, [], turn=2)))

    assert found == (Ending.INVALID_EVENTS, None, Owner.HOST)


@pytest.mark.parametrize(
    ("message", "info", "cause"),
    [
        ("unexpected status 401 Unauthorized: x", None, Cause.AUTH),
        ("unexpected status 403 Forbidden: x", None, Cause.AUTH),
        ("Missing environment variable: `X`.", "other", Cause.AUTH),
        ("exceeded retry limit, last status: 429 Too Many Requests", None, Cause.RATE_LIMIT),
        ("x", {"response_too_many_failed_attempts": {"http_status_code": 429}}, Cause.RATE_LIMIT),
        ("stream disconnected before completion: Rate limit reached for requests", "other", Cause.RATE_LIMIT),
        ("Quota exceeded. Check your plan and billing details.", "usage_limit_exceeded", Cause.QUOTA),
        ("You've hit your usage limit.", None, Cause.QUOTA),
        ("Codex ran out of room in the model's context window.", None, Cause.CONTEXT),
        ("x", "context_window_exceeded", Cause.CONTEXT),
        ("We're currently experiencing high demand, which may cause temporary errors.", None, Cause.SERVER),
        ("unexpected status 503 Service Unavailable: x", None, Cause.SERVER),
        ("unexpected status 529 : Overloaded", None, Cause.SERVER),
        ("stream disconnected before completion: The model failed.", "other", Cause.SERVER),
        ("stream disconnected before completion: error sending request", "other", Cause.TRANSPORT),
        ("stream disconnected before completion: idle timeout waiting for SSE", None, Cause.TRANSPORT),
        (
            "Connection failed: error sending request",
            {"http_connection_failed": {"http_status_code": None}},
            Cause.TRANSPORT,
        ),
        ("Incomplete response returned, reason: content_filter", None, Cause.REFUSAL),
        ("Incomplete response returned, reason: max_output_tokens", None, Cause.CONTEXT),
        (
            "unexpected status 404 Not Found: x",
            {"http_connection_failed": {"http_status_code": 404}},
            Cause.UNCLASSIFIED,
        ),
        ("No more of it.", "session_budget_exceeded", Cause.QUOTA),
        ("This can't be done.", "cyber_policy", Cause.REFUSAL),
        ("Too often.", {"response_too_many_failed_attempts": {"http_status_code": None}}, Cause.SERVER),
        ("Too often.", {"response_too_many_failed_attempts": {"http_status_code": 429}}, Cause.RATE_LIMIT),
        ('{"error": {"message": "bad"}}', "other", Cause.UNCLASSIFIED),
        ("", {"odd": [1]}, Cause.UNCLASSIFIED),
        ("", {"a": 1, "b": 2}, Cause.UNCLASSIFIED),
    ],
)
def test_causes(message: str, info: object, cause: Cause):
    assert cause_of(message, info) is cause


@pytest.mark.parametrize(
    ("cause", "message", "info", "owner"),
    [
        (Cause.AUTH, "", None, Owner.OPERATOR),
        (Cause.UNCLASSIFIED, "unexpected status 404 Not Found: x", None, Owner.OPERATOR),
        (Cause.UNCLASSIFIED, "whatever the provider says", "model_not_found", Owner.OPERATOR),
        (Cause.UNCLASSIFIED, "The model `gpt-0` does not exist or you do not have access to it.", None, Owner.OPERATOR),
        (Cause.CONTEXT, "Incomplete response returned, reason: max_output_tokens", None, Owner.AGENT),
        (Cause.UNCLASSIFIED, "?", "other", Owner.HOST),
        (Cause.UNCLASSIFIED, "?", {"odd": [1]}, Owner.HOST),
    ],
)
def test_who_has_to_act(cause: Cause, message: str, info: object, owner: Owner):
    assert owner_of(cause, message, info) is owner
