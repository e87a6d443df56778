"""Functions of the language: those on constants are carried out, those that call back are followed."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import unquote

from .members import get
from .texts import to_json, to_text
from .values import (
    TAINTED,
    UNDEFINED,
    UNKNOWN,
    Bound,
    Builtin,
    Const,
    Items,
    Scope,
    Shape,
    Value,
    leads_on,
    of_json,
    truth,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from .running import Walk

_HARMLESS = (
    "console.",
    "Math.",
    "Intl.",
    "new Intl.",
    "Date.",
    "new Date",
    "Number",
    "Boolean",
    "Array.isArray",
    "performance.",
)
_LATER = frozenset({"setTimeout", "setInterval", "setImmediate", "queueMicrotask"})
_MAKES_CODE = frozenset({"Function", "new Function", "eval"})
_OF_TEXT = "Function of a text"
_PASSES = frozenset(
    {"Object.freeze", "Object.seal", "Object.create", "structuredClone", "Promise.resolve", "Array.from"}
)


def call(machine: Walk, name: str, arguments: Sequence[Value], node: Node, open_end: bool) -> Value:  # noqa: PLR0911 - a table
    """Call a function of the language by its name."""
    name = name.removeprefix("globalThis.")
    first = arguments[0] if arguments else UNDEFINED
    if name in _MAKES_CODE:
        return _made(machine, arguments, node)
    if name == _OF_TEXT:
        return machine.evaluate_text(first, node, Scope(function=True))
    if name in _LATER:
        if isinstance(first, Const):
            machine.unclear("code is made while it runs", node)
        machine.maybe(lambda: machine.call(first, tuple(arguments[2:]), node, open_end))
        return UNKNOWN
    if name == "require":
        return machine.load(first, node)
    if name.startswith("Promise.") or name == "new Promise":
        return _promise(machine, name, first, node)
    if name.startswith(("Object.", "Reflect.", "new Proxy")):
        return _reflected(machine, name, arguments, node, open_end)
    if name in _PASSES:
        if len(arguments) > 1:
            machine.give_away(arguments[1], node)
        return first
    folded = _folded(name, arguments)
    if folded is not None:
        return folded
    if not name.startswith(_HARMLESS) and name not in {"String", "JSON.stringify", "Symbol"}:
        for argument in arguments:
            machine.give_away(argument, node)
    return UNKNOWN


def _made(machine: Walk, arguments: Sequence[Value], node: Node) -> Value:
    """`new Function(...)`: a body that is known, without parameters, is a function like any other."""
    body = to_text(arguments[-1]) if arguments else ""
    if body is None or len(arguments) > 1:
        machine.unclear("code is made while it runs", node)
        return TAINTED
    return Bound(Builtin(_OF_TEXT), (Const(body),))


def _promise(machine: Walk, name: str, first: Value, node: Node) -> Value:
    if name == "new Promise":
        machine.call(first, (Builtin("resolve"), Builtin("reject")), node)
        return UNKNOWN
    if name in {"Promise.resolve", "Promise.all", "Promise.allSettled", "Promise.any", "Promise.race"}:
        return first if name in {"Promise.resolve", "Promise.all"} else TAINTED if leads_on(first) else UNKNOWN
    return UNKNOWN


def _reflected(machine: Walk, name: str, arguments: Sequence[Value], node: Node, open_end: bool) -> Value:  # noqa: PLR0911 - a table
    first, second = (*arguments, UNDEFINED, UNDEFINED)[:2]
    match name:
        case "Object.keys" | "Object.getOwnPropertyNames" | "Reflect.ownKeys" if isinstance(first, Shape):
            return Items([Const(key) for key in first.fields], first.open)
        case "Object.values" | "Object.entries" if isinstance(first, Shape) and first.within is None:
            pairs = [Items([Const(key), one]) for key, one in first.fields.items()]
            return Items(list(first.fields.values()) if name == "Object.values" else list(pairs), first.open)
        case "Object.values" | "Object.entries" | "Object.getOwnPropertyDescriptors" if leads_on(first):
            return TAINTED
        case "Object.assign":
            return first if len(arguments) < 2 else _merged(arguments)
        case "Object.freeze" | "Object.seal" | "Object.create":
            return first
        case "Object.fromEntries" if isinstance(first, Items):
            return _from_pairs(first)
        case "Reflect.get":
            return get(machine, first, second)
        case "Reflect.apply" | "Reflect.construct":
            given = arguments[-1] if isinstance(arguments[-1], Items) else Items([], open=True)
            return machine.call(first, given.items, node, given.open or open_end)
        case "new Proxy" | "Object.defineProperty" | "Reflect.set":
            for argument in arguments[1:]:
                machine.give_away(argument, node)
            return TAINTED if leads_on(first) else UNKNOWN
    return TAINTED if leads_on(first) and not name.startswith(("Object.keys", "Object.has", "Object.is")) else UNKNOWN


def _merged(arguments: Sequence[Value]) -> Value:
    made = Shape()
    for one in arguments:
        if isinstance(one, Shape):
            made.fields.update(one.fields)
            made.open, made.within = made.open or one.open, made.within or one.within
        elif leads_on(one):
            made.within, made.open = one, True
        else:
            made.open = True
    return made


def _from_pairs(pairs: Items) -> Value:
    made = Shape(open=pairs.open)
    for pair in pairs.items:
        key = to_text(pair.items[0]) if isinstance(pair, Items) and len(pair.items) == 2 else None
        if key is None or not isinstance(pair, Items):
            return TAINTED if leads_on(pairs) else UNKNOWN
        made.fields[key] = pair.items[1]
    return made


def _folded(name: str, arguments: Sequence[Value]) -> Value | None:
    """The value of a function on constants; None where it is not one of these, or they are not known."""
    first = arguments[0] if arguments else UNDEFINED
    match name:
        case "String":
            written = to_text(first) if arguments else ""
            return None if written is None else Const(written)
        case "String.raw":
            return None
        case "String.fromCharCode" | "String.fromCodePoint":
            codes = [one.value for one in arguments if isinstance(one, Const) and isinstance(one.value, float | int)]
            fits = len(codes) == len(arguments) and all(0 <= code < 0x110000 for code in codes)
            return Const("".join(chr(int(code)) for code in codes)) if fits else None
        case "Array" | "Array.of" | "new Array":
            return Items(list(arguments)) if len(arguments) != 1 or name == "Array.of" else None
        case "JSON.stringify":
            written = to_json(first) if len(arguments) == 1 else None
            return None if written is None else Const(written)
        case "Boolean":
            known = truth(first)
            return None if known is None else Const(known)
    known_text = first.value if isinstance(first, Const) and isinstance(first.value, str) else None
    return None if known_text is None else _of_text(name, known_text, arguments)


def _of_text(name: str, known: str, arguments: Sequence[Value]) -> Value | None:  # noqa: PLR0911 - a table
    try:
        match name:
            case "atob":
                return Const(base64.b64decode(known + "=" * (-len(known) % 4)).decode("latin-1"))
            case "btoa":
                return Const(base64.b64encode(known.encode("latin-1")).decode())
            case "decodeURIComponent" | "decodeURI" | "unescape":
                return Const(unquote(known))
            case "JSON.parse":
                return of_json(json.loads(known))
            case "Number" | "parseInt" | "parseFloat":
                return Const(float(known))
            case "Buffer.from":
                coding = to_text(arguments[1]) if len(arguments) > 1 else "utf8"
                data = {"base64": base64.b64decode, "hex": bytes.fromhex, "utf8": str.encode}[coding or ""](known)
                return Const(data.decode())
            case "Array.from":
                return Items([Const(mark) for mark in known])
    except (ValueError, KeyError, RecursionError):
        return UNKNOWN
    return None
