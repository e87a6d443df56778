"""Imports and exports: what the runtime gives, packages, and everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .members import get
from .names import unbound
from .parsing import children, name, text, unescaped
from .texts import to_text
from .values import TAINTED, UNKNOWN, Const, Either, Package, Special, Value, either

if TYPE_CHECKING:
    from tree_sitter import Node

    from .ends import End
    from .running import Walk
    from .values import Scope

RUNTIME = "kody:runtime"
_STRANGERS = ("node:", "npm:", "jsr:", "http:", "https:", "data:", "file:", "./", "../", "/")


def module(specifier: str) -> Value:
    """What an import of `specifier` gives."""
    if specifier == RUNTIME:
        return Special.RUNTIME
    if specifier.startswith(_STRANGERS):
        # Code that is not in the trace. A `data:` module even stands in the specifier; nobody writes one by accident.
        return TAINTED if specifier.startswith("data:") else UNKNOWN
    if ":" in specifier or specifier.startswith("@"):
        return Package(specifier)
    return UNKNOWN


def load(machine: Walk, specifier: Value, node: Node) -> Value:
    """A dynamic import."""
    if isinstance(specifier, Either):
        return either(*(load(machine, one, node) for one in specifier.options))
    known = to_text(specifier)
    return module(known) if known is not None else Package("")


def imported(machine: Walk, node: Node, scope: Scope) -> End | None:
    """`import a, {b as c} from 'd'`."""
    source = node.child_by_field_name("source")
    if source is None or any(part.type == "type" for part in node.children):
        return None
    of = module(unescaped(text(source)[1:-1]))
    for clause in children(node):
        if clause.type == "import_clause":
            for part in children(clause):
                _clause(machine, part, of, scope)
    return None


def _clause(machine: Walk, part: Node, of: Value, scope: Scope) -> None:
    match part.type:
        case "identifier":
            scope.declare(name(part), get(machine, of, Const("default")), machine.depth)
        case "namespace_import":
            scope.declare(name(children(part)[0]), of, machine.depth)
        case "named_imports":
            for one in children(part):
                written, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
                if written is not None:
                    exported_name = text(written).strip("'\"") if written.type == "string" else name(written)
                    scope.declare(name(alias or written), get(machine, of, Const(exported_name)), machine.depth)


def exported(machine: Walk, node: Node, scope: Scope) -> End | None:
    """`export ...`: what is declared is carried out, and kept by its exported name."""
    declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    default = any(part.type == "default" for part in node.children)
    end = None
    if declaration is not None:
        end = machine.execute(declaration, scope)
        for named in _declared(declaration):
            cell = scope.find(named)
            machine.exports["default" if default else named] = cell.value if cell is not None else UNKNOWN
        if default and "default" not in machine.exports:
            machine.exports["default"] = machine.evaluate(declaration, scope)
    elif value is not None:
        machine.exports["default"] = machine.evaluate(value, scope)
    source = node.child_by_field_name("source")
    for clause in children(node):
        if clause.type == "export_clause" and source is None:
            for one in children(clause):
                written, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
                if written is not None:
                    cell = scope.find(name(written))
                    found = cell.value if cell is not None else unbound(machine, name(written))
                    machine.exports[name(alias or written)] = found
    return end


def _declared(node: Node) -> list[str]:
    named = node.child_by_field_name("name")
    if named is not None:
        return [name(named)]
    targets = (part.child_by_field_name("name") for part in children(node))
    return [name(target) for target in targets if target is not None and target.type == "identifier"]
