"""Expressions: what each is worth, and what happens on the way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ..words import AUTHORING, REMOVED
from . import arithmetic, members
from .effects import Act, Kind
from .names import unbound
from .parsing import children, name, text, unescaped
from .patterns import bind
from .texts import LONGEST, to_text
from .values import (
    UNDEFINED,
    UNKNOWN,
    Builtin,
    Class,
    Const,
    Function,
    Items,
    Operation,
    Shape,
    Special,
    Value,
    either,
    leads_on,
    nullish,
    truth,
    within,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from .running import Walk
    from .values import Scope


def _identifier(machine: Walk, node: Node, scope: Scope) -> Value:
    named = name(node)
    cell = scope.find(named)
    return cell.value if cell is not None else unbound(machine, named)


def _this(machine: Walk, node: Node, scope: Scope) -> Value:
    cell = scope.find("this")
    return cell.value if cell is not None else Special.GLOBALS


def _string(machine: Walk, node: Node, scope: Scope) -> Value:
    return Const(unescaped(text(node)[1:-1]))


def _number(machine: Walk, node: Node, scope: Scope) -> Value:
    return arithmetic.literal(text(node))


def _template(machine: Walk, node: Node, scope: Scope) -> Value:
    """A template; known where all of its parts are."""
    whole: str | None = ""
    for part in children(node):
        if part.type == "template_substitution":
            inner = children(part)
            written = to_text(machine.evaluate(inner[0], scope)) if inner else None
        else:
            written = unescaped(text(part))
        whole = None if whole is None or written is None or len(whole) > LONGEST else whole + written
    return UNKNOWN if whole is None else Const(whole)


def _object(machine: Walk, node: Node, scope: Scope) -> Value:
    made = Shape()
    for part in children(node):
        match part.type:
            case "pair":
                written, value = part.child_by_field_name("key"), part.child_by_field_name("value")
                if written is not None and value is not None:
                    at = members.key(machine, written, scope)
                    _into(made, to_text(at), machine.evaluate(value, scope))
            case "shorthand_property_identifier":
                _into(made, name(part), _identifier(machine, part, scope))
            case "method_definition":
                written = part.child_by_field_name("name")
                at = members.key(machine, written, scope) if written is not None else UNKNOWN
                method: Value = Function(part, scope, this=made)
                accessor = any(word.type in {"get", "set"} for word in part.children)
                value_of = partial(machine.call, method, (), part)
                _into(made, to_text(at), machine.maybe(value_of) if accessor else method)
            case "spread_element":
                _spread(machine, made, machine.evaluate(part.named_children[0], scope))
            case _:
                machine.evaluate(part, scope)
    return made


def _into(made: Shape, at: str | None, value: Value) -> None:
    if at is None:
        made.open = True
        made.fields[""] = either(made.fields.get("", UNKNOWN), value)
    else:
        made.fields[at] = value


def _spread(machine: Walk, made: Shape, value: Value) -> None:
    match value:
        case Shape(fields, open, within):
            made.fields.update(fields)
            made.open = made.open or open
            made.within = made.within or within
        case Special.UNDEFINED | Const():
            pass
        case Builtin() | Special.UNKNOWN:
            made.open = True
        case _ if leads_on(value):
            made.within, made.open = value, True
        case _:
            made.open = True


def _array(machine: Walk, node: Node, scope: Scope) -> Value:
    values, open_end = arguments(machine, node, scope)
    return Items(list(values), open_end)


def arguments(machine: Walk, node: Node, scope: Scope) -> tuple[list[Value], bool]:
    """The values in brackets, and whether there may be more of them than are known."""
    values: list[Value] = []
    open_end = False
    for part in children(node):
        if part.type != "spread_element":
            values.append(machine.evaluate(part, scope))
            continue
        value = machine.evaluate(part.named_children[0], scope)
        # A few lines can double an array again and again; every item costs.
        machine.budget.take(len(within(value)))
        if isinstance(value, Items) and not value.open:
            values += value.items
        elif isinstance(value, Const) and isinstance(value.value, str):
            values += map(Const, value.value)
        else:
            open_end = True
            values += value.items if isinstance(value, Items) else [value] if leads_on(value) else []
    return values, open_end


def _function(machine: Walk, node: Node, scope: Scope) -> Value:
    named = node.child_by_field_name("name")
    if named is None or node.type == "method_definition":
        return Function(node, scope, id=(node.start_byte, node.end_byte))
    inner = type(scope)(scope)
    made = Function(node, inner, id=(node.start_byte, node.end_byte))
    inner.declare(name(named), made, machine.depth)
    return made


def _class(machine: Walk, node: Node, scope: Scope) -> Value:
    return Class(node, scope)


def _member(machine: Walk, node: Node, scope: Scope) -> Value:
    of, at = node.child_by_field_name("object"), node.child_by_field_name("property")
    if of is None or at is None:
        return UNKNOWN
    return members.get(machine, machine.evaluate(of, scope), members.key(machine, at, scope))


def _subscript(machine: Walk, node: Node, scope: Scope) -> Value:
    of, at = node.child_by_field_name("object"), node.child_by_field_name("index")
    if of is None or at is None:
        return UNKNOWN
    return members.get(machine, machine.evaluate(of, scope), machine.evaluate(at, scope))


def _inner(machine: Walk, node: Node, scope: Scope) -> Value:
    """The value of the last expression inside; of type assertions the value is what they assert of."""
    inner = children(node)
    if not inner:
        return UNKNOWN
    if node.type in {"as_expression", "satisfies_expression", "non_null_expression", "instantiation_expression"}:
        return machine.evaluate(inner[0], scope)
    return machine.evaluate(inner[-1], scope)


def _sequence(machine: Walk, node: Node, scope: Scope) -> Value:
    value: Value = UNDEFINED
    for part in children(node):
        value = machine.evaluate(part, scope)
    return value


def _unary(machine: Walk, node: Node, scope: Scope) -> Value:
    argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
    if argument is None or operator is None:
        return UNKNOWN
    return arithmetic.unary(text(operator), machine.evaluate(argument, scope))


def _binary(machine: Walk, node: Node, scope: Scope) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return UNKNOWN
    sign = text(operator)
    first = machine.evaluate(left, scope)
    if sign in {"&&", "||", "??"}:
        return _short(machine, sign, first, right, scope)
    return arithmetic.binary(sign, first, machine.evaluate(right, scope))


def _short(machine: Walk, sign: str, first: Value, right: Node, scope: Scope) -> Value:
    known = nullish(first) if sign == "??" else truth(first)
    goes_on = known if sign in {"&&", "??"} else None if known is None else not known
    if goes_on is None:
        return either(first, machine.maybe(lambda: machine.evaluate(right, scope)))
    return machine.evaluate(right, scope) if goes_on else first


def _ternary(machine: Walk, node: Node, scope: Scope) -> Value:
    condition, yes = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    no = node.child_by_field_name("alternative")
    if condition is None or yes is None or no is None:
        return UNKNOWN
    known = truth(machine.evaluate(condition, scope))
    if known is not None:
        return machine.evaluate(yes if known else no, scope)
    return machine.choose(lambda: machine.evaluate(yes, scope), lambda: machine.evaluate(no, scope))


def _assignment(machine: Walk, node: Node, scope: Scope) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return UNKNOWN
    value = machine.evaluate(right, scope)
    bind(machine, left, value, scope, assign=True)
    return value


def _augmented(machine: Walk, node: Node, scope: Scope) -> Value:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return UNKNOWN
    sign, first = text(operator)[:-1], machine.evaluate(left, scope)
    if sign in {"&&", "||", "??"}:
        value = _short(machine, sign, first, right, scope)
    else:
        value = arithmetic.binary(sign, first, machine.evaluate(right, scope))
    bind(machine, left, value, scope, assign=True)
    return value


def _update(machine: Walk, node: Node, scope: Scope) -> Value:
    argument, operator = node.child_by_field_name("argument"), node.child_by_field_name("operator")
    if argument is None or operator is None:
        return UNKNOWN
    before = machine.evaluate(argument, scope)
    after = arithmetic.binary(text(operator)[0], arithmetic.unary("+", before), Const(1.0))
    bind(machine, argument, after, scope, assign=True)
    return after if node.children[0].type in {"++", "--"} else before


def _call(machine: Walk, node: Node, scope: Scope) -> Value:
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or given is None:
        return UNKNOWN
    if function.type == "import":
        values, _ = arguments(machine, given, scope)
        return machine.load(values[0] if values else UNDEFINED, node)
    callee = machine.evaluate(function, scope)
    optional = any(part.type in {"optional_chain", "?."} for part in (*node.children, *function.children))
    if optional and (nullish(callee) or _of_nothing(machine, function, scope)):
        return UNDEFINED
    if given.type == "template_string":
        machine.evaluate(given, scope)
        values, open_end = [UNKNOWN], True
    else:
        values, open_end = arguments(machine, given, scope)
    if callee is UNKNOWN:
        _on_something(machine, function, node)
    if isinstance(callee, Builtin) and callee.name == "eval":
        return machine.evaluate_text(values[0] if values else UNDEFINED, node, scope)
    return machine.call(callee, values, node, open_end)


def _on_something(machine: Walk, function: Node, node: Node) -> None:
    """A method of a value that can't be told: where it has the name of one of the runtime's, it may be that one."""
    written = function.child_by_field_name("property")
    if written is not None and name(written) in AUTHORING | REMOVED:
        row, column = node.start_point
        machine.add(Act(Kind.STRAY, name(written), row + 1, column + 1))


def _of_nothing(machine: Walk, function: Node, scope: Scope) -> bool:
    """Whether the receiver of a method is null or undefined."""
    of = function.child_by_field_name("object")
    return of is not None and of.type == "identifier" and nullish(_identifier(machine, of, scope)) is True


def _new(machine: Walk, node: Node, scope: Scope) -> Value:
    constructor, given = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
    if constructor is None:
        return UNKNOWN
    made_of = machine.evaluate(constructor, scope)
    values, open_end = arguments(machine, given, scope) if given is not None else ([], False)
    if isinstance(made_of, Class):
        return machine.make(made_of, values, open_end)
    if isinstance(made_of, Operation):
        machine.call(made_of, values, node, open_end)
        return UNKNOWN
    if isinstance(made_of, Builtin):
        return machine.call(Builtin(f"new {made_of.name}", made_of.known), values, node, open_end)
    return machine.call(made_of, values, node, open_end)


def _constant(value: Value) -> Callable[[Walk, Node, Scope], Value]:
    return lambda machine, node, scope: value


def _yield(machine: Walk, node: Node, scope: Scope) -> Value:
    for part in children(node):
        if leads_on(machine.evaluate(part, scope)):
            machine.unclear("what the runtime gives is handed on by a generator", node)
    return UNKNOWN


EXPRESSIONS: dict[str, Callable[[Walk, Node, Scope], Value]] = {
    "identifier": _identifier,
    "shorthand_property_identifier": _identifier,
    "this": _this,
    "string": _string,
    "number": _number,
    "template_string": _template,
    "true": _constant(Const(True)),
    "false": _constant(Const(False)),
    "null": _constant(Const(None)),
    "undefined": _constant(UNDEFINED),
    "regex": _constant(UNKNOWN),
    "object": _object,
    "array": _array,
    "arrow_function": _function,
    "function_expression": _function,
    "generator_function": _function,
    "class": _class,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "parenthesized_expression": _inner,
    "await_expression": _inner,
    "as_expression": _inner,
    "satisfies_expression": _inner,
    "non_null_expression": _inner,
    "instantiation_expression": _inner,
    "type_assertion": _inner,
    "sequence_expression": _sequence,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "ternary_expression": _ternary,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "update_expression": _update,
    "call_expression": _call,
    "new_expression": _new,
    "yield_expression": _yield,
    "meta_property": _constant(UNKNOWN),
    "type_arguments": _constant(UNKNOWN),
    "type_annotation": _constant(UNKNOWN),
}
"""By the grammar's names; of other nodes only the parts are looked at."""
