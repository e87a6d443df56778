"""Whatever becomes of the records: events and one ending, no traceback, no `completed` without a terminal event."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.api import (
    EVENTS,
    Ending,
    Event,
    Record,
    SessionEnded,
    Source,
    ToolRequested,
    Truncated,
    Unrecognized,
)

NAMES = sorted(
    f"{path.parent.parent.name}/{path.parent.name}"
    for path in (Path(__file__).parent / "recordings").glob("*/*/runs.json")
)
Normalize = Callable[[Sequence[Record]], tuple[Event, ...]]
Recorded = Callable[..., list[Record]]
SMALL = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def checked(events: tuple[Event, ...]) -> SessionEnded:
    """What holds of every trajectory; returns its ending."""
    (ended,) = [event for event in events if isinstance(event, SessionEnded)]
    assert events[-1] is ended
    assert all(type(event) in EVENTS for event in events)
    return ended


def terminals(records: Sequence[Record]) -> set[int]:
    """The turns whose stream has a whole terminal event."""
    found = set()
    for record in records:
        if record.source is Source.STDOUT:
            try:
                value = json.loads(record.raw)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict) and value.get("type") == "turn.completed":
                found.add(record.turn)
    return found


def turns_of(records: Sequence[Record]) -> set[int]:
    return {record.turn for record in records if record.turn}


@pytest.mark.parametrize("name", NAMES)
def test_cut_at_every_line_no_trajectory_completes_without_its_terminal_event(
    name: str, recorded: Recorded, normalize: Normalize
):
    whole = recorded(name)

    for length in range(len(whole) + 1):
        cut = whole[:length]
        ended = checked(normalize(cut))
        if ended.ending is Ending.COMPLETED:
            assert turns_of(cut) == terminals(cut), f"completed after {length} of {len(whole)} records"


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_that_was_cut_while_the_rest_is_whole_never_completes(
    name: str, recorded: Recorded, normalize: Normalize
):
    whole = recorded(name)
    shown = [place for place, record in enumerate(whole) if record.source is Source.STDOUT]

    for length in range(len(shown)):
        lost = set(shown[length:])
        cut = [record for place, record in enumerate(whole) if place not in lost]
        ended = checked(normalize(cut))
        if ended.ending is Ending.COMPLETED:
            assert turns_of(cut) == terminals(cut)


@pytest.mark.parametrize("name", ["classic/edit", "code/mcp", "classic/resume", "classic/denial", "classic/err500"])
@SMALL
@given(data=st.data())
def test_a_line_that_was_cut_at_any_byte_is_no_traceback(
    name: str, recorded: Recorded, normalize: Normalize, data: st.DataObject
):
    whole = recorded(name)
    place = data.draw(st.integers(0, len(whole) - 1))
    raw = whole[place].raw.encode("utf-8", "surrogateescape")
    short = raw[: data.draw(st.integers(0, len(raw)))].decode("utf-8", "surrogateescape")
    cut = [*whole[:place], replace(whole[place], raw=short)]

    ended = checked(normalize(cut))

    if ended.ending is Ending.COMPLETED:
        assert turns_of(cut) == terminals(cut)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def mutated(value: Any, data: st.DataObject) -> Any:
    """`value` with one of its parts replaced by something odd, or taken away."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))
        changed = dict(value)
        if data.draw(st.integers(0, 4)):
            changed[key] = mutated(value[key], data)
        else:
            del changed[key]
        return changed
    if isinstance(value, list) and value and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], mutated(value[place], data), *value[place + 1 :]]
    return data.draw(ODD)


@pytest.mark.parametrize(
    "name", ["classic/edit", "classic/mcp", "code/denial", "classic/subagent", "classic/skill_ways", "classic/err401"]
)
@SMALL
@given(data=st.data())
def test_lines_of_any_shape_are_no_traceback(name: str, recorded: Recorded, normalize: Normalize, data: st.DataObject):
    records = list(recorded(name))
    native = [place for place, record in enumerate(records) if record.source in {Source.STDOUT, Source.SESSION_LOG}]
    for place in data.draw(st.lists(st.sampled_from(native), min_size=1, max_size=6, unique=True)):
        changed = mutated(json.loads(records[place].raw), data)
        records[place] = replace(records[place], raw=json.dumps(changed))

    ended = checked(normalize(records))

    if ended.ending is Ending.COMPLETED:
        assert turns_of(records) == terminals(records)


@SMALL
@given(raws=st.lists(st.tuples(st.sampled_from(list(Source)), st.integers(0, 3), st.text(max_size=60)), max_size=12))
def test_any_text_from_any_source_is_no_traceback(normalize: Normalize, raws: list[tuple[Source, int, str]]):
    records = [Record(number, 0.0, source, turn, raw) for number, (source, turn, raw) in enumerate(raws, 1)]

    assert checked(normalize(records)).ending is not Ending.COMPLETED


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 100_000,
        '{"type":' * 50_000,
        '{"type":"item.completed","item":{"id":[1],"type":"command_execution"}}',
        '{"type":"item.completed","item":{"id":"x","type":["command_execution"]}}',
        '{"type":{"a":1}}',
        '{"type":"turn.completed","usage":NaN}',
        "1" * 10_000,
        "\udcff\udcfe",
        '"text"',
        "null",
    ],
)
def test_embraion_8_1_row_2_an_odd_line_spoils_nothing_but_itself(
    raw: str, recorded: Recorded, normalize: Normalize, renumbered: Callable[[Sequence[Record]], list[Record]]
):
    whole = recorded("classic/edit")
    odd = Record(0, 0.0, Source.STDOUT, 1, raw)

    events = normalize(renumbered([*whole[:6], odd, *whole[6:]]))

    assert checked(events).ending is Ending.COMPLETED
    unknown = [event for event in events if isinstance(event, Unrecognized)]
    assert [event.seq for event in unknown] == [7]
    assert len([event for event in events if isinstance(event, ToolRequested)]) == 3


def test_a_last_line_that_was_cut_is_truncated_not_unrecognized(recorded: Recorded, normalize: Normalize):
    whole = [record for record in recorded("classic/edit") if record.source is not Source.SESSION_LOG]
    last = next(place for place, record in enumerate(whole) if '"turn.completed"' in record.raw)
    cut = [*whole[:last], replace(whole[last], raw=whole[last].raw[:40]), *whole[last + 1 :]]

    events = normalize(cut)

    assert [(event.seq, event.where) for event in events if isinstance(event, Truncated)][-1] == (last + 1, "stdout")
    assert checked(events).ending is Ending.INVALID_EVENTS


def test_normalizing_twice_gives_the_same(recorded: Recorded, normalize: Normalize):
    for name in NAMES:
        records = recorded(name)
        assert normalize(records) == normalize(tuple(records))
