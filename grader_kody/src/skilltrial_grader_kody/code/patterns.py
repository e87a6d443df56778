"""Values given to names: plain ones, `{a: b = 1, ...rest}`, `[a, , b]`; and assignments to what exists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import members
from .parsing import children, name
from .values import UNDEFINED, UNKNOWN, Const, Items, Shape, Value, alike, either, nullish

if TYPE_CHECKING:
    from tree_sitter import Node

    from .running import Walk
    from .values import Scope


def bind(
    machine: Walk, pattern: Node, value: Value, scope: Scope, *, default: Node | None = None, assign: bool = False
) -> None:
    """Give `value` to what `pattern` names, declared in `scope` or (`assign`) found from there."""
    machine.budget.take()
    value = _or_default(machine, value, default, scope)
    match pattern.type:
        case "identifier" | "shorthand_property_identifier_pattern" | "type_identifier":
            _name(machine, name(pattern), value, scope, assign)
        case "object_pattern" | "object":
            _fields(machine, pattern, value, scope, assign)
        case "array_pattern" | "array":
            _items(machine, pattern, value, scope, assign)
        case "assignment_pattern" | "object_assignment_pattern" | "assignment_expression":
            left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
            if left is not None:
                bind(machine, left, value, scope, default=right, assign=assign)
        case "member_expression" | "subscript_expression":
            members.put(machine, pattern, value, scope)
        case "parenthesized_expression" | "non_null_expression" | "as_expression" | "rest_pattern":
            bind(machine, pattern.named_children[0], value, scope, assign=assign)
        case _:
            pass


def _name(machine: Walk, name: str, value: Value, scope: Scope, assign: bool) -> None:
    cell = scope.find(name) if assign else None
    if cell is not None:
        before = cell.value
        cell.assign(value, machine.depth)
        if not alike(before, cell.value):
            machine.wrote()
    elif assign:
        root = scope
        while root.parent is not None:
            root = root.parent
        root.declare(name, value, 0)
    else:
        scope.declare(name, value, machine.depth)


def _or_default(machine: Walk, value: Value, default: Node | None, scope: Scope) -> Value:
    if default is None or (value is not UNDEFINED and nullish(value) is False):
        return value
    if value is UNDEFINED:
        return machine.evaluate(default, scope)
    if isinstance(value, Const):  # null is not replaced
        return value
    return either(value, machine.maybe(lambda: machine.evaluate(default, scope)))


def _fields(machine: Walk, pattern: Node, value: Value, scope: Scope, assign: bool) -> None:
    taken: list[str] = []
    for part in children(pattern):
        if part.type in {"rest_pattern", "spread_element"}:
            bind(machine, part.named_children[0], _rest(value, taken), scope, assign=assign)
            continue
        target, default = part, None
        if part.type in {"object_assignment_pattern", "assignment_pattern"}:
            target = part.child_by_field_name("left") or part
            default = part.child_by_field_name("right")
        if part.type in {"pair_pattern", "pair"}:
            written = part.child_by_field_name("key")
            target = part.child_by_field_name("value") or part
            key: Value = members.key(machine, written, scope) if written is not None else UNKNOWN
        else:
            key = Const(name(target))
        if isinstance(key, Const) and isinstance(key.value, str):
            taken.append(key.value)
        bind(machine, target, members.get(machine, value, key), scope, default=default, assign=assign)


def _rest(value: Value, taken: list[str]) -> Value:
    if isinstance(value, Shape):
        left = {key: one for key, one in value.fields.items() if key not in taken}
        return Shape(left, value.open, value.within)
    return value


def _items(machine: Walk, pattern: Node, value: Value, scope: Scope, assign: bool) -> None:
    at = 0
    for part in pattern.children:
        if part.type == ",":
            at += 1
        elif part.type in {"rest_pattern", "spread_element"}:
            rest = Items(value.items[at:], value.open) if isinstance(value, Items) else UNKNOWN
            bind(machine, part.named_children[0], rest, scope, assign=assign)
        elif part.is_named and part.type != "comment":
            bind(machine, part, members.get(machine, value, Const(float(at))), scope, assign=assign)
