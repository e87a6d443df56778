"""Operators on constants."""

from __future__ import annotations

from math import isnan, nan

from .texts import LONGEST, to_text
from .values import UNDEFINED, UNKNOWN, Const, Shape, Special, Value, nullish, truth


def literal(written: str) -> Value:
    """A number as it is written."""
    plain = written.replace("_", "").removesuffix("n")
    try:
        if plain[:2].lower() in {"0x", "0o", "0b"}:
            return Const(float(int(plain, 0)))
        return Const(float(plain))
    except (ValueError, OverflowError):
        return UNKNOWN


def number(value: Value) -> float | None:
    """A value as a number; None where that can't be told."""
    match value:
        case Const(None):
            return 0.0
        case Const(bool() | float() | int() as known):
            return float(known)
        case Const(str() as known):
            try:
                return float(known.strip() or "0") if len(known) < 400 else None
            except ValueError:
                return nan
        case Special.UNDEFINED:
            return nan
    return None


def unary(sign: str, value: Value) -> Value:
    """`!x`, `-x`, `typeof x` ..."""
    match sign:
        case "void":
            return UNDEFINED
        case "!":
            known = truth(value)
            return UNKNOWN if known is None else Const(not known)
        case "-" | "+":
            found = number(value)
            return UNKNOWN if found is None else Const(-found if sign == "-" else found)
        case "typeof":
            return _type(value)
    return UNKNOWN


def _type(value: Value) -> Value:
    match value:
        case Const(bool()):
            return Const("boolean")
        case Const(str()):
            return Const("string")
        case Const(None) | Shape():
            return Const("object")
        case Const():
            return Const("number")
        case Special.UNDEFINED:
            return Const("undefined")
    return UNKNOWN


def binary(sign: str, left: Value, right: Value) -> Value:
    """`a + b`, `a === b`, `a < b` ..."""
    if sign == "+":
        return _plus(left, right)
    if sign in {"===", "==", "!==", "!="}:
        found = _equal(left, right, strict=len(sign) == 3)
        return UNKNOWN if found is None else Const(found is (sign[0] == "="))
    if sign in {"<", ">", "<=", ">="} and _text(left) and _text(right):
        return UNKNOWN
    one, other = number(left), number(right)
    if one is None or other is None:
        return UNKNOWN
    return _numbers(sign, one, other)


def _text(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, str)


def _plus(left: Value, right: Value) -> Value:
    numeric = (Const, Special)
    if isinstance(left, numeric) and isinstance(right, numeric) and not _text(left) and not _text(right):
        one, other = number(left), number(right)
        return UNKNOWN if one is None or other is None else Const(one + other)
    first, second = to_text(left), to_text(right)
    if first is None or second is None or len(first) + len(second) > LONGEST:
        return UNKNOWN
    return Const(first + second)


def _equal(left: Value, right: Value, *, strict: bool) -> bool | None:
    if not strict and (nullish(left) is True or nullish(right) is True):
        one, other = nullish(left), nullish(right)
        return None if one is None or other is None else one and other
    constants = (isinstance(left, Const) or left is UNDEFINED) and (isinstance(right, Const) or right is UNDEFINED)
    if not constants:
        return None
    if left is UNDEFINED or right is UNDEFINED:
        return left is right
    if isinstance(left, Const) and isinstance(right, Const):
        a, b = left.value, right.value
        alike = isinstance(a, bool) is isinstance(b, bool) and isinstance(a, str) is isinstance(b, str)
        return a == b if alike else (False if strict else None)
    return None


def _numbers(sign: str, one: float, other: float) -> Value:  # noqa: PLR0911 - a table
    try:
        match sign:
            case "-":
                return Const(one - other)
            case "*":
                return Const(one * other)
            case "/":
                return Const(one / other)
            case "%":
                return Const(float(one % other)) if one >= 0 and other > 0 else UNKNOWN
            case "<" | ">" | "<=" | ">=":
                if isnan(one) or isnan(other):
                    return Const(False)
                return Const({"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[sign])
            case "^" | "|" | "&":
                a, b = int(one) & 0xFFFFFFFF, int(other) & 0xFFFFFFFF
                found = {"^": a ^ b, "|": a | b, "&": a & b}[sign]
                return Const(float(found if found < 2**31 else found - 2**32))
    except (ArithmeticError, ValueError):
        return UNKNOWN
    return UNKNOWN
