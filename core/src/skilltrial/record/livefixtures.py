"""Fixtures behind which something real answers: allowed, given their credentials, and not shared by two trials."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.plan import Plan
from skilltrial.model.suite import Suite
from skilltrial.model.trial import FixtureIdentity, TrialKey


def refuse_mutations(fixtures: Mapping[str, FixtureIdentity], *, live: bool, allowed: bool) -> None:
    """Raise InvalidRequest where a real server could be changed and nobody allowed it, or a rehearsal has no double."""
    for name, identity in fixtures.items():
        if identity.live is None:
            continue
        if live and identity.live.mutates and not allowed:
            raise InvalidRequest(
                f"fixture {name!r} passes calls on to a real server, and its tools may change something there; read "
                "the cases, then allow it with --allow-mutations"
            )
        if not live and not identity.live.rehearsed:
            raise InvalidRequest(
                f"fixture {name!r} passes calls on to a real server, which a rehearsal never reaches: give it `replies`"
            )


def lent_to_fixtures(
    fixtures: Mapping[str, FixtureIdentity], *, live: bool, ours: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """The variables that fixtures need, with their values; none in a rehearsal. Raises InvalidRequest."""
    names = [name for one in fixtures.values() if live and one.live is not None for name in one.live.variables]
    missing = [name for name in names if not ours.get(name)]
    if missing:
        raise InvalidRequest(f"a fixture needs {', '.join(missing)}: not set in this environment")
    return {name: ours[name] for name in names}


def shared(fixtures: Mapping[str, FixtureIdentity], *, live: bool) -> tuple[str, ...]:
    """The fixtures whose trials must not overlap. What stands in for a real server in a rehearsal is no one's alone."""
    return tuple(name for name, one in fixtures.items() if one.exclusive and (live or one.live is None))


def one_at_a_time(fixtures: Mapping[str, FixtureIdentity], *, live: bool, jobs: int) -> tuple[int, tuple[str, ...]]:
    """How many trials a run may have at once, and a sentence for each fixture that holds it to one."""
    held = shared(fixtures, live=live)
    if not held:
        return jobs, ()
    asked = f", not {jobs}" if jobs > 1 else ""
    return 1, tuple(f"all trials share what is behind fixture {name}: one runs at a time{asked}" for name in held)


def refuse_out_of_turn(suite: Suite, plan: Plan, trials: Collection[TrialKey]) -> None:
    """Raise InvalidRequest where some of `trials` would meet what cases that come last have left in a shared place."""
    held = shared(plan.fixtures, live=plan.model is None)
    stages = {key: suite.case(key.case).stage for key in plan.trials}
    late = [key for key, stage in stages.items() if stage == "last" and key not in trials]
    early = [key for key in trials if stages.get(key) == "any"]
    if held and late and early:
        cases = " ".join(f"--case {case}" for case in dict.fromkeys(key.case for key in early))
        raise InvalidRequest(
            f"{early[0]} can't be run again in this run: cases that come last ({late[0].case} ...) have run on what "
            f"all trials share behind fixture {held[0]}; clean up what they left, and start a new run with {cases}"
        )
