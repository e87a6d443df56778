"""Properties: read, written, by a name or by a computed key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names import unbound
from .parsing import children, name
from .texts import to_text
from .values import (
    KODY,
    TAINTED,
    UNDEFINED,
    UNKNOWN,
    WORKFLOWS,
    Bound,
    Builtin,
    Class,
    Const,
    Either,
    Function,
    Items,
    Method,
    Namespace,
    Operation,
    Package,
    Shape,
    Special,
    Value,
    either,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from .running import Walk
    from .values import Scope

OF_FUNCTIONS = frozenset({"call", "apply", "bind"})
OF_PROMISES = frozenset({"then", "catch", "finally"})
"""A promise stands for what it will be: every value may be one."""
_OF_ARRAYS = frozenset(
    [
        "at",
        "concat",
        "copyWithin",
        "entries",
        "every",
        "fill",
        "filter",
        "find",
        "findIndex",
        "findLast",
        "findLastIndex",
        "flat",
        "flatMap",
        "forEach",
        "hasOwnProperty",
        "includes",
        "indexOf",
        "isPrototypeOf",
        "join",
        "keys",
        "lastIndexOf",
        "map",
        "pop",
        "propertyIsEnumerable",
        "push",
        "reduce",
        "reduceRight",
        "reverse",
        "shift",
        "slice",
        "some",
        "sort",
        "splice",
        "toLocaleString",
        "toReversed",
        "toSorted",
        "toSpliced",
        "toString",
        "unshift",
        "valueOf",
        "values",
        "with",
    ]
)


def key(machine: Walk, node: Node, scope: Scope) -> Value:
    """The value of a written key: a name, a text, a number, `[computed]`."""
    match node.type:
        case "property_identifier" | "private_property_identifier" | "shorthand_property_identifier":
            return Const(name(node))
        case "computed_property_name":
            return machine.evaluate(children(node)[0], scope) if children(node) else UNKNOWN
    return machine.evaluate(node, scope)


def get(machine: Walk, of: Value, at: Value) -> Value:  # noqa: PLR0911, PLR0912 - a table
    """The property `at` of a value."""
    if isinstance(of, Either):
        return either(*(get(machine, one, at) for one in of.options))
    if isinstance(at, Either):
        return either(*(get(machine, of, one) for one in at.options))
    named = to_text(at)
    if named is None:
        return _any(of)
    if named == "constructor" and not (isinstance(of, Shape) and named in of.fields):
        return TAINTED  # by which everything can be reached
    if named in OF_PROMISES and not isinstance(of, Shape | Builtin):
        return Method(of, named)
    match of:
        case Special.RUNTIME:
            return {"kody": KODY, "workflows": WORKFLOWS, "params": machine.params, "default": of}.get(
                named, Namespace(named)
            )
        case Special.GLOBALS:
            return unbound(machine, named)
        case Special.TAINTED | Special.UNKNOWN | Special.UNDEFINED:
            return of
        case Namespace(space):
            return Operation(space, named)
        case Operation() | Bound():
            return Method(of, named) if named in OF_FUNCTIONS else UNDEFINED
        case Package(specifier, export):
            return Method(of, named) if export is not None and named in OF_FUNCTIONS else Package(specifier, named)
        case Shape():
            return _field(machine, of, named)
        case Items():
            return _item(of, named)
        case Const(str() as known):
            return _letter(of, known, named)
        case Class():
            return _static(machine, of, named)
        case Builtin(base, known):
            return Builtin(f"{base}.{named}", known)
        case Function():
            return Method(of, named)
    return UNKNOWN


def _any(of: Value) -> Value:
    """Some property, nobody knows which."""
    match of:
        case Special.RUNTIME | Special.GLOBALS | Special.TAINTED | Namespace():
            return TAINTED
        case Package(specifier):
            return Package(specifier, "")
        case Shape(fields, _, within):
            inner = () if within is None else (_any(within),)
            return either(*fields.values(), *inner, UNKNOWN)
        case Items(items):
            return either(*items, UNKNOWN)
    return UNKNOWN


def _field(machine: Walk, of: Shape, named: str) -> Value:
    if named in of.fields:
        return of.fields[named]
    if of.within is not None:
        return get(machine, of.within, Const(named))
    return UNKNOWN if of.open else UNDEFINED


def _item(of: Items, named: str) -> Value:
    items = of.items
    if named == "length":
        return UNKNOWN if of.open else Const(float(len(items)))
    if named.isdecimal():
        at = int(named) if len(named) < 9 else len(items)
        return items[at] if at < len(items) else UNKNOWN if of.open else UNDEFINED
    return Method(of, named) if named in _OF_ARRAYS else UNDEFINED


def _letter(of: Const, known: str, named: str) -> Value:
    if named == "length":
        return Const(float(len(known)))
    if named.isdecimal() and len(named) < 9:
        return Const(known[int(named)]) if int(named) < len(known) else UNDEFINED
    return Method(of, named)


def _static(machine: Walk, of: Class, named: str) -> Value:
    body = of.node.child_by_field_name("body")
    for member in children(body) if body is not None else ():
        label = member.child_by_field_name("name") or member.child_by_field_name("property")
        if label is not None and name(label) == named and any(part.type == "static" for part in member.children):
            if member.type == "method_definition":
                return Function(member, of.scope, this=of)
            value = member.child_by_field_name("value")
            return machine.evaluate(value, of.scope) if value is not None else UNDEFINED
    return UNKNOWN


def put(machine: Walk, target: Node, value: Value, scope: Scope) -> None:
    """Assign to a property."""
    of_node, at_node = target.child_by_field_name("object"), target.child_by_field_name("property")
    at_node = at_node or target.child_by_field_name("index")
    if of_node is None or at_node is None:
        return
    of = machine.evaluate(of_node, scope)
    at = to_text(key(machine, at_node, scope))
    machine.wrote()
    match of:
        case Shape(fields):
            if at is None:
                of.open = True
                fields[""] = either(fields.get("", UNKNOWN), value)
            elif machine.depth:
                fields[at] = either(fields.get(at, UNDEFINED), value)
            else:
                fields[at] = value
        case Items(items) if at is not None and at.isdecimal() and int(at[:6]) < len(items):
            items[int(at[:6])] = value
        case Items(items):
            items.append(value)
            of.open = True
        case Namespace():
            machine.unclear("the runtime's own object is changed", target)
        case Builtin("module" | "exports", False) | Builtin("module.exports", False):
            machine.exports[at if at not in {None, "exports"} else "default"] = value
        case Special.UNDEFINED:
            pass
        case _:
            machine.give_away(value, target)
