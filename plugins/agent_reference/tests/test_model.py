"""What an endpoint may answer, and what becomes of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial_agent_reference import model
from skilltrial_agent_reference.model import Failure, Reply


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """The waits, in order, without waiting. The clock is the edge."""
    waited: list[float] = []
    monkeypatch.setattr("skilltrial_agent_reference.model.time.sleep", waited.append)
    return waited


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_failure_that_may_pass_is_asked_again(ask, endpoint, wire, status, waits):
    endpoint.answers += [(status, {}, {}), (status, {}, {})]
    endpoint.says(wire.say("At last."))

    outcome = ask(retries=2)

    assert outcome.answer == "At last."
    assert [event["cause"] for event in outcome.of("Retry")] == ["rate_limit" if status == 429 else "server"] * 2
    assert len(outcome.of("ModelRequested")) == 3
    assert waits == [0.5, 1.0]


def test_a_dropped_connection_is_asked_again(ask, endpoint, wire):
    endpoint.answers.append(None)
    endpoint.says(wire.say("At last."))

    outcome = ask()

    assert outcome.one("Retry")["cause"] == "transport"
    assert outcome.answer == "At last."


@pytest.mark.parametrize(
    ("status", "body", "cause"),
    [
        (401, {}, "auth"),
        (403, {}, "auth"),
        (402, {}, "quota"),
        (429, {"error": {"code": "insufficient_quota"}}, "quota"),
        (429, {"error": {"type": "rate_limit_error"}}, "rate_limit"),
        (400, {"error": {"code": "context_length_exceeded"}}, "context"),
        (413, {}, "context"),
        (404, {}, "unclassified"),
        (400, {"error": "text"}, "unclassified"),
        (302, {}, "unclassified"),
        (500, b"<html>", "server"),
        (200, b"<html>", "server"),
        (200, {}, "server"),
        (200, {"choices": []}, "server"),
        (200, b"[" * 100_000, "server"),
    ],
)
def test_each_failure_for_good_has_its_cause(ask, endpoint, status, body, cause):
    endpoint.answers += [(status, {}, body)] * 3

    outcome = ask(retries=2)

    assert not outcome.answered
    assert outcome.one("SessionEnded") == {"type": "SessionEnded", "ending": "host_failed", "cause": cause}
    assert not outcome.of("TurnEnded")


def test_an_endpoint_that_is_not_there_is_a_transport_failure(ask, endpoint):
    endpoint.url = "http://127.0.0.1:9/v1"

    assert ask(retries=1).one("SessionEnded")["cause"] == "transport"


@pytest.mark.parametrize(
    ("message", "finish", "cause"),
    [
        ({"content": None, "refusal": "No."}, "stop", "refusal"),
        ({"content": "x"}, "content_filter", "refusal"),
        ({"content": None}, "stop", "empty"),
        ({"content": "  \n"}, "stop", "empty"),
        ({"content": "", "tool_calls": []}, "stop", "empty"),
    ],
)
def test_a_refusal_and_an_empty_answer_are_no_answers(ask, endpoint, wire, message, finish, cause):
    endpoint.answers.append(wire.completion(message, finish=finish))

    outcome = ask()

    assert not outcome.answered
    assert outcome.one("SessionEnded")["cause"] == cause
    assert not outcome.of("Retry")


@pytest.mark.parametrize(
    ("asked", "waited"),
    [("3", 3.0), ("0", 0.0), ("9999", 60.0), ("nonsense", 0.5), ("-4", 0.5), ("1.5", 0.5)],
)
def test_a_retry_after_is_honoured_within_a_bound(ask, endpoint, wire, asked, waited, waits):
    endpoint.answers.append((429, {"retry-after": asked}, {}))
    endpoint.says(wire.say("Done."))

    ask()

    assert waits == [waited]


def test_a_retry_after_may_be_a_date():
    assert model.asked_wait({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 50.0) == 10.0
    assert model.asked_wait({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 90.0) == 0.0


_KEYS = st.sampled_from(
    [
        "choices",
        "message",
        "content",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "id",
        "usage",
        "prompt_tokens",
        "model",
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(_JSON)
def test_whatever_a_server_sends_is_a_reply_or_a_failure(value):
    assert isinstance(model.understood(value, None), Reply | Failure)
    assert isinstance(model.refused(500, value, None), Failure)


@given(st.integers(0, 40), st.none() | st.floats(-10, 1e9))
def test_no_wait_is_negative_or_endless(attempt, asked):
    assert 0 <= model.wait(attempt, asked) <= 60
