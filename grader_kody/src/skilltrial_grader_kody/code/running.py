"""What the parts of the machine need of it, so that they stand below it: acts, values, and a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from tree_sitter import Node

    from .effects import Act, Effect, Sequel
    from .ends import End
    from .values import Class, Function, Scope, Value

R = TypeVar("R")


class TooComplex(Exception):
    """The budget is used up."""


class Undecided(Exception):
    """Nobody can tell what the runtime would do; the message says where."""


class Answers(Protocol):
    """What the calls of a program are worth, where somebody plays the runtime."""

    def answer(self, act: Act, arguments: Sequence[Value], *, certain: bool) -> Value:
        """The value of a call. Raises Undecided."""


@dataclass(slots=True)
class Budget:
    """Steps that are left, for a program and all programs inside it."""

    left: int

    def take(self, steps: int = 1) -> None:
        """One step, or more. Raises TooComplex."""
        self.left -= steps
        if self.left < 0:
            raise TooComplex


class Walk(Protocol):
    """A program that is walked through (see `machine.Machine`)."""

    params: Value
    budget: Budget
    exports: dict[str, Value]
    later: list[tuple[Act, str]]
    nesting: int
    depth: int
    jumps: int
    tries: int
    returns: list[list[Value]]

    @property
    def program(self) -> Callable[[str, Value, Walk], Effect]:
        """How a text is made into a program."""

    def wrote(self) -> None:
        """Something got another value."""

    def add(self, effect: Effect) -> None:
        """Something happens now."""

    def ask(self, found: Act, arguments: Sequence[Value], open_end: bool) -> Value:
        """What a call of the runtime gives."""

    def unclear(self, why: str, node: Node) -> None:
        """Something happens that can't be told."""

    def apart(self, what: Callable[[], R], branch: bool = True) -> tuple[Sequel, R]:
        """Do something, and return what happened instead of adding it."""

    def maybe(self, what: Callable[[], Value]) -> Value:
        """Something that may happen or not."""

    def choose(self, *ways: Callable[[], Value]) -> Value:
        """One of several ways, nobody knows which."""

    def evaluate(self, node: Node, scope: Scope) -> Value:
        """The value of an expression."""

    def execute(self, node: Node, scope: Scope) -> End | None:
        """Carry out a statement."""

    def call(self, value: Value, arguments: Sequence[Value], node: Node, open_end: bool = False) -> Value:
        """Call a value. `open_end`: there may be more arguments than are known."""

    def load(self, specifier: Value, node: Node) -> Value:
        """A dynamic import."""

    def evaluate_text(self, code: Value, node: Node, scope: Scope) -> Value:
        """`eval`: a text that is known is carried out where it stands."""

    def make(self, made_of: Class, arguments: Sequence[Value], open_end: bool) -> Value:
        """`new` for a class of the code: its fields and methods, and what its constructor does."""

    def enter(self, function: Function, arguments: Sequence[Value], open_end: bool = False) -> Value:
        """Carry out a function of the code."""

    def give_away(self, value: Value, node: Node) -> None:
        """Hand a value to code that is not known: it may be called there, any number of times."""
