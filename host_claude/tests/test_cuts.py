"""What is missing is never a success: streams that were cut anywhere, lines that were damaged in any way."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.api import Ending, Event, Record, SessionEnded, Source, ToolResult, Truncated, Unrecognized

ALL = sorted(path.parent.name for path in (Path(__file__).parent / "recordings").glob("*/runs.json"))
each_recording = pytest.mark.parametrize("name", ALL)
relaxed = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def printed(records: list[Record]) -> list[int]:
    """The places of the stream's lines."""
    return [place for place, record in enumerate(records) if record.source is Source.STDOUT]


def one_end(events: tuple[Event, ...]) -> SessionEnded:
    ends = [event for event in events if isinstance(event, SessionEnded)]
    assert ends == [events[-1]]
    return ends[0]


@each_recording
def test_a_stream_cut_behind_any_line_is_never_completed(name, recorded, normalize, renumbered):
    records = recorded(name)
    lines = printed(records)
    last_turn = [place for place in lines if records[place].turn == records[-1].turn]

    for place in range(len(last_turn)):
        gone = set(last_turn[place:])
        events = normalize(renumbered([each for at, each in enumerate(records) if at not in gone]))

        # The exit code still says 0 where it did: it is no word of the program's about its end.
        assert one_end(events).ending is not Ending.COMPLETED


@each_recording
def test_a_line_that_is_missing_in_the_middle_is_never_a_traceback(name, recorded, normalize, renumbered):
    records = recorded(name)

    for place in printed(records):
        one_end(normalize(renumbered([each for at, each in enumerate(records) if at != place])))


@each_recording
@relaxed
@given(data=st.data())
def test_a_stream_cut_at_any_byte_is_never_completed(name, recorded, normalize, renumbered, data):
    records = recorded(name)
    last_turn = [place for place in printed(records) if records[place].turn == records[-1].turn]
    if not last_turn:
        return  # nothing was printed
    place = data.draw(st.sampled_from(last_turn))
    raw = records[place].raw.encode()
    at = data.draw(st.integers(1, max(1, len(raw) - 1)))
    cut = replace(records[place], raw=raw[:at].decode("utf-8", "surrogateescape"))
    behind = {each for each in last_turn if each > place}

    events = normalize(
        renumbered([cut if at == place else each for at, each in enumerate(records) if at not in behind])
    )

    assert one_end(events).ending is not Ending.COMPLETED
    if raw.startswith(b"{"):
        assert [event.where for event in events if isinstance(event, Truncated) and event.where == "stdout"]


@pytest.mark.parametrize("name", ["skill_tool", "mcp", "matrix", "subagent", "shell_reads", "mention", "resume"])
@relaxed
@given(data=st.data())
def test_no_damage_to_a_line_breaks_the_normalizer(name, recorded, normalize, data):
    records = recorded(name)
    place = data.draw(st.integers(0, len(records) - 1))
    raw = data.draw(damaged(records[place].raw))

    events = normalize([*records[:place], replace(records[place], raw=raw), *records[place + 1 :]])

    one_end(events)
    assert all(1 <= event.seq <= len(records) for event in events)


@st.composite
def damaged(draw, raw: str) -> str:
    """The line with bytes taken out or put in, or with a value of its JSON replaced by a value of another shape."""
    value: object = None
    how = draw(st.sampled_from(["cut", "insert", "value", "value", "value", "deep"]))
    at = draw(st.integers(0, len(raw)))
    try:
        value = json.loads(raw)
    except ValueError:
        how = "cut"
    if how == "cut":
        return raw[:at] + raw[at + draw(st.integers(1, 30)) :]
    if how == "insert":
        return raw[:at] + draw(st.text(max_size=8)) + raw[at:]
    if how == "deep":
        return raw[:1] + '"deep":' + "[" * 100_000 + "]" * 100_000 + "," + raw[1:]
    holders = list(_holders(value))
    holder, key = draw(st.sampled_from(holders)) if holders else ([value], 0)
    holder[key] = draw(SHAPES)
    return json.dumps(value)


def _holders(value):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _holders(inner)


SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.just("tool_use"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "id", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@relaxed
@given(
    lines=st.lists(
        st.tuples(st.sampled_from([Source.STDOUT, Source.STDERR, Source.SESSION_LOG, Source.RUNNER]), st.text()),
        max_size=8,
    )
)
def test_any_records_at_all_give_one_end(lines, normalize):
    records = [Record(number, 0.0, source, 1, raw) for number, (source, raw) in enumerate(lines, 1)]

    assert one_end(normalize(records)).ending is Ending.INVALID_EVENTS


def test_the_same_records_give_the_same_events(recorded, normalize):
    assert normalize(recorded("matrix")) == normalize(recorded("matrix"))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("Warning: something on stdout", "not_json"),
        ("[]", "not_an_object"),
        ("42", "not_an_object"),
        ('{"subtype": "init"}', "no_type"),
        ('{"type": 3}', "no_type"),
        ('{"type": "assistant", "message": NaN}', "not_json"),
        ('{"a":' * 100_000, "not_json"),
    ],
)
def test_embraion_15_a_foreign_line_spoils_the_session_but_is_kept(line, why, recorded, normalize, renumbered):
    """A line that can't be read may have told of a call: embraion.md 6, entry 15, and 8.1, row 2."""
    records = recorded("skill_tool")
    first = printed(records)[0]

    events = normalize(
        renumbered([*records[: first + 1], Record(1, 0.0, Source.STDOUT, 1, line), *records[first + 1 :]])
    )

    assert (events[-1].ending, events[-1].cause) == (Ending.INVALID_EVENTS, None)
    assert [event.why for event in events if isinstance(event, Unrecognized)] == [why]


@pytest.mark.parametrize("kind", ["rate_limit_event", "prompt_suggestion", "something_new"])
def test_a_line_of_an_unknown_type_is_kept_and_spoils_nothing(kind, recorded, normalize, renumbered):
    records = recorded("skill_tool")
    first = printed(records)[0]
    line = json.dumps({"type": kind, "session_id": "s"})

    events = normalize(
        renumbered([*records[: first + 1], Record(1, 0.0, Source.STDOUT, 1, line), *records[first + 1 :]])
    )

    assert events[-1].ending is Ending.COMPLETED
    assert [(event.seq, event.why) for event in events if isinstance(event, Unrecognized)] == [
        (first + 2, "unknown_type")
    ]


@pytest.mark.parametrize("id", [["a", "list"], {"an": "object"}, 7, None, True, ""])
def test_embraion_8_1_row_2_a_call_id_of_another_shape_is_no_crash(id, recorded, normalize, tape):
    """A list as an id once lost a whole run of another tool: embraion.md 4.2."""
    tape.begin()
    tape.out(
        {"type": "system", "subtype": "init", "session_id": "s", "cwd": "/p", "claude_code_version": "2.1.332"},
        {"type": "assistant", "message": {"id": "m", "content": [{"type": "tool_use", "id": id, "name": "Read"}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": id, "content": "x"}]}},
        {"type": "result", "subtype": "success", "is_error": False, "result": "Done."},
    )
    tape.end()

    events = normalize(tape.records)

    assert [event.why for event in events if isinstance(event, Unrecognized)] == [
        "call_without_id",
        "result_without_call",
    ]
    assert not [event for event in events if isinstance(event, ToolResult)]
