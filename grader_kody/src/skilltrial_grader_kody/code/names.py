"""Names that no line of the code declares: the runtime's globals, the language's own, and strangers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .values import KODY, UNDEFINED, WORKFLOWS, Builtin, Const, Special, Value

if TYPE_CHECKING:
    from .running import Walk


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANGUAGE = _words(
    "Array Boolean Buffer Date Error Function Intl JSON Map Math Number Object Promise Proxy Reflect "
    "RegExp Set String Symbol URL URLSearchParams TextDecoder TextEncoder WeakMap WeakSet atob btoa "
    "console crypto decodeURIComponent encodeURIComponent eval fetch isNaN parseFloat parseInt "
    "queueMicrotask require setImmediate setInterval setTimeout structuredClone unescape escape "
    "decodeURI encodeURI BigInt performance"
)


def unbound(machine: Walk, name: str) -> Value:
    """What a name stands for that nothing shadows."""
    match name:
        case "kody":
            return KODY
        case "workflows":
            return WORKFLOWS
        case "params":
            return machine.params
        case "globalThis" | "self" | "window" | "global":
            return Special.GLOBALS
        case "undefined":
            return UNDEFINED
        case "NaN":
            return Const(float("nan"))
        case "Infinity":
            return Const(float("inf"))
    return Builtin(name, known=name in LANGUAGE)
