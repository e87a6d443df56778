"""A script and a step → what the model does. Pure: no counter, no clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from skilltrial.api import (
    Act,
    ActAbsent,
    ActNotPossible,
    Cut,
    Garbage,
    HttpError,
    MaxTokens,
    Refuse,
    Say,
    Stall,
    ToolCall,
)

from .conversation import NEUTRAL, Reply

Fault = HttpError | Cut | Garbage | Stall
"""An act that happens on the wire, before or in place of the step it precedes."""


@dataclass(frozen=True, slots=True)
class Move:
    """What is due at one step.

    `act` is the place of the act in its turn (from 0), None for the neutral word. `faults` come before the reply and
    `passed` were skipped on the way to it, each by its place; `impossible` is the act that this program can't do, and
    why not.
    """

    reply: Reply
    act: int | None = None
    faults: tuple[tuple[int, Fault], ...] = ()
    passed: tuple[int, ...] = ()
    impossible: tuple[int, ActNotPossible] | None = None


def due(acts: Sequence[Act], step: int, spell: Callable[[Act], ToolCall]) -> Move:
    """What the model does as reply number `step` (from 0) to a prompt, if it is to do `acts`.

    `spell` raises ActAbsent for an act that is passed over, ActNotPossible for one that ends the turn with the
    neutral word. Every act is spelled anew, so the same conversation always gets the same reply.
    """
    faults: list[tuple[int, Fault]] = []
    passed: list[int] = []
    played = 0
    for place, act in enumerate(acts):
        if isinstance(act, Fault):
            faults.append((place, act))
            continue
        try:
            reply = _reply(act, spell)
        except ActAbsent:
            passed.append(place)
            continue
        except ActNotPossible as why:
            return Move(_LAST_WORD, passed=tuple(passed), impossible=(place, why))
        if played == step:
            return Move(reply, place, tuple(faults), tuple(passed))
        if reply.call is None:
            return Move(reply, place) if reply.stands else Move(_LAST_WORD)
        played += 1
        faults, passed = [], []
    return Move(_LAST_WORD, None, tuple(faults), tuple(passed)) if played == step else Move(_LAST_WORD)


_LAST_WORD = Reply(NEUTRAL)


def _reply(act: Act, spell: Callable[[Act], ToolCall]) -> Reply:
    match act:
        case Say(say=text):
            return Reply(text)
        case Refuse(refuse=text):
            return Reply(text, refused=True)
        case MaxTokens(max_tokens=text):
            return Reply(text, cut_off=True)
        case _:
            return Reply(call=spell(act))
