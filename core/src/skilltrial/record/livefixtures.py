"""Fixtures behind which something real answers: allowed, and given their credentials, before anything starts."""

from __future__ import annotations

import os
from collections.abc import Mapping

from skilltrial.model.errors import InvalidRequest
from skilltrial.model.trial import FixtureIdentity


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
