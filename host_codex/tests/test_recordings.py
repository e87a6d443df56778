"""Every recording of the real program, compared with what its script and its MCP server say happened."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import (
    ABSENT,
    Event,
    ModelRequested,
    Notice,
    PermissionDecided,
    Record,
    Retry,
    SessionEnded,
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
from skilltrial_host_codex.thread import plain

RECORDINGS = Path(__file__).parent / "recordings"
NAMES = sorted(f"{path.parent.parent.name}/{path.parent.name}" for path in RECORDINGS.glob("*/*/runs.json"))
each_recording = pytest.mark.parametrize("name", NAMES)

Normalize = Callable[[Sequence[Record]], tuple[Event, ...]]
Recorded = Callable[..., list[Record]]

FINE = ("completed", None, None)
ENDINGS: dict[str, tuple[str, str | None, str | None]] = {
    "classic/badconfig": ("host_failed", "unclassified", "operator"),
    "classic/badflag": ("host_failed", "unclassified", "operator"),
    "classic/close_before": ("host_failed", "transport", "model"),
    "classic/close_mid": ("host_failed", "transport", "model"),
    "classic/empty": ("host_failed", "empty", "model"),
    "classic/err400": ("host_failed", "unclassified", "host"),
    "classic/err401": ("host_failed", "auth", "operator"),
    "classic/err403": ("host_failed", "auth", "operator"),
    "classic/err404": ("host_failed", "unclassified", "operator"),
    "classic/err429": ("host_failed", "rate_limit", "model"),
    "classic/err429_quota": ("host_failed", "quota", "operator"),
    "classic/err429_retryafter": ("host_failed", "rate_limit", "model"),
    "classic/err429_then_ok": ("host_failed", "rate_limit", "model"),
    "classic/err500": ("host_failed", "server", "model"),
    "classic/err503": ("host_failed", "server", "model"),
    "classic/failed_context": ("host_failed", "context", "agent"),
    "classic/failed_event": ("host_failed", "server", "model"),
    "classic/failed_rate_limit": ("host_failed", "rate_limit", "model"),
    "classic/filtered": ("host_failed", "refusal", "model"),
    "classic/garbage": ("host_failed", "transport", "model"),
    "classic/hang": ("time_limit", None, "agent"),
    "classic/incomplete": ("host_failed", "context", "agent"),
    "classic/mcp_down_required": ("host_failed", "unclassified", "fixture"),
    "classic/noenv": ("host_failed", "auth", "operator"),
    "classic/orphan_sandbox": ("host_failed", "unclassified", "host"),
    "classic/refused": ("time_limit", None, "agent"),
    "classic/refused_bounded": ("host_failed", "transport", "model"),
    "classic/resume": ("host_failed", "unclassified", "host"),
    "classic/sigint": ("host_failed", "unclassified", "host"),
    "classic/sigkill": ("host_failed", "unclassified", "host"),
    "classic/sigterm": ("host_failed", "unclassified", "host"),
    "classic/stall": ("host_failed", "transport", "model"),
    # Where it can't keep its log it goes on and exits with 0; where it can write nothing it does not begin.
    "classic/state_readonly": ("host_failed", "unclassified", "operator"),
    "classic/state_unwritable": ("host_failed", "unclassified", "operator"),
    "code/resume": ("host_failed", "unclassified", "host"),
}
"""What did not complete. The third process of `resume` asks for a conversation that does not exist."""

WITHOUT_LOG = frozenset({"classic/ephemeral", "classic/state_unwritable"})
"""Their log was not wanted, or could not be kept."""

RETRIES = {
    "classic/close_before": ["transport"] * 2,
    "classic/close_mid": ["transport"] * 2,
    "classic/err401": ["auth"] * 2,
    "classic/err403": ["auth"] * 2,
    "classic/err404": ["unclassified"] * 2,
    "classic/err429": ["rate_limit"] * 2,
    "classic/err429_retryafter": ["rate_limit"] * 2,
    "classic/err500": ["server"] * 2,
    "classic/err503": ["server"] * 2,
    "classic/failed_event": ["server"] * 2,
    "classic/failed_rate_limit": ["rate_limit"] * 2,
    "classic/filtered": ["refusal"] * 2,
    "classic/garbage": ["transport"] * 2,
    "classic/refused": ["transport"] * 5,
    "classic/refused_bounded": ["transport"] * 2,
    "classic/stall": ["transport"] * 2,
}

READ = ["requested", "read"]
STEPS = {
    "classic/matrix": READ,
    "classic/mention_inside": ["offered", "mentioned", "read"],
    "classic/names": ["offered"],
    "classic/patches": ["offered"],
    "classic/skill_mention": ["mentioned", "read"],
    "classic/skill_shell": READ,
    # cd && cat, sed, nl, head of the front matter only, cat in a working directory, ls, another file, a script
    "classic/skill_ways": ["offered", *READ, *READ, *READ, "requested", *READ, "script_run"],
    "classic/subagent": ["offered"],
    "classic/unknown_model": ["offered"],
    "code/denial": ["offered"],
    "code/matrix": ["offered", *READ],
    "code/names": ["offered"],
    "code/skill_mention": ["offered", "mentioned", "read"],
    "code/skill_ways": ["offered", *READ, "script_run", *READ],
}
"""Where nothing is offered here, the recording's list of skills was lost."""

USAGE = {
    "classic/matrix": [(7000, 350, 5600, 35), (1000, 50, 800, 5)],
    "code/matrix": [(7000, 350, 5600, 35), (1000, 50, 800, 5)],
    "classic/plain": [(1200, 34, 1000, 12)],
    "code/plain": [(1200, 34, 1000, 12)],
    "classic/resume": [(100, 10, 0, 0), (200, 20, 0, 0)],
    "code/resume": [(100, 10, 0, 0), (200, 20, 0, 0)],
    "classic/subagent": [(300, 30, 0, 0), (200, 20, 0, 0)],
}
"""Input, output, cached, reasoning per turn; the last of `subagent` is the subagent's own."""

MATRIX = {
    "classic": [
        *("exec_command", "lookup_order", "apply_patch", "exec_command", "apply_patch", "exec_command"),
    ],
    "code": [
        *("exec", "exec_command", "exec", "lookup_order", "exec", "apply_patch"),
        *("exec", "exec_command", "exec", "apply_patch", "exec", "exec_command"),
    ],
}
"""Load the skill, call a server, write, read, edit, run: a script in words that no program owns."""

ANSWERS = {
    "classic/resume": ["Noted: 41.", "It was 41."],
    "code/resume": ["Noted: 41.", "It was 41."],
    "classic/matrix": ["The invoice is in invoice.txt.", "You are welcome."],
    "code/matrix": ["The invoice is in invoice.txt.", "You are welcome."],
}


@each_recording
def test_ending_cause_and_owner(name: str, recorded: Recorded, normalize: Normalize):
    events = normalize(recorded(name))

    (ended,) = [event for event in events if isinstance(event, SessionEnded)]
    assert (ended.ending, ended.cause, ended.owner) == ENDINGS.get(name, FINE)
    assert events[-1] is ended


@each_recording
def test_no_line_of_a_recorded_version_is_unrecognized(name: str, recorded: Recorded, normalize: Normalize):
    events = normalize(recorded(name))

    assert [event for event in events if isinstance(event, Unrecognized)] == []
    # A program that was refused never began a log.
    cut = [event.where for event in events if isinstance(event, Truncated)]
    assert cut == (["session_log"] if name in WITHOUT_LOG else [])


@each_recording
def test_calls_are_those_of_the_script(name: str, recorded: Recorded, normalize: Normalize):
    events = normalize(recorded(name))

    made = [event for event in events if isinstance(event, ToolRequested)]
    own = [event for event in made if event.agent is None]
    if name.endswith("/matrix"):
        assert [event.tool for event in own] == MATRIX[name.partition("/")[0]]
        return
    assert [_made(event) for event in own if not _within(event)] == [_asked(call) for call in _script(name, own)]
    assert len({event.call for event in made}) == len(made)


@each_recording
def test_each_call_has_one_end_behind_its_request(name: str, recorded: Recorded, normalize: Normalize):
    events = normalize(recorded(name))

    for request in (event for event in events if isinstance(event, ToolRequested)):
        ends = [
            event
            for event in events
            if isinstance(event, ToolResult | ToolError | ToolRejected) and event.call == request.call
        ]
        killed = name.removeprefix("classic/") in {"sigkill", "sigterm", "orphan_sandbox"}
        assert len(ends) == (0 if killed else 1), request
        assert all(events.index(end) > events.index(request) for end in ends)


@pytest.mark.parametrize("name", [name for name in NAMES if (RECORDINGS / name / "wire.jsonl").exists()])
def test_calls_of_servers_are_those_on_the_wire(name: str, recorded: Recorded, normalize: Normalize):
    events = normalize(recorded(name))

    rejected = {event.call for event in events if isinstance(event, ToolRejected)}
    called = [event for event in events if isinstance(event, ToolRequested) and event.server is not None]
    wire = [json.loads(line) for line in (RECORDINGS / name / "wire.jsonl").read_text("utf-8").splitlines()]
    assert wire
    assert [(event.call, event.tool, event.input) for event in called if event.call not in rejected] == [
        (line["call"], line["tool"], line["arguments"]) for line in wire
    ]
    assert {event.server for event in called} == {"my-memory" if name.endswith("/names") else "orders"}


@each_recording
def test_retries_steps_usage_answers_and_models(name: str, recorded: Recorded, normalize: Normalize):
    events = normalize(recorded(name))

    assert [event.cause for event in events if isinstance(event, Retry)] == RETRIES.get(name, [])
    assert [event.step for event in events if isinstance(event, SkillStep)] == STEPS.get(name, [])
    used = [(e.input, e.output, e.cached, e.reasoning) for e in events if isinstance(e, Usage)]
    requests = [event for event in events if isinstance(event, ModelRequested)]
    if name in USAGE:
        assert sorted(used, reverse=True) == sorted(USAGE[name], reverse=True)
    elif name in WITHOUT_LOG:
        assert used == [(100, 10, 0, 0)], "without a log the stream's own count is all there is"
        assert requests == []
    else:
        # The scripted model counted 100 tokens in and 10 out for each response that it finished.
        assert used == ([(100 * len(requests), 10 * len(requests), 0, 0)] if requests else [])
    answered = [event.answer for event in events if isinstance(event, TurnEnded)]
    assert answered == ANSWERS.get(name, [_last_word(name)] if ENDINGS.get(name, FINE) == FINE else answered)
    models = {"unknown_model": "my-model"}.get(name.partition("/")[2])
    usual = "gpt-6.2-sol" if name.startswith("code/") else "gpt-5.5"
    assert {event.model for event in requests} <= {models or usual}
    assert bool(requests) or name in WITHOUT_LOG or ENDINGS.get(name, FINE) != FINE


def test_what_the_stream_hides_is_there_and_says_where_it_was_seen(recorded: Recorded, normalize: Normalize):
    events = normalize(recorded("classic/denial"))

    calls = [event for event in events if isinstance(event, ToolRequested)]
    assert [call.seen for call in calls] == ["stream", *["session_log"] * 3, "stream", "session_log"]
    results = [event for event in events if isinstance(event, ToolResult)]
    assert [result.is_error for result in results] == [True] * 6
    assert results[3].content == "Read-only file system\n"


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("classic/badcalls", ["schema", "schema", "unknown_tool", "schema"]),
        ("classic/sandbox", ["permission", "permission"]),
        ("classic/readonly", ["permission"]),
        ("classic/plan", ["unknown_tool"]),
        ("classic/mcp", ["unknown_tool"]),
        ("classic/names", ["unknown_tool"]),
        ("code/mcp", ["unknown_tool"]),
        ("code/denial", ["permission", "permission", "schema", "unknown_tool"]),
    ],
)
def test_calls_that_were_not_carried_out_appear_with_the_reason(
    name: str, reasons: list[str], recorded: Recorded, normalize: Normalize
):
    events = normalize(recorded(name))

    assert [event.reason for event in events if isinstance(event, ToolRejected)] == reasons


def test_parallel_calls_keep_their_own_results(recorded: Recorded, normalize: Normalize):
    events = normalize(recorded("classic/parallel"))

    inputs: dict[str, Any] = {event.call: event.input for event in events if isinstance(event, ToolRequested)}
    asked = {call: given["cmd"] for call, given in inputs.items()}
    printed = {asked[event.call]: event.content for event in events if isinstance(event, ToolResult)}
    assert printed == {"sleep 0.3; echo one": "one\n", "echo two": "two\n"}


def test_a_command_that_went_on_in_the_background_has_the_result_that_the_model_was_told(
    recorded: Recorded, normalize: Normalize
):
    events = normalize(recorded("classic/longcmd"))

    first = next(event for event in events if isinstance(event, ToolResult))
    assert (first.content, first.is_error) == ("a\n", False), "that it was ended later was not its fault"


def test_a_command_of_code_mode_that_the_sandbox_hid_has_its_result(recorded: Recorded, normalize: Normalize):
    events = normalize(recorded("code/denial"))

    hidden = next(event for event in events if isinstance(event, ToolRequested) and event.call.endswith(":1"))
    (result,) = [event for event in events if isinstance(event, ToolResult) and event.call == hidden.call]
    denied = [event for event in events if isinstance(event, PermissionDecided) and event.call == hidden.call]
    assert hidden.input == {"cmd": "echo 'Permission denied'; exit 1"}
    assert (result.content, result.is_error) == ("Permission denied\n", True)
    assert [(event.decision, event.by) for event in denied] == [("denied", "sandbox")]


def test_a_warning_is_a_notice(recorded: Recorded, normalize: Normalize):
    events = normalize(recorded("classic/unknown_model"))

    assert len([event for event in events if isinstance(event, Notice)]) == 1


def test_a_subagents_calls_and_tokens_are_its_own(recorded: Recorded, normalize: Normalize):
    events = normalize(recorded("classic/subagent"))

    (call,) = [event for event in events if isinstance(event, ToolRequested) and event.agent is not None]
    (usage,) = [event for event in events if isinstance(event, Usage) and event.agent is not None]
    assert call.input == {"cmd": "echo child"}
    assert usage.agent == call.agent
    ended = next(event for event in events if isinstance(event, TurnEnded))
    assert events.index(call) < events.index(ended)


def test_without_its_log_a_trial_shows_what_the_stream_shows_and_says_that_more_is_missing(
    recorded: Recorded, normalize: Normalize
):
    events = normalize(recorded("classic/edit", log=False))

    assert [event.tool for event in events if isinstance(event, ToolRequested)] == [
        "apply_patch",
        "apply_patch",
        "exec_command",
    ]
    assert [event.where for event in events if isinstance(event, Truncated)] == ["session_log"]
    assert [event.input for event in events if isinstance(event, Usage)] == [400]
    assert (events[-1].ending, events[-1].owner) == ("host_failed", "operator"), "what it hides is missing"  # type: ignore[attr-defined]


def test_usage_of_a_resumed_turn_without_a_log_is_the_turns_own(recorded: Recorded, normalize: Normalize):
    events = normalize(recorded("classic/matrix", log=False))

    assert [(event.input, event.output) for event in events if isinstance(event, Usage)] == [(7000, 350), (1000, 50)]


def test_a_version_that_is_not_among_the_recordings_is_a_notice(recorded: Recorded, normalize: Normalize):
    newer = [
        Record(r.seq, r.at, r.source, r.turn, r.raw.replace('"cli_version":"0.171.0"', '"cli_version":"0.172.0"'))
        for r in recorded("classic/plain")
    ]

    assert len([event for event in normalize(newer) if isinstance(event, Notice)]) == 1
    assert not [event for event in normalize(recorded("classic/plain")) if isinstance(event, Notice)]


def _script(name: str, made: list[ToolRequested]) -> list[dict[str, Any]]:
    """The calls that the script has, as far as the session came."""
    calls = [
        call
        for turn in json.loads((RECORDINGS / name / "script.json").read_text("utf-8"))
        for step in turn["steps"]
        for call in step.get("calls", ())
    ]
    if name == "classic/subagent":
        calls = calls[1:]  # the subagent's own
    return calls if made else []


def _asked(call: dict[str, Any]) -> tuple[str, str | None, Any]:
    """A call of a script as it must appear: tool, server, input."""
    if call.get("type") == "tool_search":
        return "tool_search", None, call["args"]
    namespace = call.get("namespace", "")
    server = namespace.removeprefix("mcp__") if namespace.startswith("mcp__") else None
    tool = f"{namespace}.{call['name']}" if namespace and server is None else call["name"]
    tool, server = (tool, None) if server is None else (plain(tool), plain(server))
    given = call.get("raw_args", call.get("input", call.get("args")))
    if isinstance(given, dict) and any(isinstance(value, list) for value in given.values()):
        given = ABSENT  # holds the subagent's id
    return tool, server, given


def _made(event: ToolRequested) -> tuple[str, str | None, Any]:
    given = event.input
    if isinstance(given, dict) and any(isinstance(value, list) for value in given.values()):
        given = ABSENT
    # The model writes names in the program's way; the event has them in the server's.
    if event.server is not None:
        return plain(event.tool), plain(event.server), given
    return event.tool, None, given


def _within(event: ToolRequested) -> bool:
    """Made by a script of code mode."""
    return event.call.startswith("exec-") or ":" in event.call


def _last_word(name: str) -> str:
    turns = json.loads((RECORDINGS / name / "script.json").read_text("utf-8"))
    last = turns[-1]["steps"][-1]
    return str(last["attempts"][-1]["text"] if "attempts" in last else last["text"])
