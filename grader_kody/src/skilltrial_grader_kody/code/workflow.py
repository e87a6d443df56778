"""`workflows.create`: whether it defers, and what the module does that it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .effects import NOTHING, Act, Choice, Effect, Kind
from .values import (
    UNDEFINED,
    UNKNOWN,
    Builtin,
    Const,
    Either,
    Shape,
    Special,
    Value,
    nullish,
    options,
)

if TYPE_CHECKING:
    from .running import Walk


def create(machine: Walk, act: Act, arguments: Sequence[Value], open_end: bool) -> None:
    """Complete the act of a call of `workflows.create`."""
    given = arguments[0] if arguments else (UNKNOWN if open_end else UNDEFINED)
    deferrals = {_deferred(one) for one in options(given)}
    act.deferred = deferrals.pop() if len(deferrals) == 1 else None
    modules = [_module(machine, act, one) for one in options(given)]
    act.nested = modules[0] if len(modules) == 1 else Choice(modules)


def _deferred(given: Value) -> bool | None:
    """Whether `runAt` is given; None where that can't be told."""
    match given:
        case Shape(fields, open, within):
            if "runAt" not in fields:
                return None if open or within is not None else False
            at = fields["runAt"]
            if isinstance(at, Either) and nullish(at) is None:
                return None if any(nullish(one) is True for one in at.options) else True
            # Somebody wrote the key; that its value is made while the code runs is the usual way.
            return not (nullish(at) is True or (isinstance(at, Const) and at.value in ("", False)))
        case Special.UNKNOWN | Special.TAINTED | Builtin():
            return None
    return False


def _module(machine: Walk, act: Act, given: Value) -> Effect:
    """What the deferred module does."""
    if not isinstance(given, Shape):
        known = given is UNDEFINED or isinstance(given, Const)
        return NOTHING if known else _unclear(act)
    code, export = given.fields.get("code"), given.fields.get("exportName")
    if code is not None:
        params = given.fields.get("params", UNKNOWN)
        found = [
            machine.program(one.value, params, machine)
            if isinstance(one, Const) and isinstance(one.value, str)
            else _unclear(act)
            for one in options(code)
        ]
        return found[0] if len(found) == 1 else Choice(found)
    if isinstance(export, Const) and isinstance(export.value, str):
        machine.later.append((act, export.value))
        return NOTHING
    return _unclear(act) if export is not None or given.open or given.within is not None else NOTHING


def _unclear(act: Act) -> Act:
    return Act(Kind.UNCLEAR, "the deferred module is put together while the code runs", act.line, act.column)
