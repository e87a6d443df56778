"""Several results in one turn, versions, lost and repeated calls, and EmbrAIon's plain session."""

from __future__ import annotations

import pytest

from skilltrial.api import (
    Cause,
    Ending,
    Notice,
    Offered,
    Owner,
    SkillStep,
    Spawned,
    Step,
    ToolError,
    ToolRequested,
    TurnEnded,
    Usage,
)

FAILED = Ending.HOST_FAILED


def test_the_last_of_several_results_counts(session, normalize):
    session.says()
    session.over("First.")
    session.init()
    session.says("again")
    session.over("Second.")
    session.end()

    events = normalize(session.records)

    assert events[-1].ending is Ending.COMPLETED
    assert [event.answer for event in events if isinstance(event, TurnEnded)] == ["Second."]


def test_a_wake_up_that_failed_is_a_failure(session, ending):
    session.says()
    session.over("First.")
    session.init()
    session.error("API Error: 500", api_error_status=500)
    session.over("API Error: 500", is_error=True, api_error_status=500)

    assert ending(1) == (FAILED, Cause.SERVER, Owner.MODEL)


def test_a_wake_up_with_nothing_to_add_leaves_the_answer(session, normalize):
    session.says()
    session.over("First.")
    session.init()
    session.says("again")
    session.over("")
    session.end()

    events = normalize(session.records)

    assert events[-1].ending is Ending.COMPLETED
    assert [event.answer for event in events if isinstance(event, TurnEnded)] == ["First."]


@pytest.mark.parametrize(
    "line",
    [
        {"type": "system", "subtype": "init", "session_id": "s-1"},
        {"type": "system", "subtype": "background_tasks_changed", "tasks": [{"task_id": "b"}]},
        {"type": "system", "subtype": "task_notification", "task_id": "b", "status": "completed"},
    ],
)
def test_what_was_begun_after_a_result_must_have_its_own(line, session, ending):
    session.says()
    session.over()
    session.out(line)

    assert ending() == (Ending.INVALID_EVENTS, None, Owner.HOST)


@pytest.mark.parametrize(("version", "notices"), [("2.1.332", 0), ("2.1.333", 1), ("3.0.0", 1), (None, 0)])
def test_a_version_without_recordings_is_a_note(version, notices, tape, normalize):
    tape.begin()
    tape.init(claude_code_version=version)
    tape.says()
    tape.over()
    tape.end()

    events = normalize(tape.records)

    assert len([event for event in events if isinstance(event, Notice)]) == notices
    assert events[-1].ending is Ending.COMPLETED


def test_a_call_without_a_result_is_told_as_lost(session, normalize):
    session.call("t1", "Bash", command="sleep 99")
    session.end(-9)
    session.note(Spawned(argv=("claude",)))

    events = normalize(session.records)

    assert [event.call for event in events if isinstance(event, ToolRequested)] == ["t1"]
    assert [event.call for event in events if isinstance(event, ToolError)] == ["t1"]


def test_a_call_that_a_new_stream_repeats_is_one_call(session, normalize):
    session.call("t1", "Bash", command="ls")
    session.call("t1", "Bash", command="ls")

    assert len([event for event in normalize(session.records) if isinstance(event, ToolRequested)]) == 1


def test_embraion_12_tokens_calls_and_pass_of_a_plain_session(tape, normalize):
    """embraion.md 6, entry 12: tokens 5, 3 and 40, one call."""
    tape.begin()
    tape.init()
    tape.call("t1", "Read", file_path="/place/a.txt")
    tape.result("t1")
    tape.says()
    usage = {"input_tokens": 5, "output_tokens": 3, "cache_read_input_tokens": 40}
    tape.over(usage=usage)
    tape.end()

    events = normalize(tape.records)

    assert [(e.input, e.output, e.cached, e.cost) for e in events if isinstance(e, Usage)] == [(5, 3, 40, None)]
    assert len([event for event in events if isinstance(event, ToolRequested)]) == 1
    assert events[-1].ending is Ending.COMPLETED


def test_embraion_15_a_read_of_another_skill_is_a_call_and_no_read(tape, normalize):
    """embraion.md 6, entry 15: two calls, one of them reads the suite's skill; nothing is missing of the usage."""
    body = "---\nname: invoice-format\ndescription: Rules.\n---\nThe rule.\n"
    tape.place(body)
    tape.begin()
    tape.init()
    for number, skill in enumerate(("invoice-format", "other"), 1):
        path = f"/place/.claude/skills/{skill}/SKILL.md"
        told = {"filePath": path, "content": body, "numLines": 5, "startLine": 1, "totalLines": 5}
        tape.call(f"t{number}", "Read", file_path=path)
        tape.result(f"t{number}", "1\ttext", tool_use_result={"type": "text", "file": told})
    tape.says()
    tape.over(usage={"input_tokens": 5, "output_tokens": 3, "cache_read_input_tokens": 40})
    tape.end()

    events = normalize(tape.records)

    assert [event.call for event in events if isinstance(event, ToolRequested)] == ["t1", "t2"]
    steps = [(event.skill, event.step) for event in events if isinstance(event, SkillStep)]
    assert steps == [("invoice-format", Step.REQUESTED), ("invoice-format", Step.READ)]
    assert [(event.input, event.output) for event in events if isinstance(event, Usage)] == [(5, 3)]


def test_embraion_13_an_error_result_with_exit_1_is_host_failed(session, ending):
    session.over("It broke.", is_error=True)

    assert ending(1)[0] is FAILED


def test_a_skill_with_two_names_is_offered_by_its_id(tape, normalize):
    tape.place()
    tape.begin()
    tape.init(skills=["invoice-format (House rules)", "doctor", 7])

    events = normalize(tape.records)

    assert [event.skills for event in events if isinstance(event, Offered)] == [("invoice-format", "doctor")]
    assert [(event.skill, event.step) for event in events if isinstance(event, SkillStep)] == [
        ("invoice-format", Step.OFFERED)
    ]


def test_an_error_is_no_answer(session, normalize):
    session.says()
    session.over("API Error: 500", is_error=True, api_error_status=500)
    session.end(1)

    assert not [event for event in normalize(session.records) if isinstance(event, TurnEnded)]


def test_a_resumed_conversation_has_its_shell_in_the_project_again(session, normalize):
    session.place("body\n")
    session.call("t1", "Bash", command="cd /etc")
    session.result("t1")
    session.says()
    session.over()
    session.end()
    session.begin(2)
    session.init()
    session.call("t2", "Bash", command="cat .claude/skills/invoice-format/SKILL.md")
    session.result("t2", "body")

    steps = [(event.turn, event.step) for event in normalize(session.records) if isinstance(event, SkillStep)]
    assert steps == [(2, Step.REQUESTED), (2, Step.READ)]
