"""How a try ended and what it cost, read from its records; the unknown is never nothing."""

from __future__ import annotations

from decimal import Decimal

import pytest

from skilltrial.model.capabilities import Sees
from skilltrial.model.endings import Ended, ended
from skilltrial.model.events import SessionEnded, TurnEnded, Usage
from skilltrial.model.notes import Broke, Interrupted, Leftovers, LimitHit, Unavailable
from skilltrial.model.trial import HostIdentity
from skilltrial.model.words import Cause, Ending, Owner, Source
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import NormalizerFacade
from skilltrial.record.endings import EndReader, Seen
from skilltrial.testing import records


class Told:
    """A normalizer that gives the events it was made with."""

    def __init__(self, *events):
        self._events = events

    def normalize(self, records):
        if self._events == ("raise",):
            raise RuntimeError("secret text")
        return self._events


def read(*events, notes=(), sees=frozenset(), turns=1) -> Seen:
    reader = EndReader(
        bind(NormalizerFacade, "told", Told(*events)), HostIdentity(name="h", records="told", sees=frozenset(sees))
    )
    return reader.read(records((Source.STDOUT, "x"), *notes), turns)


END = SessionEnded(seq=1, ending=Ending.COMPLETED)


def test_a_normalizer_that_raises_costs_no_run_and_is_the_graders():
    assert read("raise") == Seen(Ended(Ending.INVALID_EVENTS, None, "normalizer_raised", Owner.GRADER))
    assert read(None).ended.reason == "normalizer_raised"


@pytest.mark.parametrize(
    ("usages", "tokens", "cost"),
    [
        ([], None, None),
        ([{"input": 3, "output": 4}], 7, None),
        ([{"input": 3, "output": 4}, {"input": 1, "output": 0}], 8, None),
        ([{"input": 3, "output": 4}, {"input": 1}], None, None),
        ([{"input": 3, "output": 4}, {}], None, None),
        ([{"input": 0, "output": 0, "cost": Decimal(0)}], 0, Decimal(0)),
        ([{"cost": Decimal("0.1")}, {"cost": Decimal("0.2")}], None, Decimal("0.3")),
        ([{"cost": Decimal("0.1")}, {}], None, None),
    ],
)
def test_a_sum_with_an_unknown_part_is_unknown(usages, tokens, cost):
    seen = read(*[Usage(seq=1, **usage) for usage in usages], END)

    assert (seen.tokens, seen.cost) == (tokens, cost)


@pytest.mark.parametrize(
    ("note", "ending", "owner"),
    [
        (LimitHit(limit="seconds", value=1), Ending.TIME_LIMIT, Owner.AGENT),
        (LimitHit(limit="stdout", value=1), Ending.OUTPUT_LIMIT, Owner.AGENT),
        (LimitHit(limit="stderr", value=1), Ending.OUTPUT_LIMIT, Owner.AGENT),
        (Unavailable(why="missing"), Ending.HOST_UNAVAILABLE, Owner.OPERATOR),
        (Interrupted(), Ending.INTERRUPTED, Owner.OPERATOR),
        (Leftovers(ended=1, unstopped=1), Ending.HOST_FAILED, Owner.HOST),
        (Broke(why="OSError", owner=Owner.OPERATOR), Ending.HOST_FAILED, Owner.OPERATOR),
    ],
)
def test_the_runners_facts_beat_whatever_the_program_said(note, ending, owner):
    assert (read(END, notes=[note]).ended.ending, read(END, notes=[note]).ended.owner) == (ending, owner)


def test_leftovers_that_were_ended_force_nothing():
    assert read(END, notes=[Leftovers(ended=3)]).ended == Ended(Ending.COMPLETED)


@pytest.mark.parametrize("ends", [[], [END, END]])
def test_a_trajectory_without_exactly_one_end_has_none(ends):
    assert read(*ends).ended == Ended(Ending.INVALID_EVENTS, None, "invalid_events", Owner.HOST)


@pytest.mark.parametrize(
    ("cause", "owner"),
    [
        (Cause.AUTH, Owner.OPERATOR),
        (Cause.QUOTA, Owner.OPERATOR),
        (Cause.RATE_LIMIT, Owner.MODEL),
        (Cause.SERVER, Owner.MODEL),
        (Cause.TRANSPORT, Owner.MODEL),
        (Cause.REFUSAL, Owner.MODEL),
        (Cause.EMPTY, Owner.MODEL),
        (Cause.CONTEXT, Owner.AGENT),
        (Cause.UNCLASSIFIED, Owner.HOST),
        (None, Owner.HOST),
    ],
)
def test_a_cause_has_an_owner_unless_the_program_names_another(cause, owner):
    end = SessionEnded(seq=1, ending=Ending.HOST_FAILED, cause=cause)

    assert read(end).ended.owner is owner
    assert (
        read(SessionEnded(seq=1, ending=Ending.HOST_FAILED, cause=cause, owner=Owner.AGENT)).ended.owner is Owner.AGENT
    )


def test_a_turn_that_was_never_reached_makes_no_completed_session():
    assert read(END, turns=2).ended == Ended(Ending.COMPLETED, None, "turn_missing", Owner.HOST)


@pytest.mark.parametrize(
    ("events", "empty"),
    [
        ([], True),
        ([TurnEnded(seq=1, answer="")], True),
        ([TurnEnded(seq=1, answer=" \n")], True),
        ([TurnEnded(seq=1)], True),
        ([Usage(seq=1, output=0)], True),
        ([Usage(seq=1)], True),
        ([TurnEnded(seq=1, answer="hello")], False),
        ([Usage(seq=1, output=1)], False),
    ],
)
def test_a_session_without_a_sign_of_a_model_showed_nothing(events, empty):
    """Where the host would show answers: a program that sees none is judged by its files."""
    expected = Ended(Ending.COMPLETED, Cause.EMPTY, "empty", Owner.MODEL) if empty else Ended(Ending.COMPLETED)

    assert read(*events, END, sees={Sees.ANSWERS}).ended == expected
    assert read(*events, END).ended == Ended(Ending.COMPLETED)


def test_endings_are_a_function_of_the_records_alone():
    noted, recorded = [Interrupted()], records(Interrupted())
    assert ended(noted, recorded, [END], turns=1, sees=frozenset()) == ended(
        noted, recorded, [END], turns=1, sees=frozenset()
    )
