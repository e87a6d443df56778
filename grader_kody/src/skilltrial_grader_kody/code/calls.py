"""What a call of each kind of value does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import functions, methods, workflow
from .effects import Act, Kind
from .texts import leaves
from .values import (
    TAINTED,
    UNKNOWN,
    Bound,
    Builtin,
    Const,
    Function,
    Method,
    Namespace,
    Operation,
    Package,
    Shape,
    Special,
    Value,
    truth,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from .running import Walk

_REHEARSALS = ("dryRun", "dry_run", "preview", "validateOnly", "checkOnly", "noop", "simulate")
"""Arguments by which an operation is asked to change nothing."""


def call(machine: Walk, value: Value, arguments: Sequence[Value], node: Node, open_end: bool) -> Value:  # noqa: PLR0911 - a table
    """Call one value, not an Either of them."""
    match value:
        case Function():
            return machine.enter(value, arguments, open_end)
        case Operation(space, name):
            return operation(machine, f"{space}.{name}", arguments, node, open_end)
        case Namespace(name):
            return operation(machine, name, arguments, node, open_end)
        case Package(specifier, export):
            found = _act(Kind.PACKAGE, specifier, node, arguments)
            found.export = export
            machine.add(found)
            _give(machine, arguments, node)
            return machine.ask(found, arguments, open_end)
        case Bound(of, first):
            return machine.call(of, (*first, *arguments), node, open_end)
        case Method(of, name):
            return methods.call(machine, of, name, arguments, node, open_end)
        case Builtin(name, True):
            return functions.call(machine, name, arguments, node, open_end)
        case Builtin(name, False):
            machine.add(_act(Kind.STRAY, name.rpartition(".")[2].removeprefix("new "), node, arguments))
            _give(machine, arguments, node)
        case Special.TAINTED | Special.RUNTIME | Special.GLOBALS:
            machine.unclear("a function is called that can't be told", node)
            return TAINTED
        case _:
            _give(machine, arguments, node)
    return UNKNOWN


def operation(machine: Walk, name: str, arguments: Sequence[Value], node: Node, open_end: bool) -> Value:
    """A function that the runtime gives."""
    found = _act(Kind.OPERATION, name, node, arguments)
    found.rehearsal = _rehearsal(arguments)
    machine.add(found)
    if name == "workflows.create":
        workflow.create(machine, found, arguments, open_end)
    else:
        _give(machine, [one for one in arguments if isinstance(one, Function)], node)
    return machine.ask(found, arguments, open_end)


def _give(machine: Walk, arguments: Sequence[Value], node: Node) -> None:
    for argument in arguments:
        machine.give_away(argument, node)


def _act(kind: Kind, name: str, node: Node, arguments: Sequence[Value]) -> Act:
    row, column = node.start_point
    texts = frozenset().union(*map(leaves, arguments)) if arguments else frozenset()
    return Act(kind, name, row + 1, column + 1, texts=texts)


def _rehearsal(arguments: Sequence[Value]) -> bool | None:
    """Whether the arguments ask for no change: yes, no, or (None) by a value that is not known."""
    for argument in arguments:
        if isinstance(argument, Shape):
            for name in _REHEARSALS:
                if name in argument.fields and argument.fields[name] != Const(False):
                    return truth(argument.fields[name])
    return False
