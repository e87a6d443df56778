"""Code in, what it does out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from ..words import REMOVED
from .effects import Act, Effect, Kind, Sequel, acts
from .machine import Machine
from .parsing import Unparsable, children, parse
from .running import Answers, Budget, TooComplex, Undecided, Walk
from .statements import block
from .values import TAINTED, UNKNOWN, Bound, Either, Function, Operation, Package, Scope, Shape, Value, of_json

if TYPE_CHECKING:
    from tree_sitter import Node

_STEPS, _STEPS_PER_CHARACTER = 4_000, 2
_DEEP = 4
"""Programs within programs that are followed."""
_IDLE = frozenset({"identifier", "string", "number", "template_string", "true", "false", "null", "undefined", "regex"})


class State(Enum):
    """Whether the code could be looked at."""

    READ = "read"
    UNPARSABLE = "unparsable"
    EMPTY = "empty"
    """Nothing is done: no statement, or only words standing there."""
    TOO_COMPLEX = "too complex"


@dataclass(frozen=True, slots=True)
class Analysis:
    """What one program does. `found` are its acts in the order of the code, each with whether it certainly happens."""

    state: State
    effect: Effect = field(default_factory=Sequel, repr=False)
    found: tuple[tuple[Act, bool], ...] = ()


def analyse(code: str, params: Mapping[str, object] | None, answers: Answers | None = None) -> Analysis:
    """Look at a program; never raises, unless `answers` does.

    `params` is what the trace says that it was given, None if nothing; `answers` says what its calls gave.
    """
    if not code.strip():
        return Analysis(State.EMPTY)
    budget = Budget(_STEPS + _STEPS_PER_CHARACTER * len(code))
    given: Value = of_json(dict(params)) if params is not None else UNKNOWN
    try:
        root = parse(code)
        if _idle(root):
            return Analysis(State.EMPTY)
        effect = _run(root, Machine(given, budget, _nested, answers=answers))
        return Analysis(State.READ, effect, tuple(acts(effect)))
    except Unparsable:
        return Analysis(State.UNPARSABLE)
    except (TooComplex, RecursionError):
        return Analysis(State.TOO_COMPLEX)


def perform(code: str, params: Mapping[str, object] | None, answers: Answers) -> State:
    """Look at a program whose calls are answered as they come, so that what follows from them is known too.

    Raises Undecided where a call may or may not happen, or something may be anything.
    """
    analysis = analyse(code, params, answers)
    for act, _ in analysis.found:
        if act.kind is Kind.UNCLEAR or (act.kind is Kind.STRAY and act.name not in REMOVED):
            raise Undecided(f"line {act.line}, column {act.column}: {act.name} may be anything")
    return analysis.state


def _idle(root: Node) -> bool:
    """Whether a program only has words standing there: prose that happens to fit the grammar."""
    for statement in children(root):
        if statement.type == "empty_statement":
            continue
        inner = children(statement)
        if statement.type != "expression_statement" or len(inner) != 1 or inner[0].type not in _IDLE:
            return False
    return True


def _run(root: Node, machine: Machine) -> Effect:
    """Carry out a module, then its default export; then the exports that were put off."""
    statements = children(root)
    if any(_is_markup(node) for node in statements):
        raise Unparsable
    scope = Scope(function=True)
    block(machine, statements, scope)
    main = machine.exports.get("default")
    if main is not None:
        if isinstance(main, Function | Operation | Package | Bound | Either):
            machine.call(main, (_argument(machine.params),), root)
        else:
            machine.give_away(main, root)
    elif statements and isinstance(last := _last(statements, machine, scope), Function):
        # A lone function is called by some runtimes; this one's documents do not say so.
        machine.give_away(last, root)
    if main is None:
        # Without a default export nobody knows which of the others is called.
        deferred_names = {name for _, name in machine.later}
        for name, value in machine.exports.items():
            if name not in deferred_names:
                machine.give_away(value, root)
    machine.answers = None  # what is put off does not happen now
    for deferred, name in machine.later:
        export = machine.exports.get(name)
        effect, _ = machine.apart(partial(_deferred, machine, export, root))
        deferred.nested = effect
    return machine.found


def _deferred(machine: Machine, export: Value | None, root: Node) -> None:
    """The export that a call of `workflows.create` named."""
    if export is None:
        machine.unclear("the deferred export is not in this code", root)
    else:
        machine.call(export, (UNKNOWN,), root)


def _is_markup(node: Node) -> bool:
    inner = node.named_children
    return node.type == "expression_statement" and bool(inner) and inner[0].type.startswith("jsx")


def _last(statements: list[Node], machine: Machine, scope: Scope) -> Value | None:
    node = statements[-1]
    inner = children(node)
    while inner and node.type in {"expression_statement", "parenthesized_expression"}:
        node = inner[0]
        inner = children(node)
    if node.type in {"arrow_function", "function_expression"}:
        return machine.evaluate(node, scope)
    return None


def _argument(params: Value) -> Value:
    """What a default export is given: the params, or an object that has them; the runtime's own may be in it."""
    given = params.fields if isinstance(params, Shape) else {}
    return Shape({"kody": TAINTED, "workflows": TAINTED, "params": params, **given}, open=True)


def _nested(code: str, params: Value, outer: Walk) -> Effect:
    """What a module inside a text does."""
    if outer.nesting >= _DEEP:
        raise TooComplex
    try:
        root = parse(code)
    except Unparsable:
        return Act(Kind.UNCLEAR, "the deferred module can't be parsed", 1, 1)
    return _run(root, Machine(params, outer.budget, _nested, nesting=outer.nesting + 1))
