"""What an expression may be worth, as far as that matters: constants, shapes, functions, and what the runtime gives.

And the names that stand for values: a function holds the scope that it was made in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from math import isnan
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from tree_sitter import Node


class Special(Enum):
    """Values without parts."""

    UNDEFINED = "undefined"
    UNKNOWN = "unknown"
    """Can't be told, and has nothing to do with the runtime."""
    TAINTED = "tainted"
    """Can't be told, and may be, or lead to, what the runtime gives."""
    RUNTIME = "runtime"
    """The module `kody:runtime`."""
    GLOBALS = "globals"
    """`globalThis`."""


@dataclass(frozen=True, slots=True)
class Const:
    """A text, number, boolean or null that is known."""

    value: str | float | bool | None


@dataclass(slots=True, eq=False)
class Shape:
    """An object of which fields are known; `open`: it may have others. `within`: what it inherits from."""

    fields: dict[str, Value] = field(default_factory=dict)
    open: bool = False
    within: Value | None = None


@dataclass(slots=True, eq=False)
class Items:
    """An array of which items are known; `open`: it may have others."""

    items: list[Value]
    open: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the code, with the scope that it was made in."""

    node: Node = field(hash=False, compare=False)
    scope: Scope = field(hash=False, compare=False, repr=False)
    this: Value | None = field(default=None, hash=False, compare=False)
    id: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the code."""

    node: Node = field(hash=False, compare=False)
    scope: Scope = field(hash=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Namespace:
    """An object that the runtime gives: `kody`, `workflows`."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """A function that the runtime gives: `kody.packageSave`. The name is None where it can't be told."""

    space: str
    name: str


@dataclass(frozen=True, slots=True)
class Package:
    """An imported package, or one export of it. `specifier` is empty where it can't be told."""

    specifier: str
    export: str | None = None


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function or object of the language: `Object.values`; or a name that nobody declared (`known` is False)."""

    name: str
    known: bool = True


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value that is known: `'a'.concat`, `items.map`, `kody.packageSave.bind`."""

    of: Value = field(hash=False, compare=False)
    name: str = ""


@dataclass(frozen=True, slots=True)
class Bound:
    """A function with its first arguments."""

    of: Value = field(hash=False, compare=False)
    arguments: tuple[Value, ...] = field(default=(), hash=False, compare=False)


@dataclass(frozen=True, slots=True)
class Either:
    """One of these."""

    options: tuple[Value, ...] = field(hash=False, compare=False)


Value: TypeAlias = (
    "Special | Const | Shape | Items | Function | Class | Namespace | Operation | Package | Builtin | Method | Bound"
    " | Either"
)

UNDEFINED, UNKNOWN, TAINTED = Special.UNDEFINED, Special.UNKNOWN, Special.TAINTED
KODY, WORKFLOWS = Namespace("kody"), Namespace("workflows")
_MOST_OPTIONS = 8


def either(*values: Value) -> Value:
    """One of these; the same value twice is one. Too many are unknown."""
    options: list[Value] = []
    for value in values:
        if len(options) > _MOST_OPTIONS:
            break
        for one in value.options if isinstance(value, Either) else (value,):
            if not any(alike(one, other) for other in options):
                options.append(one)
    if len(options) == 1:
        return options[0]
    if len(options) > _MOST_OPTIONS:
        return TAINTED if any(leads_on(one) for one in values) else UNKNOWN
    return Either(tuple(options))


def alike(one: Value, other: Value) -> bool:
    """Whether two values are one and the same, as far as can be told."""
    if one is other:
        return True
    plain = isinstance(one, Special | Const | Namespace | Operation | Package | Builtin)
    return plain and type(one) is type(other) and one == other


def options(value: Value) -> tuple[Value, ...]:
    """The values that it may be."""
    return value.options if isinstance(value, Either) else (value,)


_MOST_VISITS = 1_000
"""Values that are looked at to tell what can be reached from one."""


def within(value: Value) -> tuple[Value, ...]:
    """The values that a value directly holds."""
    match value:
        case Shape(fields, _, base):
            return (*fields.values(), *(() if base is None else (base,)))
        case Items(items):
            return tuple(items)
        case Either(several):
            return several
        case Method(of) | Bound(of):
            return (of,)
    return ()


def leads_on(value: Value) -> bool:
    """Whether what the runtime gives can be reached from a value, without calling anything; of big ones, yes."""
    todo, seen = [value], 0
    known: set[int] = set()
    while todo:
        one = todo.pop()
        if isinstance(one, Namespace | Operation | Package) or one in (TAINTED, Special.RUNTIME, Special.GLOBALS):
            return True
        if id(one) in known:
            continue
        inner = within(one)
        if inner:
            known.add(id(one))
            seen += len(inner)
            if seen > _MOST_VISITS:
                return True
            todo += inner
    return False


def truth(value: Value) -> bool | None:
    """Whether a condition holds; None where that can't be told."""
    match value:
        case Const(known):
            return bool(known) and not (isinstance(known, float) and isnan(known))
        case Special.UNDEFINED:
            return False
        case Special.UNKNOWN | Special.TAINTED:
            return None
        case Either(several):
            found = {truth(one) for one in several}
            return found.pop() if len(found) == 1 else None
        case Builtin(known=False):
            return None
    return True


def nullish(value: Value) -> bool | None:
    """Whether a value is null or undefined; None where that can't be told."""
    match value:
        case Const(known):
            return known is None
        case Special.UNDEFINED:
            return True
        case Special.UNKNOWN | Special.TAINTED:
            return None
        case Either(several):
            found = {nullish(one) for one in several}
            return found.pop() if len(found) == 1 else None
        case Builtin(known=False):
            return None
    return False


def of_json(value: object) -> Value:
    """A JSON value as one of ours."""
    if isinstance(value, dict):
        return Shape({str(key): of_json(one) for key, one in value.items()})
    if isinstance(value, list):
        return Items([of_json(one) for one in value])
    return Const(value) if isinstance(value, str | float | bool | int) or value is None else UNKNOWN


@dataclass(slots=True)
class Cell:
    """A variable. `depth` is how deep in branches it was declared: an assignment deeper than that may not happen."""

    value: Value
    depth: int

    def assign(self, value: Value, depth: int) -> None:
        """Give it a value; within a branch it may keep the old one."""
        self.value = value if depth <= self.depth else either(self.value, value)


@dataclass(slots=True, eq=False)
class Scope:
    """A block's or function's names."""

    parent: Scope | None = None
    cells: dict[str, Cell] = field(default_factory=dict)
    function: bool = False

    def find(self, name: str) -> Cell | None:
        """The variable of that name, here or further out."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.cells:
                return scope.cells[name]
            scope = scope.parent
        return None

    def declare(self, name: str, value: Value, depth: int) -> None:
        """Add a variable here."""
        self.cells[name] = Cell(value, depth)

    def of_function(self) -> Scope:
        """Where `var` declares."""
        scope = self
        while not scope.function and scope.parent is not None:
            scope = scope.parent
        return scope
