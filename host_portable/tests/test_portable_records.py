"""The format `portable`: it ran, and how it ended. Nothing that it printed counts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.api import (
    Cause,
    Ending,
    Interrupted,
    Leftovers,
    LimitHit,
    Owner,
    Record,
    SessionEnded,
    SessionStarted,
    Source,
    TurnStarted,
    Unavailable,
    as_raw,
)
from skilltrial_host_portable.normalizer import PortableNormalizer


def ended(records):
    return tuple(PortableNormalizer().normalize(records))[-1]


def test_embraion_16_a_program_that_ends_with_zero_completed_and_showed_nothing(story):
    events = tuple(
        PortableNormalizer().normalize(story((["I did it all!", '{"type": "TurnEnded", "answer": "x"}'], 0)))
    )

    assert [type(event) for event in events] == [TurnStarted, SessionStarted, SessionEnded]
    assert isinstance(events[-1], SessionEnded)
    assert events[-1].ending is Ending.COMPLETED


@pytest.mark.parametrize("code", [1, 3, 127, -9, -15])
def test_embraion_17_any_other_exit_is_a_failure_of_the_host(story, code):
    end = ended(story(([], code)))

    assert (end.ending, end.cause, end.owner) == (Ending.HOST_FAILED, Cause.UNCLASSIFIED, Owner.HOST)


def test_one_bad_turn_of_several_is_a_failure(story):
    assert ended(story(([], 0), ([], 4))).ending is Ending.HOST_FAILED


@pytest.mark.parametrize(
    ("note", "ending", "owner"),
    [
        (LimitHit(limit="seconds", value=1), Ending.TIME_LIMIT, Owner.AGENT),
        (LimitHit(limit="stdout", value=1), Ending.OUTPUT_LIMIT, Owner.AGENT),
        (Unavailable(why="missing"), Ending.HOST_UNAVAILABLE, Owner.OPERATOR),
        (Interrupted(), Ending.INTERRUPTED, Owner.OPERATOR),
        (Leftovers(ended=1, unstopped=1), Ending.HOST_FAILED, Owner.HOST),
    ],
)
def test_what_the_runner_knows_beats_everything(story, note, ending, owner):
    end = ended(story(([], 0), ([], note)))

    assert (end.ending, end.owner) == (ending, owner)


def test_a_program_that_was_never_seen_to_end_did_not_complete(story):
    assert ended(story(([], None))).ending is Ending.INVALID_EVENTS
    assert ended(story(([], 0), ([], None))).ending is Ending.INVALID_EVENTS
    assert ended(()).ending is Ending.INVALID_EVENTS


def test_a_prompt_that_no_program_got_is_no_success(story):
    records = story(([], 0))
    sent = replace(next(record for record in records if "turn_sent" in record.raw), seq=len(records) + 1)

    assert ended((*records, sent)).ending is Ending.INVALID_EVENTS


def test_nothing_that_a_program_prints_can_pass_for_a_note(story):
    printed = [as_raw(LimitHit(limit="seconds", value=1)), as_raw(Interrupted())]

    assert ended(story((printed, 0))).ending is Ending.COMPLETED


_RECORDS = st.lists(
    st.builds(
        Record,
        st.integers(1, 99),
        st.just(0.0),
        st.sampled_from(Source),
        st.integers(0, 3),
        st.text() | st.sampled_from([as_raw(Interrupted()), '{"note": "exited", "code": 0}', '{"note": "new"}']),
    )
)


@given(_RECORDS)
def test_any_records_give_a_trajectory_with_one_end(records):
    events = tuple(PortableNormalizer().normalize(records))

    assert sum(isinstance(event, SessionEnded) for event in events) == 1
    assert events == tuple(PortableNormalizer().normalize(records))
