"""Which script a case plays, from the options that the case sets."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from .playing import Play, Scene
from .preparing import Prepared

OPTIONS = ("script", "state")
"""What a case may set: the script's name, and keys of the state that begin otherwise."""


def cast_fault(prepared: Prepared, options: Mapping[str, JsonValue]) -> str | None:
    """What is wrong with a case's options, in a sentence; None where nothing is."""
    unknown = [key for key in options if key not in OPTIONS]
    if unknown:
        return (
            f"a case can't set `{unknown[0]}` of this fixture; it can set {' and '.join(f'`{key}`' for key in OPTIONS)}"
        )
    script = options.get("script")
    known = ", ".join(prepared.plays)
    if script is None and len(prepared.plays) > 1:
        return f"the case must say which `script` of the replies it plays: {known}"
    if script is not None and (not isinstance(script, str) or script not in prepared.plays):
        return f"the replies have no such `script`; they have {known}"
    if not isinstance(options.get("state", {}), dict):
        return "`state` is a mapping of keys of the script's state"
    return None


def cast(prepared: Prepared, options: Mapping[str, JsonValue]) -> tuple[Play, Scene]:
    """The script that a case plays, and where it begins. The options have no fault (see `cast_fault`)."""
    script = options.get("script")
    play = prepared.plays[script] if isinstance(script, str) else next(iter(prepared.plays.values()))
    own = options.get("state")
    state = play.state | own if isinstance(own, dict) else play.state
    return play, Scene(state, play.hidden)
