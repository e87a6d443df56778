"""Methods of values that are known: texts, arrays, functions, promises."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from .effects import NOTHING, Choice, Repeat
from .loops import TURNS
from .members import OF_PROMISES
from .texts import LONGEST, to_text
from .values import (
    TAINTED,
    UNDEFINED,
    UNKNOWN,
    Bound,
    Const,
    Function,
    Items,
    Operation,
    Package,
    Value,
    either,
    leads_on,
    truth,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from .running import Walk

_STOPS = frozenset({"find", "findIndex", "findLast", "some", "every"})
"""Methods that may stop before the last item."""
_EACH = frozenset({"forEach", "map", "flatMap", "filter", "find", "findIndex", "some", "every", "findLast"})


def call(machine: Walk, of: Value, name: str, arguments: Sequence[Value], node: Node, open_end: bool) -> Value:
    """Call the method `name` of a value."""
    if name in OF_PROMISES:
        return _of_promise(machine, of, name, arguments, node)
    if isinstance(of, Function | Operation | Package | Bound):
        return _of_function(machine, of, name, arguments, node, open_end)
    if isinstance(of, Items):
        return _of_items(machine, of, name, arguments, node)
    if isinstance(of, Const) and isinstance(of.value, str):
        found = _of_text(of.value, name, arguments)
        if found is not None:
            return found
    for argument in arguments:
        machine.give_away(argument, node)
    return TAINTED if leads_on(of) else UNKNOWN


def _of_promise(machine: Walk, of: Value, name: str, arguments: Sequence[Value], node: Node) -> Value:
    """What was promised comes, and is handed on; that it does not come may happen too."""
    first, second = (*arguments, UNDEFINED, UNDEFINED)[:2]
    if name == "finally":
        machine.call(first, (), node)
        return of
    if name == "catch":
        return either(of, machine.maybe(lambda: machine.call(first, (UNKNOWN,), node)))
    if second is not UNDEFINED:
        machine.maybe(lambda: machine.call(second, (UNKNOWN,), node))
    return machine.call(first, (of,), node)


def _of_function(machine: Walk, of: Value, name: str, arguments: Sequence[Value], node: Node, open_end: bool) -> Value:
    rest = arguments[1:]
    match name:
        case "call":
            return machine.call(of, rest, node, open_end)
        case "apply":
            given = rest[0] if rest else Items([])
            if isinstance(given, Items):
                return machine.call(of, given.items, node, given.open)
            return machine.call(of, (), node, open_end=True)
        case "bind":
            return Bound(of, tuple(rest))
        case "toString":
            written = to_text(of)
            return UNKNOWN if written is None else Const(written)
    return UNKNOWN


def _of_items(machine: Walk, of: Items, name: str, arguments: Sequence[Value], node: Node) -> Value:  # noqa: PLR0911, PLR0912 - a table
    first = arguments[0] if arguments else UNDEFINED
    if name in _EACH:
        return _each(machine, of, name, first, node)
    match name:
        case "join" if not of.open:
            sign = "," if first is UNDEFINED else to_text(first)
            parts = [to_text(one) if one is not UNDEFINED else "" for one in of.items]
            if sign is not None and all(part is not None for part in parts):
                joined = sign.join(part for part in parts if part is not None)
                return Const(joined) if len(joined) <= LONGEST else UNKNOWN
            return UNKNOWN
        case "reverse" | "toReversed":
            of.items = of.items[::-1] if name == "reverse" else of.items
            return of if name == "reverse" else Items(of.items[::-1], of.open)
        case "concat":
            return _joined(machine, of, arguments)
        case "push" | "unshift":
            machine.wrote()
            if machine.depth:
                of.open = True
            of.items[len(of.items) if name == "push" else 0 :] = [*arguments, *(of.items if name == "unshift" else ())]
            return UNKNOWN
        case "slice" if not of.open:
            bounds = [int(one.value) for one in arguments if isinstance(one, Const) and isinstance(one.value, float)]
            return Items(of.items[bounds[0] : bounds[1]] if len(bounds) > 1 else of.items[bounds[0] if bounds else 0 :])
        case "at" | "pop" | "shift":
            return either(*of.items, UNKNOWN)
        case "sort" | "toSorted":
            return _sorted(of, first, in_place=name == "sort")
        case "splice":
            machine.wrote()
            of.items, of.open = [either(*of.items, UNKNOWN)], True
            return of
        case "values" | "flat" | "fill":
            return of
        case "entries":
            return Items([Items([Const(float(at)), one]) for at, one in enumerate(of.items)], of.open)
        case "reduce":
            return _reduced(machine, of, arguments, node)
    for argument in arguments:
        machine.give_away(argument, node)
    return TAINTED if leads_on(of) else UNKNOWN


def _each(machine: Walk, of: Items, name: str, callback: Value, node: Node) -> Value:
    """A function for each item; `find` and its like may stop early."""
    if of.open or len(of.items) > TURNS:
        some = either(*of.items, UNKNOWN)
        effect, result = machine.apart(lambda: machine.call(callback, (some, UNKNOWN, of), node))
        machine.add(Repeat(effect))
        return Items([result], open=True) if name in {"map", "flatMap"} else UNKNOWN
    if name in _STOPS:
        return _until(machine, of, name, callback, node)
    results = [machine.call(callback, (item, Const(float(at)), of), node) for at, item in enumerate(list(of.items))]
    if name == "map":
        return Items(results)
    if name == "filter":
        kept = [truth(result) for result in results]
        known = [item for item, keep in zip(of.items, kept, strict=False) if keep]
        return Items(known) if None not in kept else Items(list(of.items), open=True)
    return Items(list(of.items), open=True) if name == "flatMap" else UNDEFINED


def _until(machine: Walk, of: Items, name: str, callback: Value, node: Node) -> Value:
    """A function for each item, until one of them decides; where that can't be told, the rest may happen or not."""
    stop, sure = name != "every", True
    order = list(enumerate(of.items))
    for at, item in reversed(order) if name == "findLast" else order:
        given = (item, Const(float(at)), of)
        if sure:
            result = machine.call(callback, given, node)
        else:
            effect, result = machine.apart(partial(machine.call, callback, given, node))
            machine.add(Choice((effect, NOTHING)))
        known = truth(result)
        if sure and known is stop:
            return _stopped(name, at, item)
        sure = sure and known is not None
    if not sure:
        return either(*of.items, UNKNOWN)
    if name in {"find", "findLast"}:
        return UNDEFINED
    return Const(-1.0) if name == "findIndex" else Const(not stop)


def _stopped(name: str, at: int, item: Value) -> Value:
    if name in {"find", "findLast"}:
        return item
    return Const(float(at)) if name == "findIndex" else Const(name == "some")


def _sorted(of: Items, order: Value, *, in_place: bool) -> Items:
    """The same items; in which order is known for texts only."""
    texts = [one.value for one in of.items if isinstance(one, Const) and isinstance(one.value, str)]
    if order is UNDEFINED and len(texts) == len(of.items):
        items: list[Value] = [Const(text) for text in sorted(texts, key=lambda text: text.encode("utf-16-be"))]
    else:
        items = [either(*of.items)] * len(of.items) if len(of.items) > 1 else list(of.items)
    if not in_place:
        return Items(items, of.open)
    of.items = items
    return of


def _reduced(machine: Walk, of: Items, arguments: Sequence[Value], node: Node) -> Value:
    items = list(of.items)
    if of.open or len(items) > TURNS or not arguments:
        for argument in arguments:
            machine.give_away(argument, node)
        return TAINTED if leads_on(of) else UNKNOWN
    value = arguments[1] if len(arguments) > 1 else items.pop(0) if items else UNDEFINED
    for item in items:
        value = machine.call(arguments[0], (value, item, UNKNOWN, of), node)
    return value


def _joined(machine: Walk, of: Items, arguments: Sequence[Value]) -> Items:
    machine.budget.take(sum(len(one.items) for one in (of, *arguments) if isinstance(one, Items)))
    made = Items(list(of.items), of.open)
    for one in arguments:
        if isinstance(one, Items):
            made.items += one.items
            made.open = made.open or one.open
        else:
            made.items.append(one)
            made.open = made.open or not isinstance(one, Const)
    return made


def _of_text(known: str, name: str, arguments: Sequence[Value]) -> Value | None:  # noqa: PLR0911, PLR0912 - a table
    """The value of a text's method on constants; None where it is not one of these."""
    texts = [to_text(one) for one in arguments]
    given = [text for text in texts if text is not None]
    if len(given) != len(texts):
        return None
    numbers = [int(float(text)) for text in given] if all(_is_number(text) for text in given) else []
    match name:
        case "toString" | "valueOf" | "normalize":
            return Const(known)
        case "toLowerCase" | "toUpperCase" | "trim" | "trimStart" | "trimEnd":
            python = {"toLowerCase": "lower", "toUpperCase": "upper", "trim": "strip", "trimStart": "lstrip"}
            return Const(getattr(known, python.get(name, "rstrip"))())
        case "concat":
            return Const("".join((known, *given)))
        case "split" if given:
            return Items([Const(part) for part in (known.split(given[0]) if given[0] else known)])
        case "replace" | "replaceAll" if len(given) == 2 and isinstance(arguments[0], Const):
            return Const(known.replace(given[0], given[1], 1 if name == "replace" else -1))
        case "repeat" if numbers and 0 <= numbers[0] * len(known) <= LONGEST:
            return Const(known * numbers[0])
        case "charAt" | "at" if numbers:
            at = numbers[0] + (len(known) if numbers[0] < 0 and name == "at" else 0)
            return Const(known[at : at + 1]) if at >= 0 else UNDEFINED
        case "charCodeAt" | "codePointAt" if numbers and 0 <= numbers[0] < len(known):
            return Const(float(ord(known[numbers[0]])))
        case "slice" if numbers:
            return Const(known[numbers[0] : numbers[1]] if len(numbers) > 1 else known[numbers[0] :])
        case "substring" | "substr" if numbers:
            first, last = (max(0, numbers[0]), numbers[1] if len(numbers) > 1 else len(known))
            last = first + last if name == "substr" else last
            return Const(known[min(first, last) : max(first, last)])
        case "padStart" | "padEnd" if numbers and numbers[0] <= len(known):
            return Const(known)
        case "includes" | "startsWith" | "endsWith" if given:
            found = {"includes": given[0] in known, "startsWith": known.startswith(given[0])}
            return Const(found.get(name, known.endswith(given[0])))
    return None


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdecimal() and len(text) < 9
