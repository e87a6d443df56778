"""A conversation: taken up turn by turn, its session log kept."""

from __future__ import annotations

import json

import pytest

from skilltrial.api import Exited, Finished, SessionStopped, Source

INIT = {"type": "system", "subtype": "init", "session_id": "s-1"}


def result(text: str = "Done.", **more: object) -> dict[str, object]:
    return {"type": "result", "subtype": "success", "is_error": False, "result": text, "session_id": "s-1", **more}


def test_later_turns_take_the_conversation_up(stage):
    with stage.open() as session:
        assert session.send("One") == "Done."
        stage.program.lines = [INIT, result("Again.")]
        assert session.send("Two") == "Again."

    first, second = stage.program.started
    assert "--resume" not in first.argv
    assert second.argv == (*first.argv, "--resume", "s-1")


def test_the_last_words_of_a_turn_are_the_answer(stage):
    stage.program.lines = [INIT, result("First."), INIT, result("Second."), "no JSON", "[]", '{"session_id": ']

    with stage.open() as session:
        assert session.send("One") == "Second."


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([INIT, result("API Error", is_error=True)], 0),
        ([INIT, result(subtype="error_max_turns")], 1),
        ([INIT, result()], 1),
        ([INIT, result()], None),
        ([INIT], 0),
        ([], 1),
    ],
)
def test_after_a_turn_that_did_not_end_well_there_is_no_next(lines, code, stage):
    stage.program.lines, stage.program.code = lines, code

    with stage.open() as session, pytest.raises(SessionStopped):
        session.send("One")


@pytest.mark.parametrize("id", ["--help", "a b", "../x", "", 7])
def test_a_conversation_id_is_never_an_option_or_a_path(id, stage):
    stage.program.lines = [{**INIT, "session_id": id}, {**result(), "session_id": id}]

    with stage.open() as session:
        session.send("One")
        with pytest.raises(SessionStopped):
            session.send("Two")

    assert len(stage.program.started) == 1


PROMPT = {"type": "user", "message": {"role": "user", "content": "Do it"}}


def kept(stage) -> list[object]:
    return [json.loads(record.raw) for record in stage.recorder.records if record.source is Source.SESSION_LOG]


def test_the_session_log_is_kept_as_far_as_it_says_more_than_the_stream(stage):
    told = [
        PROMPT,
        {"type": "attachment", "attachment": {"type": "file", "filename": "x"}},
        {"type": "attachment", "attachment": {"type": "instructions", "files": []}},
    ]
    stage.program.rows = [
        *told,
        {"type": "attachment", "attachment": {"type": "prompt_snapshot", "systemPrompt": "the program's own"}},
        {"type": "api-request", "params": {"messages": [{"type": "user"}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "again"}]}},
        {"type": "assistant", "message": {"content": []}},
    ]

    stage.command()

    assert kept(stage) == told


def test_each_turn_keeps_its_own_rows(stage):
    stage.program.rows = [PROMPT]
    with stage.open() as session:
        stage.recorder.turn = 1
        session.send("One")
        stage.recorder.turn = 2
        session.send("Two")

    assert [record.turn for record in stage.recorder.records if record.source is Source.SESSION_LOG] == [1, 2]


def test_a_session_log_that_is_a_link_is_not_followed(stage, tmp_path):
    secret = tmp_path / "secret.jsonl"
    secret.write_text(f"{json.dumps(PROMPT, separators=(',', ':'))}\n" * 9)

    stage.program.rows = [PROMPT]
    with stage.open() as session:
        session.send("One")
        before = len(kept(stage))
        log = next((stage.place.home / ".claude" / "projects").glob("*/s-1.jsonl"))
        log.unlink()
        log.symlink_to(secret)
        stage.program.run = lambda command, recorder, on_line: Finished(Exited(code=1))
        with pytest.raises(SessionStopped):
            session.send("Two")

    assert len(kept(stage)) == before


def test_a_state_that_can_not_be_written_starts_nothing(stage):
    """The program itself would go on without its state. The runner makes the operator the owner of an OSError."""
    (stage.place.home / ".claude").write_text("in the way")

    with pytest.raises(OSError, match=r"\.claude"):
        stage.command()

    assert stage.program.started == []
