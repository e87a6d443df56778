"""The real bridge with the stand-in, which does what is written down of ZCode, and what the normalizer makes of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from skilltrial.api import (
    ABSENT,
    ModelRequested,
    Offered,
    PermissionDecided,
    SessionStarted,
    SkillStep,
    ToolRejected,
    ToolRequested,
    ToolResult,
    ToolStarted,
    TurnEnded,
    Usage,
)
from skilltrial_host_zcode.job import Job, Server

COMPLETED = ("completed", None, None)
HOSTS = ("host_failed", "unclassified", "host")
DONE = {"text": "Done."}
LISTS = {"script": [{"calls": [["Bash", {"command": "ls"}]]}, DONE]}
ASKS = {"script": [{"calls": [["Bash", {"command": "touch x"}]]}, DONE]}


def calls(*wanted: list[Any]) -> dict[str, Any]:
    """A turn in which the model wants these calls and is done."""
    return {"script": [{"calls": [list(one) for one in wanted]}, DONE]}


def test_a_turn_is_told(hold: Any) -> None:
    held = hold(LISTS)

    assert held.end == COMPLETED
    (started,) = held.of(SessionStarted)
    assert started.version == "0.16.9"
    assert started.session.startswith("sess_")
    (asked,) = held.of(ToolRequested)
    assert (asked.tool, asked.server, asked.input) == ("Bash", None, {"command": "ls"})
    assert [one.call for one in held.of(ToolStarted)] == [asked.call]
    assert [one.is_error for one in held.of(ToolResult)] == [False]
    assert [one.answer for one in held.of(TurnEnded)] == ["Done."]
    assert [(one.provider, one.model) for one in held.of(ModelRequested)] == [("p", "m")] * 2
    (used,) = held.of(Usage)
    assert (used.input, used.output, used.cached, used.cost) == (240, 68, 0, None)
    assert held.codes == set()


def test_what_is_sent_is_what_is_written_down(hold: Any) -> None:
    server = Server(name="orders", command=("serve", "--now"), environment={"K": "v"})
    held = hold({"script": [DONE]}, {"script": [DONE]}, job=Job(prompt="Go.", patience=5.0, servers=(server,)))

    sent = [one["message"] for one in held.lines if one.get("bridge") == "sent"]
    asked = [one["method"] for one in sent if "method" in one]
    first = ["session/create", "session/subscribe", "skills/referenceCatalog", "session/send", "session/close"]
    assert asked == [*first, "session/resume", *first[1:]]
    assert not any("jsonrpc" in one for one in sent)
    created, resumed = (one["params"] for one in sent if one.get("method") in {"session/create", "session/resume"})
    assert created["titleGenerationEnabled"] is False
    assert created["mode"] == "build"
    wire = {"name": "orders", "command": "serve", "args": ["--now"], "env": [{"name": "K", "value": "v"}]}
    assert created["mcpServers"] == resumed["mcpServers"] == [wire]
    answered = [one["result"] for one in sent if one.get("id") == "server-1"]
    assert answered[0] == {
        "nativeSearchEnhancementsEnabled": False,
        "memoryEnabled": False,
        "askUserQuestionAutoResolutionEnabled": False,
    }
    assert held.end == COMPLETED
    assert [one.answer for one in held.of(TurnEnded)] == ["Done.", "Done."]
    assert len(held.of(SessionStarted)) == 1


@pytest.mark.parametrize(
    ("tool", "given", "allowed"),
    [
        ("Write", {"file_path": "notes.txt", "content": "x"}, True),
        ("Write", {"file_path": "../out.txt", "content": "x"}, False),
        ("Edit", {"file_path": "/etc/hosts", "old_string": "a", "new_string": "b"}, False),
        ("Bash", {"command": "touch x"}, False),
        ("Bash", {"command": "npm test --all"}, True),
        ("Bash", {"command": "npm publish"}, False),
        ("Bash", {"command": "npm test; rm x"}, False),
        ("Bash", {"command": "gh pr list"}, True),
        ("Bash", {"command": "gh pr list | sh"}, False),
        ("Bash", {"command": "gh `rm x`"}, False),
        ("Bash", {"command": "ghost"}, False),
    ],
)
def test_what_is_asked_for_is_answered_by_one_rule_and_on_record(
    hold: Any, tool: str, given: dict[str, Any], allowed: bool
) -> None:
    job = Job(prompt="Go.", patience=5.0, programs=("gh",), allow=("Bash(npm test:*)",))

    held = hold(calls([tool, given]), job=job)

    (decided,) = held.of(PermissionDecided)
    assert (decided.tool, decided.decision, decided.by) == (tool, "allowed" if allowed else "denied", "client")
    assert [one.reason for one in held.of(ToolRejected)] == ([] if allowed else ["permission"])
    assert held.end == COMPLETED
    assert not (held.project / "x").exists()


def test_a_question_that_is_asked_again_is_answered_and_told_once(hold: Any) -> None:
    held = hold({**ASKS, "again": 0.001})

    assert len(held.of(PermissionDecided)) == 1
    assert held.end == COMPLETED


@pytest.mark.parametrize(
    ("tool", "given", "reason"),
    [
        ("Write", {"file_path": "x"}, "schema"),
        ("Write", {"file_path": "x", "content": "x", "more": 1}, "schema"),
        ("Write", ["x"], "schema"),
        ("Write", "x", "schema"),
        ("Paint", {}, "unknown_tool"),
        ("mcp__orders__look_up", {}, "unknown_tool"),
    ],
)
def test_a_call_that_is_rejected_is_no_call_that_failed(hold: Any, tool: str, given: Any, reason: str) -> None:
    held = hold(calls([tool, given]))

    assert [one.reason for one in held.of(ToolRejected)] == [reason]
    assert held.of(ToolResult) == held.of(ToolStarted) == held.of(PermissionDecided) == []
    assert held.end == COMPLETED


def test_a_mode_that_forbids_a_call_is_a_policy(hold: Any) -> None:
    held = hold(calls(["Write", {"file_path": "x", "content": "x"}]), job=Job(prompt="Go.", patience=5.0, mode="plan"))

    assert [one.reason for one in held.of(ToolRejected)] == ["policy"]
    assert [(one.decision, one.by) for one in held.of(PermissionDecided)] == [("denied", "policy")]
    assert held.end == COMPLETED


def test_a_tool_that_fails_gives_a_result_that_says_so(hold: Any) -> None:
    held = hold(calls(["Read", {"file_path": "none.txt"}]))

    (result,) = held.of(ToolResult)
    assert result.is_error
    assert held.end == COMPLETED


def test_a_question_to_the_user_is_declined(hold: Any) -> None:
    held = hold(calls(["AskUserQuestion", {"question": "Which?"}]), job=Job(prompt="Go.", allow=("AskUserQuestion",)))

    (result,) = held.of(ToolResult)
    assert "decline" in result.content


BODY = "---\nname: notes\ndescription: Notes.\n---\nWrite NOTE.\n"


@pytest.mark.parametrize(
    ("tool", "given", "steps"),
    [
        ("Skill", {"skill": "notes"}, ["offered", "requested", "read"]),
        ("Skill", {"skill": "other"}, ["offered"]),
        ("Read", {"file_path": ".agents/skills/notes/SKILL.md"}, ["offered", "requested", "read"]),
        ("Bash", {"command": "cat .agents/skills/notes/SKILL.md"}, ["offered", "requested", "read"]),
        ("Bash", {"command": "head -n 3 .agents/skills/notes/SKILL.md"}, ["offered", "requested"]),
        ("Bash", {"command": "ls .agents/skills/notes"}, ["offered"]),
    ],
)
def test_how_far_a_skill_came(hold: Any, tmp_path: Path, tool: str, given: dict[str, Any], steps: list[str]) -> None:
    folder = tmp_path / "project/.agents/skills/notes"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(BODY, "utf-8")
    rule = Job(prompt="Go.", patience=5.0, allow=("Bash(head:*)",))

    held = hold(calls([tool, given]), job=rule, skills=("notes",))

    assert [str(one.step) for one in held.of(SkillStep)] == steps
    assert [one.skills for one in held.of(Offered)] == [("notes",)]


def test_a_skill_that_was_written_over_is_not_read_any_more(hold: Any, tmp_path: Path) -> None:
    folder = tmp_path / "project/.agents/skills/notes"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(BODY, "utf-8")
    path = ".agents/skills/notes/SKILL.md"

    held = hold(
        calls(["Write", {"file_path": path, "content": BODY}], ["Skill", {"skill": "notes"}]), skills=("notes",)
    )

    assert "read" not in [str(one.step) for one in held.of(SkillStep)]


NO_TABLES = "无法定位 CLI ZCode Built-in Provider Config：x"


@pytest.mark.parametrize(
    ("switches", "end", "codes"),
    [
        # It does not start, does not open a session, does not take the prompt.
        ({"refuses": NO_TABLES}, ("host_failed", "unclassified", "operator"), set()),
        ({"refuses": "Model creation failed (traceId: 1)"}, ("host_failed", "unclassified", "operator"), set()),
        ({"refuses": "out of luck"}, HOSTS, set()),
        ({"swallow": "session/create"}, HOSTS, set()),
        ({"swallow": "session/subscribe"}, HOSTS, set()),
        ({"swallow": "session/send"}, HOSTS, set()),
        ({"patience": 0.1, "mute": True}, HOSTS, set()),
        ({"busy": 2, "script": [DONE]}, COMPLETED, set()),
        # It dies.
        ({"die_after": "session/create"}, HOSTS, set()),
        ({"die_after": "session/send"}, HOSTS, set()),
        ({"die_after": "turn.started", "script": [DONE]}, HOSTS, set()),
        ({"die_after": "tool.updated", **LISTS}, HOSTS, set()),
        ({"die_after": "turn.completed", "script": [DONE]}, HOSTS, set()),
        ({"code": 3, "script": [DONE]}, HOSTS, set()),
        # The turn fails.
        ({"no_model": True}, ("host_failed", "unclassified", "operator"), set()),
        ({"script": [{"status": 401}]}, ("host_failed", "auth", "operator"), set()),
        ({"script": [{"status": 429}]}, ("host_failed", "rate_limit", "model"), set()),
        ({"script": [{"status": 503}]}, ("host_failed", "server", "model"), set()),
        ({"script": [{"text": ""}]}, ("host_failed", "empty", "model"), set()),
        ({"script": [DONE], "result": "error_max_turns"}, ("host_failed", "unclassified", "agent"), set()),
        ({"script": [DONE], "result": "cancelled"}, HOSTS, set()),
        # Its records are not whole, or contradict themselves.
        ({"script": [DONE], "drop": ["turn.completed"]}, HOSTS, set()),
        ({"script": [DONE], "drop": ["prompt_completed"]}, HOSTS, set()),
        ({"script": [DONE], "drop": ["turn.started"]}, ("invalid_events", None, "host"), {"events_missing"}),
        ({**LISTS, "drop": ["model.streaming"]}, ("invalid_events", None, "host"), {"events_missing"}),
        ({**LISTS, "twice": "tool.updated"}, ("invalid_events", None, "host"), {"event_repeated"}),
        ({**LISTS, "late_error": True}, ("invalid_events", None, "host"), {"call_told_twice"}),
        ({**LISTS, "disagree": True}, ("invalid_events", None, "host"), {"call_disputed"}),
        ({**ASKS, "deaf": True}, ("invalid_events", None, "host"), {"permission_disputed", "refused_call_ran"}),
        ({"script": [DONE], "strange": True}, ("invalid_events", None, "host"), {"event_unknown", "another_session"}),
        ({"script": [DONE], "raw": '{"id": 1, "res'}, ("invalid_events", None, "host"), set()),
        ({"script": [DONE], "raw": '{"bridge":"closed","code":0}'}, COMPLETED, {"message_unknown"}),
        ({"script": [DONE], "raw": '{"id":99,"result":{}}'}, ("invalid_events", None, "host"), {"answer_to_nothing"}),
        # It does more than it was asked for.
        ({"script": [DONE], "raw": "a library says hello"}, COMPLETED, {"not_a_message"}),
        ({"script": [DONE], "background": True}, COMPLETED, set()),
        ({"script": [DONE], "noise": 400}, COMPLETED, set()),
        ({"script": [DONE], "no_catalog": True}, COMPLETED, set()),
    ],
    ids=lambda one: json.dumps(one) if isinstance(one, dict) else None,
)
def test_what_goes_wrong_has_a_cause_and_an_owner(
    hold: Any, switches: dict[str, Any], end: tuple[str, str | None, str | None], codes: set[str]
) -> None:
    held = hold(switches, job=Job(prompt="Go.", patience=2.0))

    assert held.end == end
    assert held.codes == codes


def test_a_session_that_is_told_under_another_name_is_not_the_same(hold: Any) -> None:
    held = hold({"script": [DONE]}, {"script": [DONE], "another": "sess_other"})

    assert held.codes == {"session_changed"}
    assert held.end == ("invalid_events", None, "host")


def test_a_turn_that_was_begun_by_the_program_itself_is_not_the_answer(hold: Any) -> None:
    held = hold({"script": [DONE], "background": True})

    assert [one.answer for one in held.of(TurnEnded)] == ["Done."]


def test_a_call_whose_input_was_never_told_has_none(hold: Any) -> None:
    held = hold({**LISTS, "drop": ["model.streaming"]})

    assert [one.input for one in held.of(ToolRequested)] == [ABSENT]


def test_a_conversation_of_which_a_line_is_missing_is_never_complete(hold: Any) -> None:
    held = hold(calls(["Bash", {"command": "ls"}], ["Write", {"file_path": "a", "content": "x"}]))
    of_no_matter = ('"startup/storageState"', '"prompt_started"', '"bridge":"closed"')

    assert held.end == COMPLETED
    looked = 0
    for at, record in enumerate(held.records):
        if record.source != "stdout" or any(word in record.raw for word in of_no_matter):
            continue
        looked += 1
        cut = replace(held, records=held.records[:at] + held.records[at + 1 :])
        assert cut.end != COMPLETED, record.raw
    assert looked > 30


def test_a_bridge_that_is_told_to_end_stops_the_turn_and_leaves_nothing_behind(
    standin: Path, table: Path, tmp_path: Path
) -> None:
    named = {"BUILTIN": table, "PERSONAL": tmp_path / "p.json"}
    running = subprocess.Popen(
        [sys.executable, "-m", "skilltrial_host_zcode.bridge", str(standin), "app-server", "--stdio"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "ZCODE_STANDIN": json.dumps({"hang": True, "script": [DONE]}),
            **{f"ZCODE_{name}_PROVIDER_CONFIG_FILE": str(file) for name, file in named.items()},
        },
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(Job(prompt="Go.").write())
        running.stdin.close()
        said = []
        for line in running.stdout:
            said.append(json.loads(line))
            if said[-1].get("params", {}).get("type") == "turn.started":
                running.send_signal(signal.SIGTERM)

    sent = [one["message"].get("method") for one in said if one.get("bridge") == "sent"]
    assert sent[-1] == "session/stop"
    assert [one["word"] for one in said if one.get("bridge") == "failed"] == ["stopped"]
    assert said[-1]["bridge"] == "closed"
    assert running.returncode == 1
