"""The real bridge with an agent that speaks the protocol, and what the normalizer makes of it."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.api import (
    Cause,
    Ending,
    Owner,
    PermissionDecided,
    SessionEnded,
    SessionStarted,
    SkillStep,
    Source,
    Step,
    ToolRejected,
    ToolRequested,
    ToolResult,
    TurnEnded,
)
from skilltrial_host_acp.job import Job, Server
from skilltrial_host_acp.normalizer import AcpNormalizer


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def end(events):
    (ended,) = of(events, SessionEnded)
    return ended.ending, ended.cause, ended.owner


def call(number, title, **more):
    """A call and its end, as two updates."""
    begun = {"sessionUpdate": "tool_call", "toolCallId": number, "title": title, "rawInput": {"x": 1}, **more}
    ended = {"sessionUpdate": "tool_call_update", "toolCallId": number, "status": "completed", "rawOutput": {"y": 2}}
    return [{"update": begun}, {"update": ended}]


def test_a_turn_is_told_by_the_protocol_alone(talk):
    events = talk([{"say": "Let me see."}, *call("c1", "shell"), {"say": "Do"}, {"say": "ne."}])

    assert end(events) == (Ending.COMPLETED, None, None)
    assert of(events, SessionStarted)[0].version == "1.2.3"
    (asked,) = of(events, ToolRequested)
    assert (asked.call, asked.tool, asked.server, asked.input) == ("c1", "shell", None, {"x": 1})
    (result,) = of(events, ToolResult)
    assert (result.call, result.content, result.is_error) == ("c1", {"y": 2}, False)
    assert of(events, TurnEnded)[0].answer == "Done."


def test_an_input_that_comes_later_is_the_calls(talk):
    opened = {"title": "shell", "status": "pending", "rawInput": {"cwd": "/p"}}
    begun = {"sessionUpdate": "tool_call", "toolCallId": "c", **opened}
    filled = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "in_progress", "rawInput": {"z": 3}}
    ended = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed", "title": "renamed"}

    events = talk([{"update": begun}, {"update": filled}, {"update": ended}, {"say": "Done."}])

    (asked,) = of(events, ToolRequested)
    assert (asked.tool, asked.input) == ("shell", {"z": 3})
    assert of(events, ToolResult)[0].is_error


def test_an_agent_that_says_nothing_after_a_refusal_is_judged(talk):
    events = talk([{"ask": "c", "kind": "execute", "title": "rm", "paths": []}])

    assert end(events) == (Ending.COMPLETED, None, None)
    assert of(events, TurnEnded)[0].answer == ""


@pytest.mark.parametrize("title", ["orders_look_up", "mcp__orders__look_up", "orders: look-up", "orders/look_up"])
def test_a_servers_tool_is_known_by_both_names(talk, title):
    events = talk([*call("c", title), {"say": "Done."}], servers={"orders": ["look_up"], "other": ["look_up"]})

    (asked,) = of(events, ToolRequested)
    assert (asked.server, asked.tool) == ("orders", "look_up")


@pytest.mark.parametrize(
    ("kind", "title", "paths", "allowed"),
    [
        ("edit", "Write notes", ["notes.txt"], True),
        ("edit", "Write passwords", ["/etc/passwd"], False),
        ("edit", "Write out", ["../out.txt"], False),
        ("edit", "Write somewhere", [], False),
        ("read", "Read notes", ["/etc/hostname"], True),
        ("execute", "ls", [], False),
        ("execute", "npm test", [], True),
        ("execute", "gh pr list", [], True),
        ("execute", "`gh`", [], True),
        ("execute", "ghost", [], False),
        ("fetch", "anywhere", [], True),
        ("other", "orders_look_up", [], True),
        ("other", "orders_look_up_more", [], False),
    ],
)
def test_what_is_asked_for_is_answered_by_one_rule_and_on_record(talk, kind, title, paths, allowed):
    job = Job(prompt="Go.", tools=("look_up",), allow=("npm", "fetch"), programs=("gh",))

    events = talk([{"ask": "c", "kind": kind, "title": title, "paths": paths}, {"say": "Done."}], job=job)

    (decided,) = of(events, PermissionDecided)
    assert (decided.call, decided.tool) == ("c", title)
    assert decided.decision == ("allowed" if allowed else "denied")
    assert [event.reason for event in of(events, ToolRejected)] == ([] if allowed else ["permission"])
    assert end(events) == (Ending.COMPLETED, None, None)


def test_a_conversation_is_taken_up_and_its_past_is_not_told_again(bridge, records, tmp_path):
    first = bridge(Job(prompt="One."), [*call("c", "shell"), {"say": "One."}], tmp_path)
    second = bridge(Job(prompt="Two.", session="s-1"), [{"say": "Two."}], tmp_path)

    turns = [(done.stdout.splitlines(), done.returncode) for done in (first, second)]
    events = AcpNormalizer().normalize(records(*turns))

    assert [event.answer for event in of(events, TurnEnded)] == ["One.", "Two."]
    assert [event.call for event in of(events, ToolRequested)] == ["c"]
    assert end(events) == (Ending.COMPLETED, None, None)


def test_an_agent_that_can_not_take_up_or_take_servers_is_the_operators_matter(talk):
    job = Job(prompt="Go.", session="s-1")
    served = Job(prompt="Go.", servers=(Server(name="orders", url="http://127.0.0.1:9/x"),))

    assert end(talk([{"say": "Done."}], job=job, load=False)) == (
        Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR,
    )  # fmt: skip
    assert end(talk([{"say": "Done."}], job=served, http=False)) == (
        Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.OPERATOR,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("script", "ending", "cause", "owner"),
    [
        ([{"error": {"code": -32000, "message": "Authentication required"}}], "host_failed", "auth", "operator"),
        ([{"error": {"code": -32603, "message": "API 429: slow"}}], "host_failed", "rate_limit", "model"),
        ([{"error": {"code": -32603, "message": "x", "data": {"status": 503}}}], "host_failed", "server", "model"),
        (
            [{"error": {"code": -32603, "message": "x", "data": {"type": "overloaded_error"}}}],
            "host_failed",
            "server",
            "model",
        ),
        ([{"error": {"code": -32603, "message": "who knows"}}], "host_failed", "unclassified", "host"),
        ([{"say": "a"}, {"stop": "refusal"}], "host_failed", "refusal", "model"),
        ([{"say": "a"}, {"stop": "max_tokens"}], "host_failed", "context", "agent"),
        ([{"say": "a"}, {"stop": "cancelled"}], "host_failed", "unclassified", "host"),
        ([], "host_failed", "empty", "model"),
        ([{"say": "a"}, {"die": 0}], "host_failed", "unclassified", "host"),
        ([{"say": "a"}, {"die": 3}], "host_failed", "unclassified", "host"),
        ([call("c", "shell")[0], {"say": "a"}], "invalid_events", None, "host"),
        ([{"raw": "no json"}, {"say": "a"}], "completed", None, None),
    ],
)
def test_what_did_not_end_well_is_never_behaviour(talk, script, ending, cause, owner):
    told = end(talk(script))

    assert tuple(None if one is None else str(one) for one in told) == (ending, cause, owner)


def test_what_an_agent_prints_beside_messages_is_on_record_in_its_order_and_forges_nothing(bridge, tmp_path):
    deep = '{"bridge": "prompted", "x": ' + "[" * 5000 + "]" * 5000 + "}"
    script = [
        {"raw": "first"},
        {"say": "One."},
        {"raw": '{"bridge": "failed"}'},
        {"raw": deep},
        {"raw": "[1]"},
        {"say": "Two."},
    ]

    told = bridge(Job(prompt="Go."), script, tmp_path).stdout.splitlines()

    kept = told[next(n for n, line in enumerate(told) if line == "first") :]
    assert [("One." in line, "Two." in line) for line in kept].count((False, False)) == 5
    assert [kept.index(line) for line in ("first", deep[:-1], "[1]")] == [0, 3, 4]
    # An object is a message of the agent's, and no word of the bridge.
    assert json.loads(kept[2]) == {"from": "agent", "message": {"bridge": "failed"}}
    assert "One." in kept[1]
    assert "Two." in kept[5]


def test_a_skill_is_seen_where_the_files_of_a_reading_call_name_it(talk):
    def steps(path, kind="read"):
        events = talk([*call("c", "Read", kind=kind, locations=[{"path": path}]), {"say": "Done."}])
        return [(event.skill, event.step) for event in of(events, SkillStep)]

    assert steps("/p/.agents/skills/notes/SKILL.md") == [("notes", Step.REQUESTED), ("notes", Step.READ)]
    assert steps("/q/.agents/skills/notes/SKILL.md") == []
    assert steps("/p/.agents/skills/notes/SKILL.md", "edit") == []


@pytest.fixture(scope="module")
def whole(bridge, tmp_path_factory):
    """The lines of a turn that ended well."""
    script = [{"say": "Let me."}, *call("c1", "shell"), *call("c2", "orders_look_up"), {"say": "Done."}]
    return bridge(Job(prompt="Go."), script, tmp_path_factory.mktemp("whole")).stdout.splitlines()


def test_a_conversation_that_is_cut_anywhere_is_never_complete(whole, records):
    for kept in range(len(whole)):
        cut = [*whole[:kept], whole[kept][: len(whole[kept]) // 2]]
        for lines in (whole[:kept], cut):
            assert end(AcpNormalizer().normalize(records((lines, 0))))[0] is not Ending.COMPLETED, kept
    for code in (1, -9, None):
        assert end(AcpNormalizer().normalize(records((whole, code))))[0] is not Ending.COMPLETED
    assert end(AcpNormalizer().normalize(records((whole, 0))))[0] is Ending.COMPLETED


@settings(max_examples=60, deadline=None)
@given(chance=st.randoms(use_true_random=False))
def test_lines_that_were_tampered_with_break_nothing(whole, records, chance: random.Random):
    lines = list(whole)
    for _ in range(chance.randint(1, 5)):
        number = chance.randrange(len(lines))
        line = list(lines[number])
        for _ in range(chance.randint(1, 8)):
            line[chance.randrange(len(line))] = chance.choice('{}[]",:0atrue\\\u0000')
        lines[number] = "".join(line)

    made = records((lines, 0))
    events = AcpNormalizer().normalize(made)

    assert len(of(events, SessionEnded)) == 1
    assert {event.seq for event in events} <= {record.seq for record in made}
    assert Source.STDOUT in {record.source for record in made}


@pytest.mark.parametrize(
    "line", ["null", "[]", "{}", '{"from":"agent"}', '{"from":"agent","message":[]}', '{"bridge":3}']
)
def test_lines_of_no_meaning_break_nothing(records, line):
    assert end(AcpNormalizer().normalize(records(([line], 0))))[0] is Ending.INVALID_EVENTS


def test_the_job_survives_what_prompts_may_hold(bridge, tmp_path):
    prompt = 'a "quote"\n\u2028 é \U0001f600'

    done = bridge(Job(prompt=prompt), [{"say": "Done."}], tmp_path)

    sent = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    prompts = [
        one["message"]["params"]["prompt"] for one in sent if one.get("message", {}).get("method") == "session/prompt"
    ]
    assert prompts[0][0]["text"] == prompt
