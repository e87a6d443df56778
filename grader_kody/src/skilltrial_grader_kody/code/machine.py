"""The machine that walks through code without running it: where it stands, what it found, how far it may go.

It follows values, not text: a name counts where it is called. What depends on values that are not known becomes a
choice or a repetition; what could be anything becomes `unclear`. Work is bounded by a budget of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from . import calls, expressions, modules, statements
from .effects import NOTHING, Act, Choice, Effect, Kind, Repeat, Sequel
from .ends import End
from .parsing import Unparsable, children, name, parse
from .patterns import bind
from .running import Answers, Budget, TooComplex, Walk
from .values import (
    TAINTED,
    UNDEFINED,
    UNKNOWN,
    Bound,
    Class,
    Const,
    Function,
    Items,
    Method,
    Namespace,
    Operation,
    Package,
    Scope,
    Shape,
    Special,
    Value,
    alike,
    either,
    options,
)

if TYPE_CHECKING:
    from tree_sitter import Node


R = TypeVar("R")


_PER_STEP = 50
"""Characters or items that are made in a step."""
CALLS_DEEP = 40
"""Calls within calls that are followed."""


@dataclass(slots=True)
class _Active:
    """A call that goes on: of which function, with what, and how often anything had been written before."""

    function: int
    arguments: tuple[Value, ...]
    writes: int
    again: bool = False

    def same(self, other: _Active) -> bool:
        """Whether another call can do nothing else than this one."""
        return (
            self.function == other.function
            and self.writes == other.writes
            and len(self.arguments) == len(other.arguments)
            and all(one is two or alike(one, two) for one, two in zip(self.arguments, other.arguments, strict=True))
        )


@dataclass(slots=True)
class Machine:
    """One program. `params` is what the trace says that it was given; `program` how a text is made into a program."""

    params: Value
    budget: Budget
    program: Callable[[str, Value, Walk], Effect]
    exports: dict[str, Value] = field(default_factory=dict)
    later: list[tuple[Act, str]] = field(default_factory=list)
    """Calls of `workflows.create` that name an export, which may be declared further down."""
    nesting: int = 0
    """Programs that this one stands in."""
    answers: Answers | None = None
    """Who answers the program's calls; without, what they give is not known."""
    depth: int = 0
    """Branches that it is in."""
    jumps: int = 0
    """Times that a `break` or `continue` named a label."""
    tries: int = 0
    """`try` blocks that it is in."""
    returns: list[list[Value]] = field(default_factory=lambda: [[]])
    _into: list[Sequel] = field(default_factory=lambda: [Sequel()])
    _active: list[_Active] = field(default_factory=list)
    """Calls that are going on."""
    _writes: int = 0
    """Times that a variable or field got another value."""
    _given: set[int] = field(default_factory=set)

    @property
    def found(self) -> Effect:
        """Everything that was found so far."""
        return self._into[0]

    def wrote(self) -> None:
        """Something got another value."""
        self._writes += 1

    def add(self, effect: Effect) -> None:
        """Something happens now."""
        if effect is not NOTHING and not (isinstance(effect, Sequel) and not effect.parts):
            self._into[-1].parts.append(effect)

    def ask(self, found: Act, arguments: Sequence[Value], open_end: bool) -> Value:
        """What a call of the runtime gives."""
        if self.answers is None:
            return UNKNOWN
        return self.answers.answer(found, arguments, certain=not self.depth and not open_end)

    def unclear(self, why: str, node: Node) -> None:
        """Something happens that can't be told."""
        self.add(act(Kind.UNCLEAR, why, node))

    def apart(self, what: Callable[[], R], branch: bool = True) -> tuple[Sequel, R]:
        """Do something, and return what happened instead of adding it."""
        self._into.append(Sequel())
        self.depth += branch
        try:
            result = what()
        finally:
            self.depth -= branch
            effect = self._into.pop()
        return effect, result

    def maybe(self, what: Callable[[], Value]) -> Value:
        """Something that may happen or not."""
        effect, value = self.apart(what)
        self.add(Choice((effect, NOTHING)) if effect.parts else NOTHING)
        return value

    def choose(self, *ways: Callable[[], Value]) -> Value:
        """One of several ways, nobody knows which."""
        effects, values = [], []
        for way in ways:
            effect, value = self.apart(way)
            effects.append(effect)
            values.append(value)
        self.add(Choice(effects))
        return either(*values)

    def evaluate(self, node: Node, scope: Scope) -> Value:
        """The value of an expression."""
        self.budget.take()
        handler = expressions.EXPRESSIONS.get(node.type)
        if handler is not None:
            return handler(self, node, scope)
        for child in node.named_children:
            self.evaluate(child, scope)
        return UNKNOWN

    def execute(self, node: Node, scope: Scope) -> End | None:
        """Carry out a statement."""
        self.budget.take()
        handler = statements.STATEMENTS.get(node.type)
        if handler is not None:
            return handler(self, node, scope)
        self.evaluate(node, scope)
        return None

    def call(self, value: Value, arguments: Sequence[Value], node: Node, open_end: bool = False) -> Value:
        """Call a value. `open_end`: there may be more arguments than are known."""
        self.budget.take()
        several = options(value)
        if len(several) == 1:
            result = calls.call(self, value, arguments, node, open_end)
            self.budget.take(_size(result) // _PER_STEP)
            return result
        effects, results = [], []
        for one in several:
            effect, result = self.apart(partial(calls.call, self, one, arguments, node, open_end))
            effects.append(effect)
            results.append(result)
        self.add(Choice(effects))
        return either(*results)

    def load(self, specifier: Value, node: Node) -> Value:
        """A dynamic import."""
        return modules.load(self, specifier, node)

    def evaluate_text(self, code: Value, node: Node, scope: Scope) -> Value:
        """`eval`: a text that is known is carried out where it stands."""
        if not isinstance(code, Const):
            self.unclear("code is made while it runs", node)
            return TAINTED
        if isinstance(code.value, str):
            try:
                root = parse(code.value)
            except Unparsable:
                self.unclear("code is made while it runs", node)
                return TAINTED
            self.returns.append([])
            statements.block(self, children(root), Scope(scope))
            return either(*self.returns.pop(), UNKNOWN)
        return UNKNOWN

    def make(self, made_of: Class, arguments: Sequence[Value], open_end: bool) -> Value:
        """`new` for a class of the code: its fields and methods, and what its constructor does."""
        made = Shape()
        constructor: Function | None = None
        heritage = any(part.type == "class_heritage" for part in made_of.node.children)
        made.open = heritage
        scope = Scope(made_of.scope, function=True)
        scope.declare("this", made, self.depth)
        body = made_of.node.child_by_field_name("body")
        for member in children(body) if body is not None else ():
            named = member.child_by_field_name("name") or member.child_by_field_name("property")
            if named is None or any(part.type == "static" for part in member.children):
                continue
            if member.type == "method_definition":
                method = Function(member, made_of.scope, this=made)
                if name(named) == "constructor":
                    constructor = method
                else:
                    made.fields[name(named)] = method
            else:
                value = member.child_by_field_name("value")
                made.fields[name(named)] = self.evaluate(value, scope) if value is not None else UNDEFINED
        if constructor is not None:
            self.enter(constructor, arguments, open_end)
        return made

    def enter(self, function: Function, arguments: Sequence[Value], open_end: bool = False) -> Value:
        """Carry out a function of the code."""
        call = _Active(function.node.id, tuple(arguments), self._writes)
        for outer in self._active:
            if outer.same(call):
                # Nothing is new: whatever it does, it has been seen to do.
                outer.again = True
                return UNKNOWN
        if len(self._active) >= CALLS_DEEP:
            raise TooComplex
        self._active.append(call)
        self.returns.append([])
        try:
            body, _ = self.apart(lambda: self._carry_out(function, arguments, open_end), branch=False)
        finally:
            self._active.pop()
            returned = self.returns.pop()
        effect: Effect = Repeat(body, 1) if call.again else body
        if "generator" in function.node.type:
            effect = Choice((effect, NOTHING))
        self.add(effect)
        return either(*returned) if returned else UNDEFINED

    def _carry_out(self, function: Function, arguments: Sequence[Value], open_end: bool) -> None:
        node = function.node
        scope = Scope(function.scope, function=True)
        if function.this is not None:
            scope.declare("this", function.this, self.depth)
        if node.type != "arrow_function":
            scope.declare("arguments", Items(list(arguments), open=open_end), self.depth)
        self._bind_parameters(node, arguments, scope, open_end)
        body = node.child_by_field_name("body")
        if body is None:
            return
        if body.type == "statement_block":
            end = self.execute(body, scope)
            if end is not End.RETURN:
                self.returns[-1].append(UNDEFINED)
        else:
            self.returns[-1].append(self.evaluate(body, scope))

    def _bind_parameters(self, node: Node, arguments: Sequence[Value], scope: Scope, open_end: bool) -> None:
        single = node.child_by_field_name("parameter")
        whole = node.child_by_field_name("parameters")
        wanted = [single] if single is not None else whole.named_children if whole is not None else []
        rest = UNKNOWN if open_end else UNDEFINED
        at = 0
        for pattern in wanted:
            inner = pattern.child_by_field_name("pattern") or pattern
            if pattern.type == "comment" or inner.type == "this":
                continue
            if inner.type == "rest_pattern":
                bind(self, inner.named_children[0], Items(list(arguments[at:]), open=open_end), scope)
                return
            value = arguments[at] if at < len(arguments) else rest
            default = pattern.child_by_field_name("value")
            bind(self, inner, value, scope, default=default)
            at += 1

    def give_away(self, value: Value, node: Node) -> None:
        """Hand a value to code that is not known: it may be called there, any number of times."""
        for one in options(value):
            match one:
                case Function() if one.node.id not in self._given:
                    self._given.add(one.node.id)
                    effect, result = self.apart(partial(self.enter, one, (), open_end=True))
                    self._given.discard(one.node.id)
                    self.add(Repeat(effect))
                    if isinstance(result, Function):
                        self.give_away(result, node)
                case Operation() | Package():
                    effect, _ = self.apart(partial(self.call, one, (), node, open_end=True))
                    self.add(Repeat(effect))
                case Namespace() | Special.RUNTIME | Special.GLOBALS | Special.TAINTED:
                    self.unclear("what the runtime gives is handed to other code", node)
                case Shape(fields, _, within):
                    self.budget.take()
                    for inner in (*fields.values(), *((within,) if within is not None else ())):
                        self.give_away(inner, node)
                case Items(items):
                    self.budget.take()
                    for inner in items:
                        self.give_away(inner, node)
                case Method(of) | Bound(of):
                    self.give_away(of, node)
                case _:
                    pass


def _size(value: Value) -> int:
    match value:
        case Const(str() as known):
            return len(known)
        case Items(items):
            return len(items)
    return 0


def act(kind: Kind, name: str, node: Node) -> Act:
    """An act at the place of a node."""
    row, column = node.start_point
    return Act(kind, name, row + 1, column + 1)
