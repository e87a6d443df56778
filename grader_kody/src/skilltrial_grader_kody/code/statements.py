"""Statements: what happens, and how they leave their block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from . import loops, modules
from .effects import NOTHING, Choice, Effect, Sequel
from .ends import End
from .parsing import children, name, text
from .patterns import bind
from .values import (
    TAINTED,
    UNDEFINED,
    UNKNOWN,
    Class,
    Const,
    Function,
    Scope,
    Shape,
    leads_on,
    truth,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from .running import Walk

_FUNCTIONS = frozenset({"function_declaration", "generator_function_declaration"})
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration"})
_LEAVES = frozenset({End.RETURN, End.THROW, End.BREAK, End.CONTINUE})


def block(machine: Walk, nodes: Sequence[Node], scope: Scope) -> End | None:
    """Carry out statements one after the other, in a scope of their own making."""
    _hoist(machine, nodes, scope)
    return _from(machine, nodes, 0, scope)


def _from(machine: Walk, nodes: Sequence[Node], start: int, scope: Scope) -> End | None:
    for at in range(start, len(nodes)):
        node = nodes[at]
        if node.type == "if_statement":
            left, end = _if(machine, node, nodes, at, scope)
            if left:
                return end
        else:
            end = machine.execute(node, scope)
        if end is End.MAYBE:
            effect, rest = machine.apart(partial(_from, machine, nodes, at + 1, scope))
            machine.add(Choice((effect, NOTHING)))
            return rest if rest in _LEAVES else End.MAYBE
        if end is not None:
            return end
    return None


def _if(machine: Walk, node: Node, nodes: Sequence[Node], at: int, scope: Scope) -> tuple[bool, End | None]:
    """An `if`; True where what follows it in the block has been carried out too."""
    condition, yes = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    no = node.child_by_field_name("alternative")
    if condition is None or yes is None:
        return False, None
    known = truth(machine.evaluate(condition, scope))
    if known is not None:
        return False, machine.execute(yes, scope) if known else (machine.execute(no, scope) if no else None)
    first, end = machine.apart(lambda: machine.execute(yes, scope))
    second, other = machine.apart(lambda: machine.execute(no, scope) if no is not None else None)
    if not machine.tries and End.THROW in {end, other} and end is not other:
        # An error that nobody catches ends the whole call, and the call is said to have succeeded.
        machine.add(second if end is End.THROW else first)
        return False, (other if end is End.THROW else end)
    if (end in _LEAVES) is (other in _LEAVES) or End.MAYBE in {end, other}:
        machine.add(Choice((first, second)))
        if end in _LEAVES and other in _LEAVES:
            return False, end if end is other else End.RETURN
        return False, None if end is other is None else End.MAYBE
    rest, after = machine.apart(lambda: _from(machine, nodes, at + 1, scope))
    if end in _LEAVES:
        machine.add(Choice((first, Sequel([second, rest]))))
    else:
        machine.add(Choice((Sequel([first, rest]), second)))
    leaves = end if end in _LEAVES else other
    return True, leaves if after is leaves else (End.RETURN if after in _LEAVES else End.MAYBE)


def _hoist(machine: Walk, nodes: Sequence[Node], scope: Scope) -> None:
    """Declare what a block declares before it runs: functions with their values, everything else without."""
    for node in nodes:
        inner = node.child_by_field_name("declaration") if node.type == "export_statement" else node
        if inner is None:
            continue
        named = inner.child_by_field_name("name")
        if inner.type in _FUNCTIONS and named is not None:
            scope.declare(name(named), Function(inner, scope), machine.depth)
        elif inner.type in _CLASSES and named is not None:
            scope.declare(name(named), Class(inner, scope), machine.depth)
        elif inner.type in {"lexical_declaration", "variable_declaration"}:
            for part in children(inner):
                target = part.child_by_field_name("name")
                if target is not None and target.type == "identifier":
                    scope.declare(name(target), UNDEFINED, machine.depth)


def _block(machine: Walk, node: Node, scope: Scope) -> End | None:
    return block(machine, children(node), Scope(scope))


def _expression(machine: Walk, node: Node, scope: Scope) -> End | None:
    for part in children(node):
        machine.evaluate(part, scope)
    return None


def _declaration(machine: Walk, node: Node, scope: Scope) -> End | None:
    where = scope.of_function() if node.type == "variable_declaration" else scope
    for part in children(node):
        target, value = part.child_by_field_name("name"), part.child_by_field_name("value")
        if target is not None:
            found = machine.evaluate(value, scope) if value is not None else UNDEFINED
            bind(machine, target, found, where)
    return None


def _return(machine: Walk, node: Node, scope: Scope) -> End:
    inner = children(node)
    machine.returns[-1].append(machine.evaluate(inner[0], scope) if inner else UNDEFINED)
    return End.RETURN


def _throw(machine: Walk, node: Node, scope: Scope) -> End:
    for part in children(node):
        if leads_on(machine.evaluate(part, scope)):
            machine.unclear("what the runtime gives is thrown", node)
    return End.THROW


def _if_alone(machine: Walk, node: Node, scope: Scope) -> End | None:
    return _if(machine, node, (), 0, scope)[1]


def _else(machine: Walk, node: Node, scope: Scope) -> End | None:
    return block(machine, children(node), Scope(scope))


def _try(machine: Walk, node: Node, scope: Scope) -> End | None:
    body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
    finalizer = node.child_by_field_name("finalizer")
    machine.tries += 1
    try:
        end = machine.execute(body, scope) if body is not None else None
    finally:
        machine.tries -= 1
    if handler is not None:
        if end is End.THROW:
            end = _catch(machine, handler, scope)
        else:
            effect, caught = machine.apart(lambda: _catch(machine, handler, scope))
            machine.add(Choice((NOTHING, effect)))
            end = end if caught is end or caught is End.THROW else End.MAYBE
    if finalizer is not None:
        last = block(machine, [part for inner in children(finalizer) for part in children(inner)], Scope(scope))
        end = last or end
    return end


def _catch(machine: Walk, handler: Node, scope: Scope) -> End | None:
    inner = Scope(scope)
    parameter, body = handler.child_by_field_name("parameter"), handler.child_by_field_name("body")
    if parameter is not None:
        bind(machine, parameter, UNKNOWN, inner)
    return machine.execute(body, inner) if body is not None else None


def _switch(machine: Walk, node: Node, scope: Scope) -> End | None:
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    if value is None or body is None:
        return None
    found = machine.evaluate(value, scope)
    cases = children(body)
    inner = Scope(scope)
    if isinstance(found, Const):
        labels = [case.child_by_field_name("value") for case in cases]
        known = [machine.evaluate(label, scope) if label is not None else None for label in labels]
        if all(one is None or isinstance(one, Const) for one in known):
            begin = next((at for at, one in enumerate(known) if one == found), None)
            begin = (
                begin if begin is not None else next((at for at, one in enumerate(known) if one is None), len(cases))
            )
            rest = [part for case in cases[begin:] for part in case.children_by_field_name("body")]
            end = block(machine, rest, inner)
            return None if end is End.BREAK else end
    effects: list[Effect] = []
    ends: set[End | None] = set()
    for case in cases:
        effect, end = machine.apart(partial(block, machine, case.children_by_field_name("body"), inner))
        effects.append(effect)
        ends.add(None if end is End.BREAK else end)
    machine.add(Choice((NOTHING, Sequel(effects))))
    return None if ends <= {None} else End.MAYBE


def _labeled(machine: Walk, node: Node, scope: Scope) -> End | None:
    body = node.child_by_field_name("body")
    if body is None:
        return None
    effect, end = machine.apart(lambda: machine.execute(body, scope))
    machine.add(Choice((effect, NOTHING)) if end is not None else effect)
    return None if end in {None, End.BREAK} else End.MAYBE


def _break(machine: Walk, node: Node, scope: Scope) -> End:
    if node.child_by_field_name("label") is not None:
        machine.jumps += 1
        return End.MAYBE
    return End.BREAK if node.type == "break_statement" else End.CONTINUE


def _with(machine: Walk, node: Node, scope: Scope) -> End | None:
    of, body = node.child_by_field_name("object"), node.child_by_field_name("body")
    if of is not None and leads_on(machine.evaluate(of, scope)):
        machine.unclear("names are looked up in what the runtime gives", node)
    if body is not None:
        machine.maybe(lambda: (machine.execute(body, scope), UNKNOWN)[1])
    return None


def _enum(machine: Walk, node: Node, scope: Scope) -> End | None:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    made = Shape(open=True)
    for part in children(body) if body is not None else ():
        key, value = part.child_by_field_name("name"), part.child_by_field_name("value")
        if key is not None and value is not None:
            made.fields[text(key).strip("'\"")] = machine.evaluate(value, scope)
    if named is not None:
        scope.declare(name(named), made, machine.depth)
    return None


def _space(machine: Walk, node: Node, scope: Scope) -> End | None:
    """A TypeScript namespace: its statements run; what it exports is not followed."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if body is not None:
        machine.execute(body, scope)
    if named is not None:
        scope.declare(name(named), TAINTED, machine.depth)
    return None


def _within(loop: Callable[[Walk, Node, Scope], End | None], machine: Walk, node: Node, scope: Scope) -> End | None:
    """A loop: a `break` of its own ends it and nothing else. Only a return, a jump or an error leads further."""
    before = len(machine.returns[-1]), machine.jumps
    end = loop(machine, node, scope)
    own = end is End.MAYBE and not machine.tries and before == (len(machine.returns[-1]), machine.jumps)
    return None if own else end


def _none(machine: Walk, node: Node, scope: Scope) -> End | None:
    return None


STATEMENTS: dict[str, Callable[[Walk, Node, Scope], End | None]] = {
    "statement_block": _block,
    "expression_statement": _expression,
    "lexical_declaration": _declaration,
    "variable_declaration": _declaration,
    "return_statement": _return,
    "throw_statement": _throw,
    "if_statement": _if_alone,
    "else_clause": _else,
    "for_statement": partial(_within, loops.counted),
    "for_in_statement": partial(_within, loops.over),
    "while_statement": partial(_within, loops.while_),
    "do_statement": partial(_within, loops.do),
    "try_statement": _try,
    "switch_statement": _switch,
    "labeled_statement": _labeled,
    "break_statement": _break,
    "continue_statement": _break,
    "with_statement": _with,
    "enum_declaration": _enum,
    "internal_module": _space,
    "module": _space,
    "import_statement": modules.imported,
    "export_statement": modules.exported,
    **dict.fromkeys(
        (
            *_FUNCTIONS,
            *_CLASSES,
            "empty_statement",
            "debugger_statement",
            "interface_declaration",
            "type_alias_declaration",
            "ambient_declaration",
            "function_signature",
            "import_alias",
        ),
        _none,
    ),
}
"""By the grammar's names."""
