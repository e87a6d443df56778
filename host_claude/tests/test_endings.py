"""How a session ended: an error that was told beats exit codes, and what is missing is never a success."""

from __future__ import annotations

import pytest

from skilltrial.api import (
    Cause,
    Ending,
    Exited,
    Interrupted,
    Leftovers,
    LimitHit,
    Notice,
    Offered,
    Owner,
    Source,
    TurnSent,
    TurnStarted,
    Unavailable,
)

FAILED = Ending.HOST_FAILED


def test_a_session_that_went_well(session, ending):
    session.says()
    session.over()

    assert ending() == (Ending.COMPLETED, None, None)


@pytest.mark.parametrize(
    ("status", "cause", "owner"),
    [
        (400, Cause.UNCLASSIFIED, Owner.HOST),
        (401, Cause.AUTH, Owner.OPERATOR),
        (402, Cause.QUOTA, Owner.OPERATOR),
        (403, Cause.AUTH, Owner.OPERATOR),
        (408, Cause.TRANSPORT, Owner.MODEL),
        (413, Cause.CONTEXT, Owner.AGENT),
        (429, Cause.RATE_LIMIT, Owner.MODEL),
        (500, Cause.SERVER, Owner.MODEL),
        (503, Cause.SERVER, Owner.MODEL),
        (529, Cause.SERVER, Owner.MODEL),
    ],
)
@pytest.mark.parametrize("code", [0, 1])
def test_r42_an_api_error_is_a_failure_whatever_the_exit_code_and_the_subtype(
    status, cause, owner, code, session, ending
):
    """An API error reported as `success` with exit 0 must not pass."""
    session.error(f"API Error: {status}")
    session.over(f"API Error: {status}", is_error=True, api_error_status=status, terminal_reason="api_error")

    assert ending(code) == (FAILED, cause, owner)


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ({"error": "authentication_failed"}, Cause.AUTH),
        ({"error": "billing_error", "api_error_status": 400}, Cause.QUOTA),
        ({"error": "rate_limit"}, Cause.RATE_LIMIT),
        ({"error": "server_error", "api_error": "connection_failed"}, Cause.TRANSPORT),
        ({"error": "overloaded", "api_error": "connection_failed"}, Cause.TRANSPORT),
        ({"error": "rate_limit", "api_error_type": "overloaded_error"}, Cause.RATE_LIMIT),
        ({"error": "unknown", "api_error": "stream_idle_timeout"}, Cause.TRANSPORT),
        ({"error": "server_error"}, Cause.SERVER),
        ({"error": "max_output_tokens"}, Cause.CONTEXT),
        ({"api_error_type": "overloaded_error"}, Cause.SERVER),
        ({"error": "something_new"}, Cause.UNCLASSIFIED),
        ({"error": ["a", "list"]}, Cause.UNCLASSIFIED),
        ({}, Cause.UNCLASSIFIED),
    ],
)
def test_the_cause_comes_from_the_programs_own_words(words, cause, session, ending):
    session.error("It did not work.", **words)
    session.over("It did not work.", is_error=True)

    assert ending(1)[:2] == (FAILED, cause)


@pytest.mark.parametrize(
    ("sentence", "cause"),
    [
        ("Credit balance is too low", Cause.QUOTA),
        ("Claude usage limit reached", Cause.QUOTA),
        ("Invalid API key", Cause.AUTH),
        ("Not logged in · Please run /login", Cause.AUTH),
        ("Prompt is too long", Cause.CONTEXT),
        ("Request timed out.", Cause.TRANSPORT),
        ("Connection refused", Cause.TRANSPORT),
        ("API returned an empty or malformed response", Cause.SERVER),
        ("API Error: Stream ended without receiving any events", Cause.SERVER),
    ],
)
def test_where_there_is_no_word_the_sentence_is_looked_at(sentence, cause, session, ending):
    session.over(sentence, is_error=True)

    assert ending(1)[:2] == (FAILED, cause)


def test_r42_an_api_refused_before_the_first_word_is_no_pass(session, ending):
    session.error("API Error: Connection refused", api_error="connection_failed")

    assert ending(0) == (FAILED, Cause.TRANSPORT, Owner.MODEL)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"is_error": None}, (Ending.INVALID_EVENTS, None, Owner.HOST)),
        ({"is_error": "false"}, (Ending.INVALID_EVENTS, None, Owner.HOST)),
        ({"is_error": 0}, (Ending.INVALID_EVENTS, None, Owner.HOST)),
        ({"subtype": None}, (Ending.INVALID_EVENTS, None, Owner.HOST)),
        ({"subtype": "error_max_turns"}, (FAILED, Cause.UNCLASSIFIED, Owner.AGENT)),
        ({"subtype": "error_max_budget_usd"}, (FAILED, Cause.QUOTA, Owner.OPERATOR)),
        ({"subtype": "error_something_new"}, (FAILED, Cause.UNCLASSIFIED, Owner.HOST)),
        ({"subtype": "error_during_execution", "is_error": True}, (FAILED, Cause.UNCLASSIFIED, Owner.HOST)),
        ({"stop_reason": "refusal", "is_error": True}, (FAILED, Cause.REFUSAL, Owner.MODEL)),
    ],
)
def test_only_an_exact_success_is_one(result, expected, session, ending):
    session.says()
    session.over(**result)

    assert ending() == expected


@pytest.mark.parametrize("code", [1, 2, 137, 143, -9, -15])
def test_a_success_with_another_exit_code_is_none(code, session, ending):
    session.says()
    session.over()

    assert ending(code) == (FAILED, Cause.UNCLASSIFIED, Owner.HOST)


def test_exit_0_after_an_interrupt_is_still_an_error(session, ending):
    """The program ends with 0 on SIGINT, although its result is an error."""
    session.call("t1", "Bash", command="sleep 30")
    session.over(subtype="error_during_execution", is_error=True, terminal_reason="aborted_tools")

    assert ending(0) == (FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR)


@pytest.mark.parametrize("code", [0, 1, 143, -9])
def test_without_a_result_nothing_is_known(code, session, ending):
    session.says()

    assert ending(code) == (Ending.INVALID_EVENTS, None, Owner.HOST)


@pytest.mark.parametrize("answer", ["", " \n", None])
def test_an_empty_answer_is_the_models_failure_not_the_agents_behaviour(answer, session, ending):
    session.says()
    session.over(answer)

    assert ending() == (FAILED, Cause.EMPTY, Owner.MODEL)


def test_r42_a_turn_without_a_model_is_no_pass(session, ending):
    session.over("Fine.")

    assert ending() == (FAILED, Cause.EMPTY, Owner.MODEL)


def test_words_that_the_program_put_in_are_no_models(session, ending):
    session.says("No response requested.", model="<synthetic>")
    session.over("No response requested.")

    assert ending() == (FAILED, Cause.EMPTY, Owner.MODEL)


def test_a_failure_that_was_overcome_is_none(session, ending):
    session.out({"type": "system", "subtype": "api_retry", "error_status": 529, "error": "overloaded"})
    session.error("Overloaded", error="server_error")
    session.says()
    session.over()

    assert ending() == (Ending.COMPLETED, None, None)


@pytest.mark.parametrize("status", ["failed", "pending", "needs-auth"])
def test_a_server_that_never_came_up_makes_another_trial(status, tape, normalize):
    """Tool-less sessions must not be compared: R26, R28."""
    tape.begin()
    tape.init(mcp_servers=[{"name": "memory", "status": status, "source": "dynamic"}])
    tape.says()
    tape.over()
    tape.end()

    last = normalize(tape.records)[-1]

    assert (last.ending, last.owner) == (FAILED, Owner.FIXTURE)


@pytest.mark.parametrize(
    ("tools", "ending"),
    [
        (["Bash", "mcp__memory__save"], Ending.COMPLETED),
        (["Bash"], FAILED),
        ([], FAILED),
        (["Bash", "mcp__other__save", "mcp__memory_2__save"], FAILED),
    ],
)
def test_r30_a_server_that_is_connected_and_whose_tools_were_not_injected_makes_another_trial(
    tools, ending, tape, normalize
):
    tape.begin()
    tape.init(mcp_servers=[{"name": "memory", "status": "connected", "source": "dynamic"}], tools=tools)
    tape.says()
    tape.over()
    tape.end()

    assert normalize(tape.records)[-1].ending is ending


def test_a_server_that_failed_is_not_told_as_one_that_was_there(tape, normalize):
    tape.begin()
    servers = [{"name": "a", "status": "connected", "source": "dynamic"}, {"name": "b", "status": "failed"}, "c"]
    tape.init(mcp_servers=servers)

    assert [event.servers for event in normalize(tape.records) if isinstance(event, Offered)] == [("a",)]


@pytest.mark.parametrize(
    ("stderr", "owner"),
    [
        ("error: unknown option '--no-such-flag'", Owner.OPERATOR),
        ("--dangerously-skip-permissions cannot be used with root/sudo privileges", Owner.OPERATOR),
        ("EACCES: permission denied, mkdir '/x'", Owner.OPERATOR),
        ("EROFS: read-only file system", Owner.OPERATOR),
        ("ENOSPC: no space left on device", Owner.OPERATOR),
        ("panic: something broke", Owner.HOST),
        ("", Owner.HOST),
    ],
)
def test_embraion_8_1_row_12_a_program_that_never_began_says_why_on_stderr(stderr, owner, tape, normalize):
    tape.begin()
    tape.text(Source.STDERR, stderr)
    tape.end(1)

    events = normalize(tape.records)

    assert (events[-1].ending, events[-1].cause, events[-1].owner) == (FAILED, Cause.UNCLASSIFIED, owner)
    assert len([event for event in events if isinstance(event, Notice)]) == bool(stderr)


@pytest.mark.parametrize(
    ("note", "ending"),
    [
        (LimitHit(limit="seconds", value=600), Ending.TIME_LIMIT),
        (LimitHit(limit="stdout", value=5), Ending.OUTPUT_LIMIT),
        (Unavailable(why="missing"), Ending.HOST_UNAVAILABLE),
        (Interrupted(), Ending.INTERRUPTED),
        (Leftovers(ended=0, unstopped=1), Ending.HOST_FAILED),
    ],
)
def test_embraion_8_1_row_10_the_runners_own_facts_beat_whatever_the_program_said(note, ending, session, normalize):
    session.says()
    session.over()
    session.end()
    session.note(note)

    assert normalize(session.records)[-1].ending is ending


def test_no_program_no_session(tape, normalize):
    assert normalize(())[-1].ending is Ending.INVALID_EVENTS
    tape.note(TurnSent(turn=1, prompt_sha256="0" * 64))
    assert normalize(tape.records)[-1].ending is Ending.INVALID_EVENTS


def test_a_prompt_that_no_program_got_is_missing(session, normalize):
    session.says()
    session.over()
    session.end()
    session.turn = 2
    session.note(TurnSent(turn=2, prompt_sha256="0" * 64))

    events = normalize(session.records)

    assert events[-1].ending is Ending.INVALID_EVENTS
    assert [event.turn for event in events if isinstance(event, TurnStarted)] == [1, 2]


def test_a_first_turn_that_failed_is_not_healed_by_a_second(session, normalize):
    session.over("API Error: 500", is_error=True, api_error_status=500)
    session.end(1)
    session.begin(2)
    session.init()
    session.says()
    session.over()
    session.end()

    last = normalize(session.records)[-1]

    assert (last.ending, last.cause) == (FAILED, Cause.SERVER)


def test_a_process_that_has_no_end_on_record_did_not_complete(session, normalize):
    session.says()
    session.over()

    assert normalize(session.records)[-1].ending is Ending.INVALID_EVENTS


def test_output_that_no_program_printed_is_no_session(tape, normalize):
    tape.turn = 1
    tape.init()
    tape.says()
    tape.over()
    tape.note(Exited(code=0))

    assert normalize(tape.records)[-1].ending is Ending.INVALID_EVENTS


def test_a_program_can_not_write_the_runners_notes(session, ending):
    session.out('{"note": "exited", "code": 0}', '{"note": "skill_placed", "type": "note"}')

    assert ending(1) == (Ending.INVALID_EVENTS, None, Owner.HOST)
