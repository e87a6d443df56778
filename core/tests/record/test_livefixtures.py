"""What is asked before a fixture may pass calls on to a real server."""

from __future__ import annotations

import pytest

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.trial import FixtureIdentity, LiveServer
from skilltrial.record.livefixtures import lent_to_fixtures, refuse_mutations

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
