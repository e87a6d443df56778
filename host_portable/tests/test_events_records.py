"""The format `events`: a program is believed about what it did, not about whose skill it was or how it ended."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.api import (
    ABSENT,
    EVENTS,
    Cause,
    Ending,
    Exited,
    FoundServer,
    LimitHit,
    Owner,
    PluginFound,
    Record,
    SessionEnded,
    SkillStep,
    Source,
    Step,
    ToolRequested,
    ToolResult,
    TurnEnded,
    TurnStarted,
    Unavailable,
    Unrecognized,
    as_raw,
)
from skilltrial_host_portable.events import EventsNormalizer

DONE = {"type": "SessionEnded", "ending": "completed"}


def normalize(records):
    return tuple(EventsNormalizer().normalize(records))


def of(records, kind):
    return [event for event in normalize(records) if isinstance(event, kind)]


def end(records):
    (ended,) = of(records, SessionEnded)
    return ended.ending, ended.cause, ended.owner


# --- what the lines say ---------------------------------------------------------------------------------------


def test_lines_become_events_at_their_record_and_turn(story):
    records = story(
        (
            [
                {"type": "SessionStarted", "session": "s", "version": "1", "model": None},
                {"type": "ToolRequested", "call": "c", "tool": "read_file", "input": {"path": "a"}},
                {"type": "ToolResult", "call": "c", "content": ["x", 1, None], "is_error": False},
                {"type": "TurnEnded", "answer": "Done."},
                DONE,
            ],
            0,
        )
    )

    (request,), (result,), (answer,) = of(records, ToolRequested), of(records, ToolResult), of(records, TurnEnded)
    assert (request.seq, request.turn, request.input) == (5, 1, {"path": "a"})
    assert result.content == ["x", 1, None]
    assert answer.answer == "Done."
    assert end(records) == (Ending.COMPLETED, None, None)


def test_an_input_that_was_not_told_is_absent_and_not_null(story):
    call = {"type": "ToolRequested", "call": "c", "tool": "t"}
    records = story(([call, {**call, "input": None}, DONE], 0))

    absent, null = of(records, ToolRequested)
    assert absent.input is ABSENT
    assert null.input is None


def test_the_prompt_is_what_the_runner_sent_and_not_what_the_program_claims(story):
    records = story(([{"type": "TurnStarted", "prompt_sha256": "0" * 64}, DONE], 0))

    (started,) = of(records, TurnStarted)
    assert started.prompt_sha256 == story.digest
    assert [event.why for event in of(records, Unrecognized)] == ["unknown_type"]


@pytest.mark.parametrize(
    "line", ["warning: old version", "", "null", "[1, 2]", '{"level": "info"}', '{"type": "Future"}', '"x"']
)
def test_a_line_that_is_no_event_is_kept_and_spoils_nothing(story, line):
    records = story(([line, DONE], 0))

    (kept,) = of(records, Unrecognized)
    assert records[kept.seq - 1].raw == line
    assert end(records)[0] is Ending.COMPLETED


@pytest.mark.parametrize(
    "line",
    [
        '{"type": "ToolRequested", "call": "c"',
        '{"type": "ToolRequested", "call": "c"}',
        '{"type": "ToolRequested", "call": 5, "tool": "t"}',
        '{"type": "ToolRequested", "call": "c", "tool": "t", "colour": 1}',
        '{"type": "ToolRequested", "call": "c", "tool": "t", "seq": 1}',
        '{"type": "Usage", "input": "5"}',
        '{"type": "Usage", "input": true}',
        '{"type": "SkillStep", "skill": "notes", "step": "loved"}',
        '{"type": "SessionEnded", "ending": "time_limit"}',
        '{"type": "SessionEnded"}',
        '{"type": "ToolResult", "call": "c", "content": ' + "[" * 5000,
        '{"type": "ToolResult", "call": "\udcff"}',
    ],
)
def test_a_damaged_event_is_kept_and_the_session_is_not_judged(story, line):
    records = story(([line, DONE], 0))

    (kept,) = of(records, Unrecognized)
    assert kept.why.startswith("damaged_")
    assert end(records) == (Ending.INVALID_EVENTS, None, Owner.HOST)


TOLD = {"call": "c", "tool": "t", "reason": "hook", "decision": "denied", "cause": "server", "enabled": True}


def test_every_kind_of_event_that_a_program_may_tell_can_be_read(story):
    for kind in EVENTS:
        if kind in (TurnStarted, Unrecognized, SessionEnded, SkillStep):
            continue
        values = {
            field.name: TOLD.get(field.name, "x")
            for field in dataclasses.fields(kind)
            if field.default is dataclasses.MISSING and field.name != "seq"
        }
        assert len(of(story(([{"type": kind.__name__, **values}, DONE], 0)), kind)) == 1, kind


def test_what_a_program_found_of_a_plugin_is_read_with_its_servers(story):
    server = {"name": "books", "connected": True, "tools": 3}
    told = {"type": "PluginFound", "plugin": "ledger", "enabled": True, "skills": ["ledger"], "servers": [server]}

    (found,) = of(story(([told, DONE], 0)), PluginFound)

    assert found.skills == ("ledger",)
    assert found.servers == (FoundServer(name="books", connected=True, tools=3),)


# --- skills ---------------------------------------------------------------------------------------------------


def test_r2_a_skill_is_known_by_path_and_digest_and_by_no_name(story):
    told = {"type": "SkillStep", "skill": "whatever", "step": "read", "path": ".agents/skills/notes/SKILL.md"}

    (step,) = of(story(([{**told, "sha256": story.body}, DONE], 0)), SkillStep)

    assert (step.skill, step.step) == ("notes", Step.READ)


@pytest.mark.parametrize(
    "claim",
    [
        {},
        {"path": ".agents/skills/notes/SKILL.md"},
        {"path": ".agents/skills/notes/SKILL.md", "sha256": "0" * 64},
        {"path": ".agents/skills/notes/SKILL.md", "sha256": None},
        {"path": "../.agents/skills/notes/SKILL.md", "sha256": "BODY"},
        {"path": "notes/SKILL.md", "sha256": "BODY"},
        {"path": ["x"], "sha256": "BODY"},
    ],
)
def test_r3_another_skill_of_the_same_name_is_not_the_suites(story, claim):
    claim = {key: story.body if value == "BODY" else value for key, value in claim.items()}
    records = story(([{"type": "SkillStep", "skill": "notes", "step": "read", **claim}, DONE], 0))

    assert of(records, SkillStep) == []
    assert [event.why for event in of(records, Unrecognized)] == ["not_a_placed_skill"]
    assert end(records)[0] is Ending.COMPLETED


def test_r14_where_no_skill_was_placed_none_can_be_read(story):
    told = {
        "type": "SkillStep",
        "skill": "notes",
        "step": "read",
        "path": ".agents/skills/notes/SKILL.md",
        "sha256": story.body,
    }

    assert of(story(([told, DONE], 0), placed=None), SkillStep) == []


# --- endings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cause", "owner"),
    [
        ("auth", Owner.OPERATOR),
        ("rate_limit", Owner.MODEL),
        ("refusal", Owner.MODEL),
        ("context", Owner.AGENT),
        (None, Owner.HOST),
    ],
)
def test_r42_a_failure_that_was_told_beats_an_exit_code_of_zero(story, cause, owner):
    failed = {"type": "SessionEnded", "ending": "host_failed", "cause": cause}

    assert end(story(([failed], 0))) == (Ending.HOST_FAILED, Cause(cause or "unclassified"), owner)


def test_a_failure_is_not_taken_back_by_a_later_line(story):
    failed = {"type": "SessionEnded", "ending": "host_failed", "cause": "quota"}

    assert end(story(([failed, DONE], 0)))[1] is Cause.QUOTA
    assert end(story(([failed], 1), ([DONE], 0)))[1] is Cause.QUOTA


def test_a_claim_of_success_does_not_beat_a_bad_exit(story):
    assert end(story(([DONE], 1))) == (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST)


@pytest.mark.parametrize("turns", [[([], 0)], [([DONE], 0), ([], 0)], [([DONE], None)], []])
def test_a_missing_end_is_no_success(story, turns):
    assert end(story(*turns))[0] is Ending.INVALID_EVENTS


def test_a_prompt_that_no_process_got_is_no_success(story):
    records = story(([DONE], 0))
    more = Record(len(records) + 1, 0.0, Source.RUNNER, 2, as_raw_turn(2, story.digest))

    assert end((*records, more))[0] is Ending.INVALID_EVENTS


def as_raw_turn(turn, digest):
    return json.dumps({"note": "turn_sent", "turn": turn, "prompt_sha256": digest})


@pytest.mark.parametrize(
    ("note", "ending"),
    [(LimitHit(limit="stdout", value=1), Ending.OUTPUT_LIMIT), (Unavailable(why="missing"), Ending.HOST_UNAVAILABLE)],
)
def test_what_the_runner_knows_beats_what_the_program_says(story, note, ending):
    assert end(story(([DONE], note)))[0] is ending


def test_only_standard_output_speaks(story):
    records = story(([DONE], 0))
    told = Record(len(records) + 1, 0.0, Source.STDERR, 1, json.dumps({"type": "TurnEnded", "answer": "x"}))

    assert of((*records, told), TurnEnded) == []


def test_several_processes_are_one_conversation_with_one_end(story):
    turn = [{"type": "SessionStarted", "session": "s"}, {"type": "TurnEnded", "answer": "x"}, DONE]
    records = story((turn, 0), (turn, 0))

    assert [event.turn for event in of(records, TurnEnded)] == [1, 2]
    assert end(records)[0] is Ending.COMPLETED


_TYPES = st.sampled_from([kind.__name__ for kind in EVENTS])
_FIELDS = st.sampled_from(
    ["call", "tool", "input", "ending", "cause", "skill", "step", "path", "sha256", "answer", "skills", "cost"]
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["completed", "host_failed", "read"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)
_LINES = (
    st.text(st.characters(exclude_categories=()))
    | st.builds(
        lambda kind, rest: json.dumps({**rest, "type": kind}), _TYPES, st.dictionaries(_FIELDS, _VALUES, max_size=5)
    )
    | st.sampled_from([as_raw(Exited(code=0)), '{"note": "spawned", "argv": []}', "{", "[" * 3000])
)
_RECORDS = st.lists(
    st.builds(Record, st.integers(1, 99), st.just(0.0), st.sampled_from(Source), st.integers(0, 3), _LINES), max_size=12
)


@given(_RECORDS)
def test_any_records_give_a_trajectory_with_one_end_and_lose_no_line_of_stdout(records):
    events = normalize(records)

    assert sum(isinstance(event, SessionEnded) for event in events) == 1
    assert isinstance(events[-1], SessionEnded)
    assert events == normalize(records)
    told = {event.seq for event in events}
    for record in records:
        if record.source is Source.STDOUT and '"SessionEnded"' not in record.raw:
            assert record.seq in told
