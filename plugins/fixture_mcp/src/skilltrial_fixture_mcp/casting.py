"""Which script a case plays, from the options that the case sets."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from skilltrial.replies.scripts import choice_fault, chosen, first_state

from .playing import Play, Scene
from .preparing import Prepared


def cast_fault(prepared: Prepared, options: Mapping[str, JsonValue]) -> str | None:
    """What is wrong with a case's options, in a sentence; None where nothing is."""
    return choice_fault(prepared.plays, options)


def cast(prepared: Prepared, options: Mapping[str, JsonValue]) -> tuple[Play, Scene]:
    """The script that a case plays, and where it begins. The options have no fault (see `cast_fault`)."""
    play = prepared.plays[chosen(prepared.plays, options)]
    return play, Scene(first_state(play.state, options), play.hidden)
