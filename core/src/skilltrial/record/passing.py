"""Environment variables of the operator's that a run may see: by name, and only those."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from skilltrial.model.errors import InvalidRequest

from .programs.environment import proxy_secrets

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OURS = frozenset({"HOME", "TMPDIR", "PATH", "LANG"})
"""Variables that each place has of its own."""


def passed_through(
    names: Iterable[str], *, live: bool, ours: Mapping[str, str] = os.environ
) -> tuple[dict[str, str], dict[str, str]]:
    """The variables to pass with their values, and all values that must never be written, by name.

    Nothing is passed in a rehearsal: no provider is asked, so no credential is lent. Raises InvalidRequest for a
    name that is not set, is no name, or is a variable that every place has of its own.
    """
    wanted = tuple(dict.fromkeys(names))
    for name in wanted:
        if not _NAME.fullmatch(name):
            raise InvalidRequest("--pass-env takes the name of an environment variable, without a value")
        if name in OURS:
            raise InvalidRequest(f"{name} can't be passed: each place has its own")
    if not live:
        return {}, {}
    missing = [name for name in wanted if name not in ours]
    if missing:
        raise InvalidRequest(f"{', '.join(missing)} can't be passed: not set in this environment")
    passed = {name: ours[name] for name in wanted}
    return passed, {**passed, **proxy_secrets(ours)}
