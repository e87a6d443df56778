"""Options of a suite's fixtures, said on the command line: the same suite, in front of another server."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from skilltrial.model.errors import InvalidRequest

from .loading import Loaded

_FLAG = "--fixture-option"
_OWN = {
    "use": "which kind of fixture it is, the suite says",
    "answerer": "who answers, the suite says",
    "contract": "what cases need, the suite says",
    "catalog": "a catalog of your own is given with --catalog",
}
"""Keys of a fixture's entry that are no options, or have a flag of their own."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One option as it was given: `fixture` is None where it was not named."""

    fixture: str | None
    key: str
    value: JsonValue


def refitted(loaded: Loaded, settings: Sequence[Setting]) -> Loaded:
    """The suite with these options in its fixtures' entries. Raises InvalidRequest with every fault.

    Whether a fixture has such an option is asked when it is made.
    """
    if not settings:
        return loaded
    fixtures = loaded.suite.fixtures
    given: dict[str, dict[str, JsonValue]] = {}
    faults: list[str] = []
    for one in settings:
        name = one.fixture if one.fixture is not None else next(iter(fixtures)) if len(fixtures) == 1 else None
        if name is None:
            told = ", ".join(fixtures) or "none"
            faults.append(f"{_FLAG} {one.key}: which fixture? say NAME:{one.key}=...; the suite has: {told}")
        elif name not in fixtures:
            faults.append(f"{_FLAG}: the suite has no fixture {name!r}; {_meant(name, fixtures)}")
        elif one.key in _OWN:
            faults.append(f"{_FLAG} {name}:{one.key}: {_OWN[one.key]}")
        elif one.key in given.setdefault(name, {}):
            faults.append(f"{_FLAG} {name}:{one.key} is given twice")
        else:
            given[name][one.key] = one.value
    if faults:
        raise InvalidRequest("\n".join(dict.fromkeys(faults)))
    changed = {name: use.model_copy(update=given[name]) if name in given else use for name, use in fixtures.items()}
    suite = loaded.suite.model_copy(update={"fixtures": changed})
    return replace(loaded, suite=suite, elsewhere=replace(loaded.elsewhere, options=given))


def _meant(name: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"it has: {', '.join(known) or 'none'}"
