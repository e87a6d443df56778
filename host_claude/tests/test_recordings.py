"""What really happened in each recorded session, and what the normalizer makes of it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import (
    Cause,
    Ending,
    ModelRequested,
    Offered,
    Owner,
    PermissionDecided,
    Retry,
    SessionEnded,
    SessionStarted,
    SkillStep,
    ToolError,
    ToolRejected,
    ToolRequested,
    ToolResult,
    Truncated,
    TurnEnded,
    Unrecognized,
    Usage,
)

ALL = sorted(path.parent.name for path in (Path(__file__).parent / "recordings").glob("*/runs.json"))
COMPLETED = (Ending.COMPLETED, None, None)
ENDINGS: dict[str, tuple[Ending, Cause | None, Owner | None]] = {
    "badflag": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR),
    "broken_off": (Ending.HOST_FAILED, Cause.SERVER, Owner.MODEL),
    "broken_off_late": (Ending.HOST_FAILED, Cause.SERVER, Owner.MODEL),
    "budget": (Ending.HOST_FAILED, Cause.QUOTA, Owner.OPERATOR),
    "close_before": (Ending.HOST_FAILED, Cause.TRANSPORT, Owner.MODEL),
    "close_mid_nofallback": (Ending.HOST_FAILED, Cause.TRANSPORT, Owner.MODEL),
    "credit": (Ending.HOST_FAILED, Cause.QUOTA, Owner.OPERATOR),
    "edit_bypass": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR),
    "edit_skip_root": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR),
    "empty": (Ending.HOST_FAILED, Cause.EMPTY, Owner.MODEL),
    "empty_after_tool": (Ending.HOST_FAILED, Cause.EMPTY, Owner.MODEL),
    "err400": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST),
    "err401": (Ending.HOST_FAILED, Cause.AUTH, Owner.OPERATOR),
    "err403": (Ending.HOST_FAILED, Cause.AUTH, Owner.OPERATOR),
    "err404": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR),
    "err429": (Ending.HOST_FAILED, Cause.RATE_LIMIT, Owner.MODEL),
    "err429_default": (Ending.TIME_LIMIT, None, Owner.AGENT),
    "err429_retryafter": (Ending.HOST_FAILED, Cause.RATE_LIMIT, Owner.MODEL),
    "err500": (Ending.HOST_FAILED, Cause.SERVER, Owner.MODEL),
    "err529": (Ending.HOST_FAILED, Cause.SERVER, Owner.MODEL),
    "garbage": (Ending.HOST_FAILED, Cause.SERVER, Owner.MODEL),
    "hang": (Ending.HOST_FAILED, Cause.TRANSPORT, Owner.MODEL),
    "json_output": (Ending.INVALID_EVENTS, None, Owner.HOST),
    "kill_resume": (Ending.INVALID_EVENTS, None, Owner.HOST),
    "local_command": (Ending.HOST_FAILED, Cause.EMPTY, Owner.OPERATOR),
    "max_tokens": (Ending.HOST_FAILED, Cause.CONTEXT, Owner.AGENT),
    "max_turns": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.AGENT),
    "mcp_stdio": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.FIXTURE),
    "no_prompt": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR),
    "nokey": (Ending.HOST_FAILED, Cause.AUTH, Owner.OPERATOR),
    "orphan_kill": (Ending.INVALID_EVENTS, None, Owner.HOST),
    "orphan_term": (Ending.INVALID_EVENTS, None, Owner.HOST),
    "refusal": (Ending.HOST_FAILED, Cause.REFUSAL, Owner.MODEL),
    "refused": (Ending.HOST_FAILED, Cause.TRANSPORT, Owner.MODEL),
    "resume": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST),
    "sigint": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR),
    "sigkill": (Ending.INVALID_EVENTS, None, Owner.HOST),
    "sigterm": (Ending.INVALID_EVENTS, None, Owner.HOST),
    "stall": (Ending.TIME_LIMIT, None, Owner.AGENT),
    "state_unwritable": (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR),
    "stall_watchdog": (Ending.HOST_FAILED, Cause.TRANSPORT, Owner.MODEL),
    "text_output": (Ending.INVALID_EVENTS, None, Owner.HOST),
    "toolong": (Ending.HOST_FAILED, Cause.CONTEXT, Owner.AGENT),
}
"""All others completed."""

each_recording = pytest.mark.parametrize("name", ALL)


@each_recording
def test_a_session_ends_as_it_really_did(name, recorded, normalize):
    events = normalize(recorded(name))

    ends = [event for event in events if isinstance(event, SessionEnded)]
    assert ends == [events[-1]]
    assert (ends[0].ending, ends[0].cause, ends[0].owner) == ENDINGS.get(name, COMPLETED)


@each_recording
def test_everything_in_a_recording_is_known(name, recorded, normalize):
    unknown = [event for event in normalize(recorded(name)) if isinstance(event, Unrecognized)]

    # The other two output formats are no event stream.
    assert bool(unknown) == (name in ("json_output", "text_output"))


def scripted_calls(folder: Path) -> list[tuple[str, str | None, Any]]:
    """The calls that the model was told to make, as this program spells them."""
    turns = json.loads((folder / "script.json").read_text("utf-8"))["turns"]
    return [_spelled(call) for turn in turns for step in turn["steps"] for call in step.get("calls", ())]


def _spelled(call: dict[str, Any]) -> tuple[str, str | None, Any]:
    def full(path):
        return f"{{RUN}}/proj/{path}".replace("{RUN}", "/place")

    match call.get("do"):
        case "skill":
            return "Skill", None, {"skill": call["id"]}
        case "mcp":
            return call["tool"], call["server"], call["args"]
        case "write":
            return "Write", None, {"file_path": full(call["path"]), "content": call["text"]}
        case "read":
            return "Read", None, {"file_path": full(call["path"])}
        case "edit":
            changes = {"old_string": call["old"], "new_string": call["new"]}
            return "Edit", None, {"file_path": full(call["path"]), **changes}
        case "shell":
            return "Bash", None, {"command": call["cmd"], "description": "Run a command"}
        case _:
            name = call["name"]
            _, server, tool = name.split("__", 2) if name.startswith("mcp__") else ("", None, name)
            return tool, server, json.loads(json.dumps(call.get("args")).replace("{RUN}", "/place"))


NOT_AS_SCRIPTED: dict[str, list[tuple[str, str | None, Any]]] = {
    # Three of its processes were asked the same.
    "resume": [("Bash", None, {"command": "echo checking"})] * 3,
    # The last step is repeated until the limit of turns.
    "max_turns": [("Bash", None, {"command": "echo 1"})] * 2,
    # It takes a path in the project as it is.
    "broken_off_late": [("Write", None, {"file_path": "made.txt", "content": "x"})],
    # These never came to a request, or their stream was cut before the call.
    **{name: [] for name in ("badflag", "edit_bypass", "edit_skip_root", "json_output", "text_output", "stall")},
}


@each_recording
def test_the_calls_are_those_that_the_model_was_told_to_make(name, recorded, recordings, normalize):
    expected = NOT_AS_SCRIPTED.get(name, scripted_calls(recordings / name))

    events = normalize(recorded(name))

    asked = [event for event in events if isinstance(event, ToolRequested)]
    seen = [(event.tool, event.server, _without_defaults(event)) for event in asked]
    assert _comparable(seen) == _comparable(expected)
    assert len({event.call for event in asked}) == len(asked)


def _without_defaults(event: ToolRequested) -> Any:
    """The program adds a default to the input of an edit, and wraps what is no JSON."""
    if not isinstance(event.input, dict) or "__unparsedToolInput" in event.input:
        return None
    return {key: value for key, value in event.input.items() if key != "replace_all"}


def _comparable(calls: list[tuple[str, str | None, Any]]) -> list[str]:
    """Long texts were cut in both, at their own lengths; calls of subagents come in between."""
    return sorted(json.dumps(call, sort_keys=True)[:250] for call in calls)


@each_recording
def test_each_call_has_one_outcome(name, recorded, normalize):
    events = normalize(recorded(name))

    asked = [event.call for event in events if isinstance(event, ToolRequested)]
    ended = [event.call for event in events if isinstance(event, ToolResult | ToolRejected | ToolError)]
    assert sorted(asked) == sorted(ended)


@pytest.mark.parametrize("name", ["matrix", "mcp", "mcp_legacy", "mcp_notoolsearch"])
def test_the_server_received_what_the_model_asked_for(name, recorded, recordings, normalize):
    wire = [json.loads(line) for line in (recordings / name / "wire.jsonl").read_text("utf-8").splitlines()]

    events = normalize(recorded(name))

    asked = {event.call: event for event in events if isinstance(event, ToolRequested) and event.server}
    results = {event.call: event for event in events if isinstance(event, ToolResult)}
    assert wire
    for received in wire:
        call = asked[received["call"]]
        assert (call.tool, call.server, call.input) == (received["tool"], "orders", received["arguments"])
        result = (received["response"] or {}).get("result", {"isError": True})
        assert results[call.call].is_error == result["isError"]
        if not result["isError"] and "exceeds maximum" not in json.dumps(results[call.call].content):
            text = result["content"][0]["text"]
            assert _squashed(text) in _squashed(json.dumps(results[call.call].content))


def _squashed(text: str) -> str:
    return "".join(text.replace("\\n", "").replace("\\", "").split())


REJECTIONS = {
    "bad_calls": ["unknown_tool", "schema", "schema"],
    "edit_accept": ["permission"],
    "edit_default": ["permission", "permission"],
    "mcp": ["unknown_tool"],
    "outside": ["permission"] * 3,
    "skill_denied": ["permission"],
    "skill_edit_denied": ["permission"],
    "skill_spellings": ["schema"],
}


@each_recording
def test_what_was_not_carried_out_says_why(name, recorded, normalize):
    events = normalize(recorded(name))

    assert [event.reason for event in events if isinstance(event, ToolRejected)] == REJECTIONS.get(name, [])


@each_recording
def test_each_denied_call_is_told_once(name, recorded, normalize):
    events = normalize(recorded(name))

    denied = [event for event in events if isinstance(event, PermissionDecided) and event.decision == "denied"]
    rejected = [event for event in events if isinstance(event, ToolRejected) and event.reason == "permission"]
    assert [event.call for event in denied] == [event.call for event in rejected]
    assert all(event.tool for event in denied)


RETRIES = {
    "close_before": [Cause.TRANSPORT] * 2,
    "close_mid_nofallback": [Cause.TRANSPORT] * 2,
    "close_mid_then_ok": [Cause.TRANSPORT],
    "err401": [Cause.AUTH] * 2,
    "err429": [Cause.RATE_LIMIT] * 2,
    "err429_default": [Cause.RATE_LIMIT] * 6,
    "err429_retryafter": [Cause.RATE_LIMIT] * 2,
    "err500": [Cause.SERVER] * 2,
    "err500_then_ok": [Cause.SERVER] * 2,
    "err529": [Cause.SERVER] * 2,
    "hang": [Cause.TRANSPORT] * 2,
    "refused": [Cause.TRANSPORT] * 2,
}


@each_recording
def test_retries_are_told_with_their_cause(name, recorded, normalize):
    events = normalize(recorded(name))

    assert [event.cause for event in events if isinstance(event, Retry)] == RETRIES.get(name, [])


USAGE: dict[str, list[tuple[int, int, int, str | None]]] = {
    "budget": [(200_000, 20_000, 0, "1.2")],
    "close_mid_nofallback": [(100, 1, 0, "0.00042")],
    "haiku": [(100, 10, 0, "0.000015")],
    "kill_resume": [(100, 10, 0, "0.0006")],
    "matrix": [(1400, 350, 5600, "0.01372"), (200, 50, 800, "0.00196")],
    "plain": [(200, 34, 1000, "0.00168")],
    "resume": [(100, 10, 0, "0.0006"), *[(200, 20, 0, "0.0012")] * 3, (0, 0, 0, None)],
    "subagent": [(400, 40, 0, "0.0024")],
}
"""(input, output, cached, cost) of each turn that ended."""


@pytest.mark.parametrize("name", USAGE)
def test_tokens_and_cost_are_those_of_the_turn(name, recorded, normalize):
    events = normalize(recorded(name))

    seen = [(event.input, event.output, event.cached, event.cost) for event in events if isinstance(event, Usage)]
    assert seen == [(*counts[:3], None if counts[3] is None else Decimal(counts[3])) for counts in USAGE[name]]


@each_recording
def test_r23_the_model_that_answered_is_on_record(name, recorded, normalize):
    events = normalize(recorded(name))

    answered = {event.model for event in events if isinstance(event, ModelRequested)}
    special = {"badmodel": "my-scripted-model", "haiku": "claude-haiku-5-5", "sonnet": "claude-sonnet-5-5"}
    special["broken_off_late"] = "scripted-1"
    if ENDINGS.get(name, COMPLETED) == COMPLETED:
        assert answered == {special.get(name, "claude-opus-5-5")}
    else:
        assert answered <= {special.get(name, "claude-opus-5-5")}


ANSWERED = [name for name in ALL if name not in ENDINGS and name not in ("schema", "huge", "subagent")]
"""Sessions that completed with the last words of their script; the others answer in a way of their own."""


@pytest.mark.parametrize("name", ANSWERED)
def test_the_answer_of_a_turn_is_the_last_word_of_the_model(name, recorded, recordings, normalize):
    script = json.loads((recordings / name / "script.json").read_text("utf-8"))
    replies = [reply for step in script["turns"][-1]["steps"] for reply in step.get("attempts", [step])]
    said = [reply["text"] for reply in replies if reply.get("text")]

    ended = [event for event in normalize(recorded(name)) if isinstance(event, TurnEnded)]

    assert ended[-1].answer == said[-1]
    assert [event.turn for event in ended] == list(range(1, len(ended) + 1))


@each_recording
def test_the_program_says_what_it_had(name, recorded, normalize):
    events = normalize(recorded(name))

    started = [event for event in events if isinstance(event, SessionStarted)]
    offers = [event for event in events if isinstance(event, Offered) and event.tools is not None]
    assert [event.version for event in started] == ["2.1.332"] * len(started)
    assert len(started) == (1 if offers else 0)
    for offer in offers:
        assert offer.skills is not None
        assert offer.servers == (("orders",) if name.startswith(("mcp", "matrix")) else ())


STEPS: dict[str, list[str]] = {
    "matrix": ["offered", "requested", "read", "offered"],
    "mention": ["offered", "mentioned", "read"],
    "shell_reads": [
        *("offered", "requested", "read", "requested", "read", "requested", "requested", "read", "script_run"),
    ],
    "skill_agents_dir": [],
    "skill_denied": ["offered", "requested", "errored"],
    "skill_edit_denied": ["offered", "requested", "read", "requested", "read"],
    "skill_fork": ["offered", "requested", "read"],
    "skill_missing": ["offered"],
    "skill_read": ["offered", "requested", "read"],
    "skill_spellings": ["offered", "requested", "read", "requested", "errored", "requested", "errored"],
    "skill_tool": ["offered", "requested", "read"],
    "slash": ["offered", "mentioned", "read"],
}


@pytest.mark.parametrize("name", STEPS)
def test_a_skill_comes_as_far_as_it_really_did(name, recorded, normalize, short_body):
    made_here = name not in ("matrix", "skill_agents_dir", "skill_missing", "skill_read", "skill_tool")

    events = (
        normalize(recorded(name, body=short_body(fork=name == "skill_fork")))
        if made_here
        else normalize(recorded(name))
    )

    assert [str(event.step) for event in events if isinstance(event, SkillStep)] == STEPS[name]


def test_a_session_without_its_log_says_so(recorded, normalize):
    whole, without = normalize(recorded("plain")), normalize(recorded("plain", log=False))

    assert not [event for event in whole if isinstance(event, Truncated)]
    assert [event.where for event in without if isinstance(event, Truncated)] == ["session_log"]
    assert (whole[-1].ending, without[-1].ending) == (Ending.COMPLETED, Ending.HOST_FAILED)


def test_a_subagents_events_carry_the_call_that_made_it(recorded, normalize):
    events = normalize(recorded("subagent"))

    (call,) = (event.call for event in events if isinstance(event, ToolRequested) and event.tool == "Agent")
    assert [event.agent for event in events if isinstance(event, ModelRequested)] == [None, None, call, None]


def test_a_turn_that_wakes_up_again_has_one_end(recorded, normalize):
    events = normalize(recorded("background"))

    assert len([event for event in events if isinstance(event, TurnEnded)]) == 1
    assert [event.input for event in events if isinstance(event, Usage)] == [300]


def test_instruction_files_are_told_by_their_path_below_the_project(recorded, normalize):
    events = normalize(recorded("instructions"))

    told = [event.instructions for event in events if isinstance(event, Offered) and event.instructions is not None]
    assert told == [("CLAUDE.md", "more.md")]
