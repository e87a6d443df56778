"""Retries, stops and budgets: decided by how tries ended, and by what they cost."""

from __future__ import annotations

import threading
from decimal import Decimal

import pytest

from skilltrial.model.endings import Ended
from skilltrial.model.words import Cause, Ending, Owner
from skilltrial.record.endings import Seen
from skilltrial.record.stopping import BACKOFF, BACKOFF_BUSY, Budget, Conduct


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
