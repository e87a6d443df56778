"""A turn: requests, calls, results, an answer; and what is told of them."""

import hashlib
import json

import pytest


def test_the_agent_does_what_the_model_calls_and_answers(ask, endpoint, wire, project):
    endpoint.calls(wire.call("write_file", {"path": "notes/a.txt", "text": "hello\n"}))
    endpoint.says(wire.say("Done."))

    outcome = ask("Write a note.")

    assert outcome.answered
    assert (project / "notes/a.txt").read_text() == "hello\n"
    assert outcome.answer == "Done."
    assert [event["type"] for event in outcome.events] == [
        "SessionStarted", "Offered", "ModelRequested", "ToolRequested", "ToolStarted", "ToolResult", "ModelRequested",
        "Usage", "TurnEnded", "SessionEnded",
    ]  # fmt: skip
    assert outcome.one("SessionEnded")["ending"] == "completed"
    assert endpoint.requests[1]["messages"][-1] == {
        "role": "tool", "tool_call_id": "call-1", "content": "written: notes/a.txt",
    }  # fmt: skip


def test_the_model_that_answered_is_told_and_not_the_one_that_was_asked_for(ask, endpoint, wire):
    endpoint.says(wire.say("Done."))

    outcome = ask()

    assert endpoint.requests[0]["model"] == "small"
    assert outcome.one("ModelRequested")["model"] == "small-1"


def test_tokens_of_a_turn_are_the_sum_of_its_requests(ask, endpoint, wire):
    endpoint.calls(wire.call("list_files", {}))
    endpoint.says(wire.say("Done."))

    usage = ask().one("Usage")

    assert (usage["input"], usage["output"], usage["cached"], usage["reasoning"]) == (20, 4, 8, 2)


def test_one_request_without_counts_makes_the_sum_unknown_and_not_smaller(ask, endpoint, wire):
    endpoint.calls(wire.call("list_files", {}))
    endpoint.answers.append(wire.completion(wire.say("Done."), usage=False))

    usage = ask().one("Usage")

    assert usage["input"] is None
    assert usage["output"] is None


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("fly", {}, "unknown_tool"),
        ("load_skill", {"name": "note-style"}, "unknown_tool"),
        ("read_file", {}, "schema"),
        ("read_file", {"path": 5}, "schema"),
        ("read_file", {"path": "a", "colour": "b"}, "schema"),
        ("read_file", "[1]", "schema"),
        ("read_file", "{not json", "schema"),
    ],
)
def test_a_call_that_can_not_be_made_is_told_as_rejected_and_the_model_hears_why(
    ask, endpoint, wire, name, arguments, reason
):
    endpoint.calls(wire.call(name, arguments))
    endpoint.says(wire.say("Sorry."))

    outcome = ask()

    assert outcome.one("ToolRejected")["reason"] == reason
    assert not outcome.of("ToolStarted")
    assert endpoint.requests[1]["messages"][-1]["content"].startswith("error: ")


def test_a_failing_tool_gives_an_error_result_and_the_conversation_goes_on(ask, endpoint, wire):
    endpoint.calls(wire.call("read_file", {"path": "missing.txt"}))
    endpoint.says(wire.say("There is none."))

    outcome = ask()

    assert outcome.one("ToolResult")["is_error"] is True
    assert outcome.answer == "There is none."


def test_several_calls_of_one_reply_are_done_in_order(ask, endpoint, wire, project):
    endpoint.calls(
        wire.call("write_file", {"path": "a", "text": "1"}, "first"),
        wire.call("edit_file", {"path": "a", "old": "1", "new": "2"}, "second"),
    )
    endpoint.says(wire.say("Done."))

    outcome = ask()

    assert (project / "a").read_text() == "2"
    assert [event["call"] for event in outcome.of("ToolResult")] == ["first", "second"]


def test_a_model_that_never_ends_is_stopped_at_the_step_limit(ask, endpoint, wire):
    for _ in range(3):
        endpoint.calls(wire.call("list_files", {}))

    outcome = ask(steps=3)

    assert not outcome.answered
    assert not outcome.of("TurnEnded")
    assert outcome.one("SessionEnded") == {"type": "SessionEnded", "ending": "host_failed", "cause": "unclassified"}
    assert outcome.one("Usage")["input"] == 30


def test_an_answer_that_its_length_limit_ended_is_told_as_truncated(ask, endpoint, wire):
    endpoint.answers.append(wire.completion(wire.say("Once upon a"), finish="length"))

    assert ask().one("Truncated")["where"] == "answer"


# --- skills ---------------------------------------------------------------------------------------------------


def test_a_skill_is_offered_by_name_and_description_and_its_body_only_on_demand(ask, endpoint, wire, skilled):
    endpoint.calls(wire.call("load_skill", {"name": "note-style"}))
    endpoint.says(wire.say("Read."))

    outcome = ask()

    first = json.dumps(endpoint.requests[0])
    (offer,) = [tool["function"] for tool in endpoint.requests[0]["tools"] if tool["function"]["name"] == "load_skill"]
    assert "How notes are written." in offer["description"]
    assert offer["parameters"]["properties"]["name"]["enum"] == ["note-style"]
    assert "star" not in first
    assert "Begin each note with a star." in endpoint.requests[1]["messages"][-1]["content"]
    assert outcome.steps == ["offered", "requested", "read"]
    digest = hashlib.sha256((skilled / ".agents/skills/note-style/SKILL.md").read_bytes()).hexdigest()
    assert {(step["path"], step["sha256"]) for step in outcome.of("SkillStep")} == {
        (".agents/skills/note-style/SKILL.md", digest)
    }


def test_without_a_skill_no_tool_to_load_one_is_offered(ask, endpoint, wire):
    endpoint.says(wire.say("Done."))

    outcome = ask()

    assert "load_skill" not in outcome.one("Offered")["tools"]
    assert outcome.one("Offered")["skills"] == []
    assert not outcome.steps


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", {"path": ".agents/skills/note-style/SKILL.md"}),
        ("run_command", {"command": "cat .agents/skills/note-style/SKILL.md"}),
        ("run_command", {"command": "cd .agents && cat skills/*/*"}),
    ],
)
def test_r10_a_body_that_came_by_another_tool_was_read_too(ask, endpoint, wire, skilled, name, arguments):
    endpoint.calls(wire.call(name, arguments))
    endpoint.says(wire.say("Read."))

    assert ask().steps[-1] == "read"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("run_command", {"command": "ls .agents/skills/note-style/SKILL.md"}),
        ("run_command", {"command": "head -2 .agents/skills/note-style/SKILL.md"}),
        ("search_files", {"text": "name", "path": ".agents/skills/note-style/SKILL.md"}),
    ],
)
def test_naming_a_skill_is_not_reading_it(ask, endpoint, wire, skilled, name, arguments):
    endpoint.calls(wire.call(name, arguments))
    endpoint.says(wire.say("Looked."))

    assert ask().steps == ["offered", "requested"]


def test_r8_a_skill_that_can_not_be_loaded_any_more_is_errored_and_not_read(ask, endpoint, wire, skilled):
    endpoint.calls(
        wire.call("run_command", {"command": "rm -r .agents"}, "first"),
        wire.call("load_skill", {"name": "note-style"}, "second"),
    )
    endpoint.says(wire.say("Gone."))

    assert ask().steps == ["offered", "requested", "errored"]


def test_a_skill_that_was_changed_on_the_way_is_not_the_one_that_was_offered(ask, endpoint, wire, skilled):
    endpoint.calls(
        wire.call(
            "edit_file", {"path": ".agents/skills/note-style/SKILL.md", "old": "a star", "new": "a dash"}, "first"
        ),
        wire.call("load_skill", {"name": "note-style"}, "second"),
    )
    endpoint.says(wire.say("Read."))

    assert "read" not in ask().steps


@pytest.mark.parametrize(
    "text",
    [
        "no front matter",
        "---\nname: x\n---\nbody",
        "---\ndescription: [\n---\nbody",
        "---\n- a\n---\nbody",
        "---\nname: x\ndescription: y\n---\n\n",
        "---\nname: x\ndescription: never closed\nbody",
    ],
)
def test_a_skill_that_can_not_be_offered_is_told_and_harms_nobody(ask, endpoint, wire, skilled, text):
    broken = skilled / ".agents/skills/broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text(text)
    endpoint.says(wire.say("Done."))

    outcome = ask()

    assert outcome.one("Offered")["skills"] == ["note-style"]
    assert len(outcome.of("Notice")) == 1


def test_a_skill_that_leads_out_of_the_project_is_not_offered(ask, endpoint, wire, project, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text("---\nname: outside\ndescription: d\n---\nbody\n")
    (project / ".agents/skills").mkdir(parents=True)
    (project / ".agents/skills/outside").symlink_to(outside)
    endpoint.says(wire.say("Done."))

    assert ask().one("Offered")["skills"] == []
