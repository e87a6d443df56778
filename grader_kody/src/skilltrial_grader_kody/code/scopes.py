"""Names and what they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field

from .values import Value, either


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
