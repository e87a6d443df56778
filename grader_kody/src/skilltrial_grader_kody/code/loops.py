"""Loops: carried out turn by turn where the turns are known, else as something that may happen any number of times."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .effects import NOTHING, Choice, Repeat
from .ends import End
from .parsing import children
from .patterns import bind
from .values import (
    TAINTED,
    UNKNOWN,
    Cell,
    Const,
    Items,
    Scope,
    Shape,
    Value,
    either,
    leads_on,
    truth,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from .running import Walk

TURNS = 64
"""Turns that are followed one by one."""


def counted(machine: Walk, node: Node, scope: Scope) -> End | None:
    """`for (begin; test; step)`."""
    inner = Scope(scope)
    begin = node.child_by_field_name("initializer")
    if begin is not None:
        machine.execute(begin, inner)
    return _loop(
        machine,
        node.child_by_field_name("condition"),
        node.child_by_field_name("body"),
        node.child_by_field_name("increment"),
        inner,
    )


def while_(machine: Walk, node: Node, scope: Scope) -> End | None:
    """`while (test)`."""
    return _loop(machine, node.child_by_field_name("condition"), node.child_by_field_name("body"), None, scope)


def do(machine: Walk, node: Node, scope: Scope) -> End | None:
    """`do ... while (test)`: once for certain."""
    body = node.child_by_field_name("body")
    end = machine.execute(body, scope) if body is not None else None
    if end in {End.RETURN, End.THROW}:
        return end
    if end is End.BREAK:
        return None
    after = _loop(machine, node.child_by_field_name("condition"), body, None, scope)
    return End.MAYBE if end is End.MAYBE else after


def _loop(machine: Walk, test: Node | None, body: Node | None, step: Node | None, scope: Scope) -> End | None:
    def condition() -> bool | None:
        parts = [test] if test is not None and test.type != "empty_statement" else []
        if parts and parts[0].type == "expression_statement":
            parts = children(parts[0])
        return truth(machine.evaluate(parts[0], scope)) if parts else True

    for _ in range(TURNS):
        known = condition()
        if known is False:
            return None
        if known is None:
            break
        end = machine.execute(body, scope) if body is not None else None
        if end is End.BREAK:
            return None
        if end in {End.RETURN, End.THROW}:
            return end
        if end is End.MAYBE:
            break
        if step is not None:
            machine.evaluate(step, scope)

    def turn() -> End | None:
        condition()
        end = machine.execute(body, scope) if body is not None else None
        if step is not None:
            machine.evaluate(step, scope)
        return end

    return _any_number(machine, scope, turn)


def over(machine: Walk, node: Node, scope: Scope) -> End | None:
    """`for (x of y)` and `for (x in y)`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    body, operator = node.child_by_field_name("body"), node.child_by_field_name("operator")
    if left is None or right is None or body is None:
        return None
    of = machine.evaluate(right, scope)
    keys = operator is not None and operator.type == "in"
    declares = node.child_by_field_name("kind") is not None

    def turn(item: Value) -> Callable[[], End | None]:
        def once() -> End | None:
            inner = Scope(scope)
            bind(machine, left, item, inner, assign=not declares)
            return machine.execute(body, inner)

        return once

    known = items_of(of, keys=keys)
    if known is None or len(known) > TURNS:
        some = either(*known) if known else _some(of, keys=keys)
        return _any_number(machine, scope, turn(some))
    sure = True
    for item in known:
        if sure:
            end = turn(item)()
        else:
            effect, end = machine.apart(turn(item))
            machine.add(Choice((effect, NOTHING)))
        if end is End.BREAK:
            return None if sure else End.MAYBE
        if end in {End.RETURN, End.THROW}:
            return end if sure else End.MAYBE
        sure = sure and end in {None, End.CONTINUE}
    return None if sure else End.MAYBE


def items_of(value: Value, *, keys: bool) -> list[Value] | None:
    """What a loop runs over; None where that can't be told."""
    match value:
        case Items(items, False):
            return [Const(str(at)) for at in range(len(items))] if keys else list(items)
        case Shape(fields, False, None):
            return [Const(name) for name in fields] if keys else None
        case Const(str() as known):
            return [Const(str(at) if keys else mark) for at, mark in enumerate(known[: TURNS + 1])]
    return None


def _some(of: Value, *, keys: bool) -> Value:
    """One item of something that is not known."""
    if keys or not leads_on(of):
        return UNKNOWN
    return either(*of.items, UNKNOWN) if isinstance(of, Items) else TAINTED


def _any_number(machine: Walk, scope: Scope, turn: Callable[[], End | None]) -> End | None:
    """Twice, so that what one turn leaves is seen by the next; values that go on changing are then unknown."""
    before = _values(scope)
    first, end = machine.apart(turn)
    for cell, old in before:
        if cell.value is not old:
            cell.value = either(cell.value, UNKNOWN)
    second, _ = machine.apart(turn)
    machine.add(Repeat(first))
    machine.add(Repeat(second))
    return End.MAYBE if end in {End.RETURN, End.THROW, End.MAYBE} else None


def _values(scope: Scope) -> list[tuple[Cell, Value]]:
    found: list[tuple[Cell, Value]] = []
    here: Scope | None = scope
    while here is not None:
        found += [(cell, cell.value) for cell in here.cells.values()]
        here = here.parent
    return found
