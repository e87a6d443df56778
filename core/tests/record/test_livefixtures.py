"""What is asked before a fixture may pass calls on to a real server."""

from __future__ import annotations

import pytest

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.trial import FixtureIdentity, LiveServer
from skilltrial.record.livefixtures import lent_to_fixtures, one_at_a_time, refuse_mutations

PLAIN = {"memory": FixtureIdentity()}
READS = {"memory": FixtureIdentity(live=LiveServer(mutates=False))}
CHANGES = {"memory": FixtureIdentity(live=LiveServer(mutates=True, variables=("KEY",), rehearsed=True))}


@pytest.mark.parametrize(
    ("fixtures", "live", "allowed", "says"),
    [
        (PLAIN, True, False, None),
        (PLAIN, False, False, None),
        (READS, True, False, None),
        (READS, False, True, "give it `replies`"),
        (CHANGES, True, False, "--allow-mutations"),
        (CHANGES, True, True, None),
        (CHANGES, False, False, None),
    ],
)
def test_what_may_change_something_is_allowed_by_somebody(fixtures, live, allowed, says):
    if says is None:
        refuse_mutations(fixtures, live=live, allowed=allowed)
        return
    with pytest.raises(InvalidRequest, match=says) as raised:
        refuse_mutations(fixtures, live=live, allowed=allowed)
    assert "'memory'" in str(raised.value)


def test_credentials_are_lent_by_name_and_only_to_live_runs():
    assert lent_to_fixtures(CHANGES, live=True, ours={"KEY": "secret", "OTHER": "x"}) == {"KEY": "secret"}
    assert lent_to_fixtures(CHANGES, live=False, ours={}) == {}
    assert lent_to_fixtures(READS, live=True, ours={}) == {}
    for ours in ({}, {"KEY": ""}):
        with pytest.raises(InvalidRequest, match="KEY: not set"):
            lent_to_fixtures(CHANGES, live=True, ours=ours)


ALONE = FixtureIdentity(exclusive=True)
ACCOUNT = FixtureIdentity(exclusive=True, live=LiveServer(mutates=True, rehearsed=True))


@pytest.mark.parametrize(
    ("fixtures", "live", "asked", "jobs", "says"),
    [
        (PLAIN, True, 8, 8, ()),
        (CHANGES, True, 8, 8, ()),
        ({**PLAIN, "kody": ACCOUNT}, True, 8, 1, ("fixture kody: one runs at a time, not 8",)),
        ({"kody": ACCOUNT}, True, 1, 1, ("fixture kody: one runs at a time",)),
        ({"kody": ACCOUNT}, False, 8, 8, ()),
        ({"port": ALONE}, False, 8, 1, ("fixture port: one runs at a time, not 8",)),
        ({"a": ACCOUNT, "b": ALONE}, True, 2, 1, ("fixture a: ", "fixture b: ")),
    ],
)
def test_trials_that_share_something_run_one_at_a_time(fixtures, live, asked, jobs, says):
    found, told = one_at_a_time(fixtures, live=live, jobs=asked)

    assert found == jobs
    assert len(told) == len(says)
    assert all(want in one for want, one in zip(says, told, strict=True))
