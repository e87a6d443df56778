"""Retries, stops and budgets: decided by how tries ended, and by what they cost; the unknown is never nothing."""

from __future__ import annotations

import threading
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
from skilltrial.record.stopping import BACKOFF, BACKOFF_BUSY, Budget, Conduct
from skilltrial.testing import records


def failed(cause: Cause | None = Cause.SERVER, owner: Owner = Owner.MODEL, **cost) -> Seen:
    return Seen(Ended(Ending.HOST_FAILED, cause, "host_failed", owner), **cost)


GOOD = Seen(Ended(Ending.COMPLETED))


def one_trial(conduct: Conduct, *tries: Seen) -> list[float | None]:
    """A trial from its admission to its end, as the runner does it; the waits between its tries."""
    assert conduct.admit()
    waits = []
    seen = tries[0]
    for number, seen in enumerate(tries, 1):
        waits.append(conduct.wait_before_retry(seen, number))
        if waits[-1] is None:
            break
    conduct.settle(seen)
    return waits


@pytest.mark.parametrize(
    ("owner", "cause", "again"),
    [
        (Owner.HOST, None, True),
        (Owner.HOST, Cause.UNCLASSIFIED, True),
        (Owner.MODEL, Cause.SERVER, True),
        (Owner.MODEL, Cause.RATE_LIMIT, True),
        (Owner.MODEL, Cause.TRANSPORT, True),
        (Owner.MODEL, Cause.EMPTY, True),
        (Owner.OPERATOR, Cause.AUTH, False),
        (Owner.OPERATOR, Cause.QUOTA, False),
        (Owner.HOST, Cause.CONTEXT, False),
        (Owner.OPERATOR, None, False),
        (Owner.AGENT, None, False),
        (Owner.GRADER, None, False),
        (None, None, False),
    ],
)
def test_what_is_tried_again_is_what_another_try_may_mend(owner, cause, again):
    conduct = Conduct()
    conduct.admit()
    seen = Seen(Ended(Ending.HOST_FAILED if owner else Ending.COMPLETED, cause, "x" if owner else None, owner))

    assert (conduct.wait_before_retry(seen, 1) is not None) is again


@pytest.mark.parametrize(("retries", "tries"), [(0, 1), (1, 2), (2, 3), (5, 6)])
def test_a_trial_is_tried_again_so_often_and_waits_longer_each_time(retries, tries):
    waits = one_trial(Conduct(retries=retries), *[failed()] * 10)

    assert len(waits) == tries
    assert waits[-1] is None
    assert waits[:-1] == [*BACKOFF, BACKOFF[-1], BACKOFF[-1]][:retries]


def test_a_provider_that_is_asked_too_often_is_left_alone_for_longer():
    waits = one_trial(Conduct(retries=4), *[failed(Cause.RATE_LIMIT)] * 5)

    assert waits == [*BACKOFF_BUSY, BACKOFF_BUSY[-1], None]
    assert all(busy > usual for busy, usual in zip(BACKOFF_BUSY, BACKOFF, strict=True))


@pytest.mark.parametrize("owner", [Owner.HOST, Owner.MODEL, Owner.OPERATOR])
def test_three_trials_in_a_row_that_show_nothing_stop_the_run(owner):
    conduct = Conduct(retries=0)
    for _ in range(2):
        one_trial(conduct, failed(None, owner))
        assert conduct.stopped is None
    one_trial(conduct, failed(None, owner))

    assert conduct.stopped == "3 trials in a row showed nothing: host_failed"
    assert not conduct.admit()


@pytest.mark.parametrize(
    "between",
    [
        GOOD,
        Seen(Ended(Ending.TIME_LIMIT, None, "time_limit", Owner.AGENT)),
        Seen(Ended(Ending.INVALID_EVENTS, None, "x", Owner.GRADER)),
        Seen(Ended(Ending.INTERRUPTED, None, "interrupted", Owner.OPERATOR)),
    ],
)
def test_a_trial_that_shows_something_in_between_begins_the_count_anew(between):
    conduct = Conduct(retries=0)
    for seen in (failed(), failed(), between, failed(), failed()):
        one_trial(conduct, seen)

    assert conduct.stopped is None


def test_tries_of_one_trial_are_one_trial():
    conduct = Conduct(retries=5)
    one_trial(conduct, *[failed()] * 6)

    assert conduct.stopped is None


def test_the_reasons_are_named_each_once():
    conduct = Conduct(retries=0)
    for seen in (failed(Cause.SERVER), failed(Cause.TRANSPORT), failed(Cause.SERVER)):
        one_trial(conduct, seen)

    assert conduct.stopped == "3 trials in a row showed nothing: host_failed (server), host_failed (transport)"


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (Seen(Ended(Ending.HOST_UNAVAILABLE, None, "x", Owner.OPERATOR)), "can't be started"),
        (failed(Cause.QUOTA, Owner.OPERATOR), "refuses this account: quota"),
    ],
)
def test_what_every_further_trial_would_meet_stops_the_run_at_once(seen, said):
    conduct = Conduct()
    one_trial(conduct, seen)

    assert said in (conduct.stopped or "")
    assert not conduct.admit()


def test_a_refused_key_stops_the_run_at_the_third_time_and_is_never_tried_again():
    conduct = Conduct(retries=2)
    for _ in range(2):
        assert one_trial(conduct, failed(Cause.AUTH, Owner.OPERATOR)) == [None]
        assert conduct.stopped is None

    one_trial(conduct, failed(Cause.AUTH, Owner.OPERATOR))

    assert conduct.stopped == "3 trials in a row showed nothing: host_failed (auth)"


def test_a_rehearsal_plays_faults_on_purpose_and_never_stops():
    conduct = Conduct(retries=0, stops=False)
    for _ in range(10):
        one_trial(conduct, failed())
        one_trial(conduct, Seen(Ended(Ending.HOST_UNAVAILABLE, None, "x", Owner.OPERATOR)))

    assert conduct.stopped is None


# --- Budgets -------------------------------------------------------------------------------------------------


def test_so_many_sessions_are_started_retries_among_them():
    conduct = Conduct(Budget(sessions=3), retries=2)

    waits = one_trial(conduct, failed(), GOOD)
    assert waits == [BACKOFF[0], None]
    assert conduct.admit()
    assert not conduct.admit()
    assert conduct.stopped == "the budget of 3 sessions is used up (--max-sessions)"


def test_a_retry_that_the_budget_does_not_hold_is_not_made():
    assert one_trial(Conduct(Budget(sessions=1)), failed()) == [None]


def test_time_that_is_used_up_starts_nothing_more():
    assert Conduct(Budget(seconds=3600)).admit()
    conduct = Conduct(Budget(seconds=1e-9))

    assert not conduct.admit()
    assert "(--max-time)" in (conduct.stopped or "")


@pytest.mark.parametrize(
    ("budget", "costs", "sessions"),
    [
        (Budget(tokens=100), {"tokens": 30}, 3),
        (Budget(tokens=90), {"tokens": 30}, 3),
        (Budget(tokens=89), {"tokens": 30}, 2),
        (Budget(cost=Decimal("0.30")), {"cost": Decimal("0.10")}, 3),
        (Budget(cost=Decimal("0.29")), {"cost": Decimal("0.10")}, 2),
        (Budget(tokens=100, cost=Decimal(1)), {"tokens": 10, "cost": Decimal("0.5")}, 2),
        (Budget(), {"tokens": 10**9, "cost": Decimal(10**6)}, 20),
    ],
)
def test_a_budget_is_kept_to_what_the_dearest_session_has_cost(budget, costs, sessions):
    conduct = Conduct(budget)
    done = 0
    while done < 20 and conduct.admit():
        seen = Seen(Ended(Ending.COMPLETED), **costs)
        conduct.wait_before_retry(seen, 1)
        conduct.settle(seen)
        done += 1

    assert done == sessions
    if done < 20:
        assert "could go over" in (conduct.stopped or "")


def test_sessions_that_run_at_the_same_time_do_not_overspend_together():
    """100 tokens, 20 a session: after the first, four more may run at once, however long they take."""
    conduct = Conduct(Budget(tokens=100))
    one_trial(conduct, Seen(Ended(Ending.COMPLETED), tokens=20))

    assert [conduct.admit() for _ in range(6)] == [True] * 4 + [False] * 2


def test_threads_that_ask_at_once_share_one_budget():
    conduct = Conduct(Budget(sessions=10))
    admitted: list[bool] = []
    gate = threading.Barrier(20)

    def ask() -> None:
        gate.wait()
        admitted.append(conduct.admit())

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert admitted.count(True) == 10


def test_a_failed_try_has_cost_what_it_cost():
    """The first trial of a run fails dearly: what its next try could cost is known by then."""
    conduct = Conduct(Budget(tokens=100), retries=5)

    assert one_trial(conduct, *[failed(tokens=60)] * 3) == [None]
    assert not conduct.admit()


def test_a_retry_is_not_reserved_twice():
    conduct = Conduct(Budget(tokens=100), retries=5)

    assert one_trial(conduct, *[failed(tokens=30)] * 6) == [BACKOFF[0], BACKOFF[1], None]


def test_a_session_that_does_not_show_its_cost_counts_as_the_dearest_never_as_nothing():
    conduct = Conduct(Budget(tokens=100))
    one_trial(conduct, GOOD)
    one_trial(conduct, Seen(Ended(Ending.COMPLETED), tokens=25))
    one_trial(conduct, GOOD)

    assert conduct.admit()
    assert not conduct.admit()
    assert "--max-tokens" in (conduct.stopped or "")


def test_an_interrupted_session_gives_its_place_back():
    conduct = Conduct(Budget(tokens=100))
    one_trial(conduct, Seen(Ended(Ending.COMPLETED), tokens=50))
    assert conduct.admit()
    conduct.settle(None)

    assert conduct.admit()


# --- How a try ended -----------------------------------------------------------------------------------------


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
        (Cause.CONTEXT, Owner.HOST),
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
    runner = records(Interrupted())
    assert ended(runner, runner, [END], turns=1, sees=frozenset()) == ended(
        runner, runner, [END], turns=1, sees=frozenset()
    )
