"""Lines as they may come and the stand-in does not send them. `test_gap_N`: a gap of the suite that was published."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.api import (
    Declared,
    Event,
    Exited,
    FoundServer,
    ModelRequested,
    PermissionDecided,
    PluginFound,
    PluginPlaced,
    Record,
    Retry,
    SessionEnded,
    SkillPlaced,
    SkillStep,
    Source,
    Spawned,
    ToolError,
    ToolRejected,
    ToolRequested,
    ToolResult,
    TurnEnded,
    TurnSent,
    Unrecognized,
    as_raw,
)
from skilltrial.testing.normalizers import renumbered
from skilltrial_host_zcode.normalizer import ZcodeNormalizer

DIGEST = "0" * 64
Line = dict[str, Any]
SESSION = "sess_1"
INVALID = ("invalid_events", None, "host")
COMPLETED = ("completed", None, None)


def sent(id: int, method: str, params: Line) -> Line:
    return {"bridge": "sent", "message": {"id": id, "method": method, "params": params}}


def opened(prompt: str = "Go.") -> list[Line]:
    """What is said until a prompt was taken."""
    return [
        sent(1, "session/create", {}),
        {"id": 1, "result": {"session": {"sessionId": SESSION}}},
        sent(2, "session/subscribe", {"sessionId": SESSION}),
        {"id": 2, "result": {"sessionId": SESSION, "eventSeq": 0, "events": []}},
        sent(3, "session/send", {"sessionId": SESSION, "content": prompt, "inputId": "i1"}),
        {"id": 3, "result": {"accepted": True}},
    ]


def events(*told: tuple[str, Any], turn: str | None = "turn_1") -> list[Line]:
    """Events in their order, numbered."""
    lines = []
    for seq, (kind, payload) in enumerate(told, 1):
        params = {"sessionId": SESSION, "seq": seq, "type": kind, "payload": payload}
        lines.append({"method": "session/event", "params": {**params, **({"turnId": turn} if turn else {})}})
    return lines


def settled(reason: str = "prompt_completed") -> Line:
    return {"method": "state.updated", "params": {"sessionId": SESSION, "reason": reason, "patch": {"status": "idle"}}}


BEGUN: tuple[str, Any] = ("turn.started", {"turnNumber": 1, "inputId": "i1"})
ENDED: tuple[str, Any] = ("turn.completed", {"response": "Done.", "resultType": "success"})
CLOSED: Line = {"bridge": "closed", "code": 0}


def whole(*told: tuple[str, Any]) -> list[Line]:
    """A turn that ended well, in which this happened."""
    return [*opened(), *events(BEGUN, *told, ENDED), settled(), CLOSED]


def records(lines: Iterable[Line | str], code: int = 0, notes: Iterable[Any] = ()) -> tuple[Record, ...]:
    value: Any = {"servers": {"orders": ["look_up"]}, "project": "/p", "version": "0.16.9"}
    made = [(Source.RUNNER, 0, as_raw(one)) for one in (Declared(name="zcode", value=value), *notes)]
    made += [(Source.RUNNER, 1, as_raw(one)) for one in (TurnSent(turn=1, prompt_sha256=DIGEST), Spawned(argv=("p",)))]
    made += [(Source.STDOUT, 1, line if isinstance(line, str) else json.dumps(line)) for line in lines]
    made.append((Source.RUNNER, 1, as_raw(Exited(code=code))))
    return renumbered([Record(0, 0.0, source, turn, raw) for source, turn, raw in made])


def read(lines: Iterable[Line | str], **more: Any) -> list[Event]:
    return list(ZcodeNormalizer().normalize(records(lines, **more)))


def of(told: Iterable[Event], kind: type) -> list[Any]:
    return [event for event in told if isinstance(event, kind)]


def end(told: Iterable[Event]) -> tuple[str, str | None, str | None]:
    (ended,) = of(told, SessionEnded)
    return str(ended.ending), ended.cause and str(ended.cause), ended.owner and str(ended.owner)


def codes(told: Iterable[Event]) -> list[str]:
    return [event.why for event in of(told, Unrecognized)]


def streamed(id: str | None, tool: str, value: Any, **more: Any) -> tuple[str, Any]:
    named = {} if id is None else {"toolCallId": id}
    return "model.streaming", {"kind": "tool_call", **named, "toolName": tool, "input": value, **more}


def update(kind: str, id: str, **more: Any) -> tuple[str, Any]:
    return "tool.updated", {"kind": kind, "toolCallId": id, **more}


SCHEDULED = update("scheduled", "c", toolName="Bash", inputOmitted=True)
CALLED = (streamed("c", "Bash", {"command": "ls"}), SCHEDULED)
RESULT = update("result", "c", result={"success": True, "content": "x"})
FAILED = update("error", "c", error={"type": "tool_execution_failed", "message": "no"})


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ((*CALLED, update("result", "d", result={"success": True}), RESULT), "call_unknown"),
        ((*CALLED, RESULT, RESULT), "call_told_twice"),
        ((*CALLED, RESULT, FAILED), "call_told_twice"),
        ((*CALLED, update("started", "c"), update("started", "c"), RESULT), "call_told_twice"),
        ((streamed("c", "Bash", {}), streamed("c", "Bash", {"a": 1}), RESULT), "call_disputed"),
        ((streamed("c", "Bash", {"a": 1}), streamed("c", "Bash", {"a": True}), RESULT), "call_disputed"),
        ((streamed("c", "Bash", {}), update("scheduled", "c", toolName="Read"), RESULT), "call_disputed"),
        (
            (streamed("c", "Bash", {}), update("scheduled", "c", toolName="Bash", input={"a": 1}), RESULT),
            "call_disputed",
        ),
        (CALLED, "call_not_ended"),
        ((*CALLED, update("started", "c")), "call_not_ended"),
        ((streamed("c", "Bash", {}),), "call_not_ended"),
        ((streamed(None, "Bash", {}),), "call_without_id"),
        ((update("scheduled", "c"),), "call_without_name"),
        ((*CALLED, ("permission.resolved", {"toolCallId": "c", "decision": "deny"}), RESULT), "refused_call_ran"),
        ((*CALLED, RESULT, ("permission.resolved", {"toolCallId": "c", "decision": "deny"})), "refused_call_ran"),
    ],
)
def test_gap_1_2_3_what_contradicts_itself_has_a_code_and_spoils_its_trial_alone(
    told: tuple[tuple[str, Any], ...], code: str
) -> None:
    trajectory = read(whole(*told))

    assert code in codes(trajectory)
    assert end(trajectory) == INVALID


def test_gap_3_calls_of_a_subagent_are_its_own() -> None:
    by = {"source": "subagent", "agentId": "agent_7", "childSessionId": "sess_2", "parentToolCallId": "c"}
    told = read(
        whole(
            *CALLED,
            update("scheduled", "d", toolName="Read", input={"file_path": "a"}, **by),
            update("result", "d", result={"success": True, "content": "x"}, **by),
            RESULT,
        )
    )

    assert [(one.call, one.agent) for one in of(told, ToolRequested)] == [("c", None), ("d", "agent_7")]
    assert [(one.call, one.agent) for one in of(told, ToolResult)] == [("d", "agent_7"), ("c", None)]
    assert end(told) == COMPLETED


def test_gap_9_turns_of_the_programs_own_leave_a_good_run_good() -> None:
    own = events(("turn.started", {"turnNumber": 2, "inputSource": "background_task", "input": "x"}), turn="turn_0")
    own += events(("turn.completed", {"response": "Noted.", "resultType": "success"}), turn="turn_0")
    ours = events(BEGUN, ENDED)
    lines = [*own, *ours]
    for seq, line in enumerate(lines, 1):
        line["params"]["seq"] = seq

    told = read([*opened(), *lines, settled(), CLOSED])

    assert [one.answer for one in of(told, TurnEnded)] == ["Done."]
    assert end(told) == COMPLETED


@pytest.mark.parametrize("payload", [None, [], "text", 3, {"kind": None}, {"kind": ["a"], "toolCallId": 3}])
@pytest.mark.parametrize(
    "kind", ["tool.updated", "model.streaming", "session.updated", "permission.resolved", "turn.started"]
)
def test_gap_12_a_payload_of_any_shape_is_no_crash(kind: str, payload: Any) -> None:
    assert len(of(read(whole((kind, payload))), SessionEnded)) == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"seq": 3}, "events_missing"),
        ({"seq": 0}, "event_repeated"),
        ({"seq": None}, "event_without_number"),
        ({"seq": True}, "event_without_number"),
        ({"seq": "1"}, "event_without_number"),
        ({"sessionId": "sess_2"}, "another_session"),
        ({"sessionId": None}, "another_session"),
    ],
)
def test_events_that_do_not_follow_one_another_spoil_the_trial(change: Line, code: str) -> None:
    lines = whole(("session.updated", {"usage": {}}))
    at = next(n for n, line in enumerate(lines) if line.get("params", {}).get("type") == "session.updated")
    lines[at] = {**lines[at], "params": {**lines[at]["params"], **change}}

    told = read(lines)

    assert code in codes(told)
    assert end(told) == INVALID


def test_events_before_they_were_subscribed_to_spoil_the_trial() -> None:
    begin = opened()

    told = read([*begin[:2], *events(BEGUN), *begin[2:], *events(ENDED), settled(), CLOSED])

    assert "not_subscribed" in codes(told)
    assert end(told) == INVALID


@pytest.mark.parametrize(
    ("told", "rejected"),
    [
        ((update("error", "c", error={"message": "Tool input failed inputSchema validation"}),), ["schema"]),
        ((update("error", "c", error={"message": "Tool not found: Bash"}),), ["unknown_tool"]),
        ((update("error", "c", error={"type": "permission_denied", "message": "no"}),), ["permission"]),
        ((("session.updated", {"type": "hook_run_completed", "toolCallId": "c"}),), ["hook"]),
        ((("permission.resolved", {"toolCallId": "c", "decision": "deny"}),), ["policy"]),
        ((("permission.resolved", {"toolCallId": "c", "decision": "deny"}), FAILED), ["policy"]),
        ((("permission.resolved", {"toolCallId": "c", "decision": "allow"}), RESULT), []),
        ((update("started", "c"), FAILED), []),
    ],
)
def test_how_a_call_was_not_carried_out(told: tuple[tuple[str, Any], ...], rejected: list[str]) -> None:
    trajectory = read(whole(*CALLED, *told))

    assert [one.reason for one in of(trajectory, ToolRejected)] == rejected
    assert end(trajectory) == COMPLETED


def test_a_call_that_was_cut_short_has_no_result() -> None:
    cut = update("error", "c", error={"type": "tool_timeout", "message": "60 s"})

    told = read(whole(*CALLED, update("started", "c"), cut))

    assert [one.message for one in of(told, ToolError)] == ["60 s"]
    assert of(told, ToolResult) == []


@pytest.mark.parametrize(
    ("native", "tool", "server"),
    [
        ("mcp__orders__look_up", "look_up", "orders"),
        ("mcp__orders__forget", "forget", "orders"),
        ("mcp__plugin_acme_orders__look_up", "look_up", "orders"),
        ("mcp__elsewhere__look_up", "look_up", "elsewhere"),
        ("mcp__orders", "mcp__orders", None),
        ("look_up", "look_up", None),
    ],
)
def test_a_tool_has_its_servers_name_for_it(native: str, tool: str, server: str | None) -> None:
    placed = PluginPlaced(plugin="acme", path="../plugins/local/acme/1", sha256=DIGEST, files={}, servers=("orders",))

    (asked,) = of(read(whole(streamed("c", native, {}), RESULT), notes=[placed]), ToolRequested)

    assert (asked.tool, asked.server) == (tool, server)


def test_models_and_retries_are_told() -> None:
    asked = {"providerId": "p", "modelId": "m", "messageCount": 3, "querySource": "main_turn"}
    retry = {"_meta": {"zcode": {"apiRetry": {"attempt": 1, "code": 429}}}}

    told = read(whole(("session.updated", asked), ("session.updated", retry)))

    assert [(one.provider, one.model, one.messages) for one in of(told, ModelRequested)] == [("p", "m", 3)]
    assert [str(one.cause) for one in of(told, Retry)] == ["rate_limit"]


def test_a_question_that_is_answered_again_is_decided_once() -> None:
    asked = {"requestId": "perm_1", "toolCallId": "c", "toolName": "Bash", "sessionId": SESSION}
    lines = [*opened(), *events(BEGUN, *CALLED, RESULT, ENDED), settled(), CLOSED]
    for number in (1, 2):
        at = 9 + 2 * (number - 1)
        lines[at:at] = [
            {"id": f"server-{number}", "method": "interaction/requestPermission", "params": asked},
            {"bridge": "sent", "message": {"id": f"server-{number}", "result": {"decision": "allow"}}},
        ]

    told = read(lines)

    assert [(one.call, one.decision) for one in of(told, PermissionDecided)] == [("c", "allowed")]
    assert end(told) == COMPLETED


PLUGIN = PluginPlaced(plugin="acme", path="../plugins/local/acme/1", sha256=DIGEST, files={}, servers=("orders",))
ENTRY = {"id": "acme@inline", "name": "acme", "enabled": True, "rootPath": "/tmp/x/plugins/local/acme/1"}
LISTED = {"plugins": [ENTRY, {"name": "other", "enabled": True}], "diagnostics": []}
CONNECTED = {"statuses": {"plugin:acme:orders": {"status": "connected", "toolCount": 1}}}
CATALOG = {"plugins": [{"name": "acme", "skillQualifiedNames": ["acme:notes"]}]}


def asked_of_plugins(listed: Line, servers: Line, catalog: Line) -> list[Line]:
    lines = opened()
    for id, (method, result) in enumerate(
        (("plugins/list", listed), ("mcp/list", servers), ("plugins/referenceCatalog", catalog)), 10
    ):
        lines += [sent(id, method, {}), {"id": id, "result": result}]
    return [*lines, *events(BEGUN, ENDED), settled(), CLOSED]


@pytest.mark.parametrize(
    ("listed", "servers", "catalog", "found"),
    [
        (LISTED, CONNECTED, CATALOG, (True, ("notes",), True, 1, 0)),
        ({"plugins": [], "diagnostics": [{"code": "x"}]}, CONNECTED, CATALOG, (False, ("notes",), True, 1, 1)),
        ({**LISTED, "diagnostics": [{"pluginId": "other@x"}]}, CONNECTED, CATALOG, (True, ("notes",), True, 1, 0)),
        ({"plugins": [{**ENTRY, "enabled": False}]}, CONNECTED, CATALOG, (False, ("notes",), True, 1, 0)),
        ({"plugins": [{**ENTRY, "rootPath": "/else"}]}, CONNECTED, CATALOG, (False, ("notes",), True, 1, 0)),
        ({"plugins": [ENTRY, ENTRY]}, CONNECTED, CATALOG, (False, ("notes",), True, 1, 0)),
        (LISTED, {"statuses": {}}, CATALOG, (True, ("notes",), False, None, 0)),
        (LISTED, CONNECTED, {"plugins": None}, (True, (), True, 1, 0)),
    ],
)
def test_what_the_program_found_of_a_plugin(listed: Line, servers: Line, catalog: Line, found: tuple[Any, ...]) -> None:
    (told,) = of(read(asked_of_plugins(listed, servers, catalog), notes=[PLUGIN]), PluginFound)

    enabled, skills, connected, tools, faults = found
    assert told.servers == (FoundServer("orders", connected, tools),)
    assert (told.plugin, told.enabled, told.skills, told.faults) == ("acme", enabled, skills, faults)


def test_a_skill_of_a_plugin_is_known_by_where_it_lies() -> None:
    path = "../plugins/local/acme/1/skills/notes"
    placed = SkillPlaced(skill="notes", path=path, sha256=DIGEST, body_sha256=DIGEST)
    base = "Base directory for this skill: {}/acme/1/skills/notes\n\nWrite."
    for folder, steps in (("/plugins/local", ["requested", "read"]), ("/elsewhere", ["requested"])):
        content = f'<skill_content name="acme:notes">\n{base.format(folder)}'
        loaded = update("result", "c", result={"success": True, "content": content})

        told = read(whole(streamed("c", "Skill", {"skill": "acme:notes"}), loaded), notes=[placed, PLUGIN])

        assert [str(one.step) for one in of(told, SkillStep)] == steps


WORDS = "# Notes\n\nWrite NOTE.  \n\n  - one\n- two"


@pytest.mark.parametrize(
    ("given", "read_it"),
    [
        (WORDS, True),
        (f"\n{WORDS}\n\n</skill_content>", True),
        (f"Arguments: none\n{WORDS}\nMore of it.", True),
        (WORDS.replace("\n", "\r\n"), True),
        (WORDS.replace("NOTE", "note"), False),
        (WORDS[:-5], False),
        ("", False),
    ],
)
def test_a_skill_is_read_where_its_very_words_are_given(given: str, read_it: bool) -> None:
    words = hashlib.sha256(WORDS.encode()).hexdigest()
    path = ".agents/skills/notes"
    placed = SkillPlaced(skill="notes", path=path, sha256=DIGEST, body_sha256=DIGEST, text_sha256=words)
    content = f'<skill_content name="notes">\nBase directory for this skill: /p/{path}\n\n{given}'
    loaded = update("result", "c", result={"success": True, "content": content})

    told = read(whole(streamed("c", "Skill", {"skill": "notes"}), loaded), notes=[placed])

    assert ("read" in [str(one.step) for one in of(told, SkillStep)]) is read_it


@settings(max_examples=60, deadline=None)
@given(chance=st.randoms(use_true_random=False))
def test_lines_that_were_tampered_with_break_nothing(chance: random.Random) -> None:
    lines: list[str] = [json.dumps(line) for line in whole(*CALLED, update("started", "c"), RESULT)]
    for _ in range(chance.randint(1, 5)):
        number = chance.randrange(len(lines))
        line = list(lines[number])
        for _ in range(chance.randint(1, 8)):
            line[chance.randrange(len(line))] = chance.choice('{}[]",:0atrue\\\u0000')
        lines[number] = "".join(line)

    made = records(lines)
    told = ZcodeNormalizer().normalize(made)

    assert len(of(told, SessionEnded)) == 1
    assert {event.seq for event in told} <= {record.seq for record in made}
