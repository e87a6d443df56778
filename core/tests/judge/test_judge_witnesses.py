"""Whether the fixtures' side of a trial can be believed, and what of it reaches a grader."""

from __future__ import annotations

import json
from typing import Any

import pytest

from skilltrial.archive.redaction import Redactor
from skilltrial.judge.witnesses import witnessed
from skilltrial.model.capabilities import Sees
from skilltrial.model.records import Record
from skilltrial.model.trial import FixtureIdentity
from skilltrial.model.wire import (
    Answered,
    Called,
    Connected,
    Forwarded,
    Placed,
    Refused,
    ToolsListed,
    wire_calls,
    wire_damaged,
    wire_notes,
)
from skilltrial.model.words import Ending, Owner, Source, VerdictKind
from skilltrial.testing.telling import TellingGrader

HELLO, LISTED = Connected(era="2025-06-18"), ToolsListed(count=2)
CALLED = Called(number=1, tool="remember", arguments={"text": "x"}, joins="c1")
STORED = Answered(number=1, result="stored")
CALLS_ALONE = frozenset(Sees) - {Sees.MODEL_IDS, Sees.TOOL_RESULTS}
"""What a host shows whose events here tell neither of results nor of a model."""


@pytest.fixture
def said(w):
    """What the host tells of one call of `remember`, and what it does with it."""

    def events(*more, call="c1", **fields):
        asked = {"call": call, "tool": "remember", "server": "memory", "input": {"text": "x"}, **fields}
        return [w.event("ToolRequested", turn=1, **asked), *more, w.ANSWER, w.COMPLETED]

    return events


@pytest.fixture
def judged(world, w):
    """The report of a trial whose host told these events, and whose fixtures left these records."""

    def report(events, *checks, **fixtures):
        world.fixtures = tuple(fixtures) or ("memory",)
        world.sees &= CALLS_ALONE
        happened = w.replace(
            w.trial(*events), fixtures={name: one for name, one in fixtures.items() if one is not None}
        )
        return world.verdict(*checks, happened=happened)

    return report


IDLE = [{"event": "TurnEnded", "turn": 1, "answer": "done"}, {"event": "SessionEnded", "ending": "completed"}]
BAD = '{"wire":"called","number":1,"tool":["remember"]}'


@pytest.mark.parametrize(
    ("notes", "reason", "owner"),
    [
        (None, "fixture_not_contacted", Owner.HOST),
        ([], "fixture_not_contacted", Owner.HOST),
        (['{"wire":"woken","why":"a later release"}'], "fixture_not_contacted", Owner.HOST),
        ([HELLO], "fixture_tools_not_listed", Owner.HOST),
        ([HELLO, Refused(why="no_such_method")], "fixture_tools_not_listed", Owner.HOST),
        ([HELLO, ToolsListed(count=0)], "fixture_list_empty", Owner.HOST),
        ([HELLO, LISTED, CALLED], "fixture_did_not_answer", Owner.FIXTURE),
        ([HELLO, LISTED, CALLED, STORED], "call_without_request", Owner.HOST),
        ([HELLO, LISTED, BAD], "fixture_record_unreadable", Owner.FIXTURE),
        ([BAD], "fixture_record_unreadable", Owner.FIXTURE),
        (
            [HELLO, LISTED, CALLED, Answered(number=1, because="unscripted")],
            "fixture_unscripted",
            Owner.FIXTURE,
        ),
    ],
)
def test_r26_a_program_that_could_not_have_called_shows_nothing_of_its_agent(judged, w, notes, reason, owner):
    report = judged(IDLE, w.check("told"), memory=None if notes is None else w.wire(*notes))
    assert (report.verdict.kind, report.verdict.reason, report.verdict.owner) == (VerdictKind.INCOMPLETE, reason, owner)
    assert report.checks == ()
    assert report.ending is Ending.COMPLETED


@pytest.mark.parametrize("gives", ["passed", "failed", "unverified"])
@pytest.mark.parametrize("counts", [[2], [0, 2], [2, 0]], ids=str)
def test_an_agent_that_had_tools_and_called_none_is_judged_like_any_other(judged, w, gives, counts):
    notes = [HELLO, *(ToolsListed(count=count) for count in counts)]
    assert judged(IDLE, w.check("told", gives), memory=w.wire(*notes)).verdict.kind == VerdictKind(gives)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ([{"servers": ["memory"]}], None),
        ([{"servers": ["other", "memory"]}, {}], None),
        ([{"servers": ["plugin:memories:memory"]}], None),
        ([{"servers": ["plugin:memory:memories"]}], "fixture_not_at_host"),
        ([{"servers": None}], None),
        ([{}], None),
        ([{"servers": []}], "fixture_not_at_host"),
        ([{"servers": ["memories"]}], "fixture_not_at_host"),
        ([{"servers": ["memory"]}, {"servers": []}], "fixture_not_at_host"),
        ([{"servers": [], "agent": "sub"}], None),
    ],
)
def test_r30_tools_that_were_listed_on_the_wire_and_are_absent_at_the_host_show_nothing(judged, w, said, reason):
    offered = [w.event("Offered", turn=1, **one) for one in said]

    verdict = judged([*offered, *IDLE], w.check("told"), memory=w.wire(HELLO, LISTED)).verdict

    assert (verdict.reason, verdict.owner) == ((reason, Owner.HOST) if reason else (None, None))


@pytest.mark.parametrize("other", [None, [HELLO], [HELLO, ToolsListed(count=0)]])
def test_every_fixture_of_the_suite_must_have_been_ready(judged, w, other):
    report = judged(IDLE, memory=w.wire(HELLO, LISTED), tickets=None if other is None else w.wire(*other))
    assert report.verdict.kind is VerdictKind.INCOMPLETE


def test_a_suite_without_fixtures_is_judged_without_them(world, w):
    assert world.verdict(w.check("told")).verdict.kind is VerdictKind.PASSED


WHOLE = [HELLO, LISTED, CALLED, STORED]


@pytest.mark.parametrize(
    ("more", "notes", "reason"),
    [
        ([{"event": "ToolRejected", "call": "c1", "reason": "permission"}], WHOLE[:2], "fixture_tool_denied"),
        ([{"event": "ToolRejected", "call": "c1", "reason": "policy"}], WHOLE[:2], "fixture_tool_denied"),
        (
            [{"event": "PermissionDecided", "call": "c1", "tool": "mcp__memory__remember", "decision": "denied"}],
            WHOLE[:2],
            "fixture_tool_denied",
        ),
        ([{"event": "ToolRejected", "call": "c1", "reason": "schema"}], WHOLE[:2], None),
        ([{"event": "ToolRejected", "call": "c1", "reason": "unknown_tool"}], WHOLE[:2], None),
        ([{"event": "ToolRejected", "call": "c9", "reason": "permission"}], WHOLE, None),
        ([{"event": "PermissionDecided", "call": "c1", "tool": "remember", "decision": "allowed"}], WHOLE, None),
        ([], WHOLE, None),
        ([], WHOLE[:2], "request_without_call"),
        ([], [*WHOLE, Called(number=2, tool="remember"), Answered(number=2)], "call_without_request"),
    ],
)
def test_what_both_witnesses_say_of_a_call_decides_whether_it_is_judged(judged, w, said, more, notes, reason):
    verdict = judged(said(*more), w.check("told"), memory=w.wire(*notes)).verdict
    assert verdict.reason == reason
    assert verdict.kind is (VerdictKind.INCOMPLETE if reason else VerdictKind.PASSED)
    assert verdict.owner is (Owner.HOST if reason else None)


@pytest.mark.parametrize("server", [None, "theirs"])
@pytest.mark.parametrize("refuses", [True, False])
def test_calls_of_other_tools_leave_the_fixture_alone(judged, w, said, server, refuses):
    outcome = {"event": "ToolRejected", "reason": "permission"} if refuses else {"event": "ToolResult"}
    refused = w.event(**{"kind": outcome.pop("event"), "turn": 1, "call": "own", **outcome})
    own = w.event("ToolRequested", turn=1, call="own", tool="Bash", server=server)
    assert judged(said(own, refused), w.check("told"), memory=w.wire(*WHOLE)).verdict.kind is VerdictKind.PASSED


def test_the_first_cause_is_the_one_that_is_named(judged, w, said):
    """Damaged > never ready > unanswered > denied > contradiction: each of these would explain the ones behind it."""
    denied = w.event("ToolRejected", call="c1", reason="permission")
    lone = Called(number=7, tool="forget")
    ladder: list[tuple[list[Any], str]] = [
        ([HELLO, CALLED, lone, BAD], "fixture_record_unreadable"),
        ([HELLO, CALLED, lone], "fixture_tools_not_listed"),
        ([HELLO, LISTED, CALLED, lone], "fixture_did_not_answer"),
        ([HELLO, LISTED, lone, Answered(number=7)], "fixture_tool_denied"),
    ]
    for notes, reason in ladder:
        assert judged(said(denied), memory=w.wire(*notes)).verdict.reason == reason
    assert judged(said(), memory=w.wire(*ladder[-1][0])).verdict.reason == "call_without_request"


def test_a_session_that_broke_is_told_before_its_fixtures(judged, w):
    report = judged([w.event("SessionEnded", ending="host_failed", cause="server")], memory=None)
    assert report.verdict.reason == "host_failed"


def test_a_host_that_shows_no_calls_is_believed_what_the_wire_shows(world, judged, w):
    world.sees = frozenset({Sees.ANSWERS})
    check = w.check("told") | {"received": ["memory.remember"]}
    del check["gives"]
    assert judged(IDLE, check, memory=w.wire(*WHOLE)).verdict.kind is VerdictKind.PASSED


def test_a_check_is_told_by_which_other_names_tools_are_known(world, judged, w, monkeypatch):
    seen = []
    grade = TellingGrader.grade

    def kept(self, check, evidence):
        seen.append(evidence.names)
        return grade(self, check, evidence)

    monkeypatch.setattr(TellingGrader, "grade", kept)
    world.plan = {"fixtures": {"memory": FixtureIdentity(tools=("remember",), aliases={"store": "remember"})}}
    world.sees = frozenset({Sees.ANSWERS})
    judged(IDLE, memory=w.wire(*WHOLE))

    assert seen == [{"memory": {"store": "remember"}}]


def received(id: str, *wire: str, joined=(), **more):
    return {"id": id, "grader": "tell", "received": list(wire), "joined": list(joined), **more}


def test_graders_see_the_calls_of_all_fixtures_as_they_arrived_and_of_a_turn_alone(world, w):
    world.fixtures = ("memory", "tickets")
    world.sees = CALLS_ALONE
    world.cases = [w.case(turns=["a", "b"])]

    def call(name, turn, server, tool):
        return w.event("ToolRequested", turn=turn, call=name, tool=tool, server=server, input={})

    events = [
        call("c1", 1, "memory", "remember"),
        call("c2", 2, "tickets", "close"),
        call("c3", 2, "memory", "forget"),
        w.event("TurnEnded", turn=2, answer="done"),
        w.COMPLETED,
    ]
    memory = w.wire(
        HELLO, LISTED, Called(number=1, tool="remember", arguments={}), Answered(number=1),
        Called(number=2, tool="forget", arguments={}), Answered(number=2), turns=(0, 0, 1, 1, 2, 2),
    )  # fmt: skip
    tickets = w.wire(
        HELLO, LISTED, Called(number=1, tool="close", arguments={}), Answered(number=1), turns=(0, 0, 2, 2)
    )
    tickets = tuple(w.replace(one, at=one.at + 1.5) for one in tickets)  # `close` between `remember` and `forget`
    report = world.verdict(
        received("all", "memory.remember", "tickets.close", "memory.forget", joined=["remember", "close", "forget"]),
        received("first", "memory.remember", joined=["remember"], turn=1),
        received("second", "tickets.close", "memory.forget", joined=["close", "forget"], turn=2),
        happened=w.replace(w.trial(*events, turns=2), fixtures={"memory": memory, "tickets": tickets}),
    )
    assert {check.id: check.reason for check in report.checks} == dict.fromkeys(["all", "first", "second"], "holds")


# --- What a fixture put on record ------------------------------------------------------------------------------------


def test_calls_stand_in_the_order_of_their_numbers_with_their_own_answers(w):
    records = w.wire(
        Called(number=2, tool="b"), Called(number=1, tool="a"), Called(number=3, tool="c"),
        Answered(number=3, result="three", because="unexpected"), Answered(number=1, result="one", is_error=True),
    )  # fmt: skip
    told = [(one.tool, one.result, one.is_error, one.answered, one.because) for one in wire_calls("memory", records)]
    assert told == [
        ("a", "one", True, True, "rule"),
        ("b", None, False, False, None),
        ("c", "three", False, True, "unexpected"),
    ]


@pytest.mark.parametrize(
    ("raw", "damaged"),
    [
        ('{"wire":"woken"}', False),
        ('{"wire":"notified","number":1}', False),
        (CALLED.model_dump_json(), False),
        (BAD, True),
        ('{"wire":"called","number":1,"tool":"t","of_a_later_release":1}', True),
        ('{"wire":"answered","number":"1"}', True),
        ('{"wire":"called"', True),
        ('{"wire":1}', True),
        ('"wire"', True),
        ("", True),
        ("[" * 5000, True),
    ],
)
def test_a_note_of_a_later_release_is_passed_over_and_a_damaged_one_is_not(w, raw, damaged):
    records = w.wire(HELLO, raw, STORED)
    assert wire_damaged(records) is damaged
    assert [type(note) for _, note in wire_notes(records) if not isinstance(note, Called)] == [Connected, Answered]


def test_only_a_fixture_can_damage_its_record(w):
    assert not wire_damaged([w.replace(one, source=Source.STDERR) for one in w.wire("a warning")])


@pytest.mark.parametrize("arguments", ['{"text":"\\ud83d"}', '{"text":"\ud83d"}'], ids=["escaped", "as it came"])
def test_half_a_character_in_a_call_does_not_make_it_vanish(w, arguments):
    records = w.wire(f'{{"wire":"called","number":1,"tool":"remember","arguments":{arguments}}}')
    assert [call.arguments for call in wire_calls("memory", records)] == [{"text": "\ud83d"}]
    assert not wire_damaged(records)


@pytest.mark.parametrize(
    "secret", ["hunter2-hunter2", 'quo"te\\back', "line one\nand line two", "émoji-\U0001f600", "a/b&c<d>e"]
)
def test_a_call_from_which_a_credential_was_taken_is_still_read(secret):
    redact = Redactor({"TOKEN": secret})
    raw, hits = redact.text(Called(number=1, tool="remember", arguments={"text": f"my {secret}."}).model_dump_json())
    (call,) = wire_calls("memory", [Record(1, 0.0, Source.WIRE, 1, raw, hits)])
    assert hits
    assert call.arguments == {"text": "my [redacted TOKEN]."}
    assert not wire_damaged([Record(1, 0.0, Source.WIRE, 1, raw, hits)])


@pytest.mark.parametrize("secret", ["1234567", "called"])
def test_a_call_that_a_redaction_broke_is_missed_and_not_called_unmade(secret):
    note = Called(number=1, tool="remember", arguments={"id": 1234567})
    raw, hits = Redactor({"TOKEN": secret}).text(json.dumps(note.model_dump(mode="json")))
    record = Record(1, 0.0, Source.WIRE, 1, raw, hits)
    assert hits
    assert wire_calls("memory", [record]) == ()
    assert wire_damaged([record])


PLACED = Placed(programs=("git", "gh"))
RAN = Called(number=1, tool="git", arguments={"argv": ["push"], "cwd": ".", "stdin": None})


def test_programs_are_ready_when_they_are_placed_and_no_host_shows_what_a_command_starts(judged, w):
    idle = judged(IDLE, w.check("told"), tools=w.wire(PLACED))
    ran = judged(IDLE, w.check("told"), tools=w.wire(PLACED, RAN, Answered(number=1, result={"exit": 0})))

    assert idle.verdict.kind is ran.verdict.kind is VerdictKind.PASSED


def test_a_call_of_a_program_that_was_never_answered_leaves_the_trial_incomplete(judged, w):
    report = judged(IDLE, w.check("told"), tools=w.wire(PLACED, RAN))

    assert (report.verdict.reason, report.verdict.owner) == ("fixture_did_not_answer", Owner.FIXTURE)


def test_programs_beside_a_server_leave_its_own_witnesses_as_they_are(judged, w):
    wire = {"memory": w.wire(HELLO, LISTED, CALLED, STORED), "tools": w.wire(PLACED)}

    report = judged(IDLE, w.check("told"), **wire)

    assert report.verdict.reason == "call_without_request"


@pytest.mark.parametrize(("why", "owner"), [("timeout", Owner.FIXTURE), ("not_authorized", Owner.OPERATOR)])
def test_a_real_server_that_failed_is_named_and_never_the_agents_fault(judged, w, said, why, owner):
    failed = Forwarded(number=1, sent={"name": "remember"}, failed=why)

    report = judged(said(), w.check("told"), memory=w.wire(HELLO, LISTED, CALLED, failed))

    assert (report.verdict.kind, report.verdict.reason) == (VerdictKind.INCOMPLETE, f"server_{why}")
    assert report.verdict.owner is owner


def test_a_real_server_that_answered_is_a_witness_like_any_other(judged, w, said):
    passed = Forwarded(number=1, sent={"name": "remember"}, got={"content": []})
    answered = Answered(number=1, result="stored", because="forwarded")

    report = judged(said(), w.check("told"), memory=w.wire(HELLO, LISTED, CALLED, passed, answered))

    assert report.verdict.kind is VerdictKind.PASSED


@pytest.mark.parametrize(
    ("listed", "reason"),
    [([0, 1, 2], None), ([0, 0, 2], "fixture_tools_not_listed"), ([0, 1, 1], "fixture_tools_not_listed")],
)
def test_r26_each_process_of_a_session_must_have_listed_the_tools(w, listed, reason):
    records = {"memory": w.wire(HELLO, LISTED, LISTED, turns=listed)}

    seen = witnessed(("memory",), records, (), frozenset({Sees.TOOL_CALLS}), frozenset({1, 2}))

    assert seen.doubt == (None if reason is None else (reason, Owner.HOST))
